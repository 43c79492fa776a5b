#!/usr/bin/env python3
"""Measures how iterations, time and memory of mpsolve's solves grow from 1e4 to 4e6 unknowns,
at default flags, and writes a table in Markdown.

    bench/growth.py MPSOLVE [--problem TEXT] [--largest UNKNOWNS] [--repeat N]

Time is seconds.total minus seconds.read of the report, memory the peak of the process; both are per
unknown and relative to 1e5 unknowns, where fixed costs no longer matter. At each size the method and
the preconditioner are those chosen for the largest system. The exit code is 1 if iterations grow by
more than 1.2, or time or memory per unknown by more than 1.3.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

# Kind and dimension: n**dimension unknowns.
PROBLEMS = [("poisson2d --decades 4", 2), ("poisson3d --decades 4", 3), ("anisotropic2d", 2), ("convdiff3d", 3), ("darcy3d", 3)]
SIZES = [10_000, 100_000, 1_000_000, 4_000_000]
BASE = 100_000
MORE_ITERATIONS, MORE_PER_UNKNOWN = 1.2, 1.3


def solve(mpsolve, path, *flags):
    """The report of a solve, and the peak memory of the process in bytes."""
    with tempfile.TemporaryFile() as out:
        p = subprocess.Popen([mpsolve, "solve", path, "--json", *flags], stdout=out)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        report = json.load(out)
    return report, usage.ru_maxrss * 1024


def main():
    p = argparse.ArgumentParser()
    p.add_argument("mpsolve")
    p.add_argument("--problem", default="")
    p.add_argument("--largest", type=int, default=SIZES[-1])
    p.add_argument("--repeat", type=int, default=2)
    args = p.parse_args()
    print("| problem | n | iterations | µs per unknown | bytes per unknown | × time | × memory |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    bad = []
    for kind, dimension in PROBLEMS:
        if args.problem not in kind:
            continue
        rows, way = [], []
        for size in sorted((s for s in SIZES if s <= args.largest), reverse=True):
            n = round(size ** (1 / dimension))
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "a.mtx")
                name, *flags = kind.split()
                subprocess.run([args.mpsolve, "generate", name, "--n", str(n), *flags, "--output", path], check=True)
                runs = [solve(args.mpsolve, path) for _ in range(args.repeat)]
                report = runs[0][0]
                used = ["--method", report["method"], "--precond", report["preconditioner"]["kind"]]
                way = way or used
                alike = report if used == way else solve(args.mpsolve, path, *way)[0]
            rows.insert(0, (report["matrix"]["rows"], alike["inner_iterations"],
                            min(r["seconds"]["total"] - r["seconds"]["read"] for r, _ in runs), min(m for _, m in runs)))
            if not report["converged"]:
                bad.append(f"{kind}: {report['reason']}")
        n0, _, t0, m0 = next((r for r in rows if r[0] > BASE / 2), rows[-1])
        for n, iterations, t, m in rows:
            time, memory = t / n / (t0 / n0), m / n / (m0 / n0)
            print(f"| {kind} | {n} | {iterations} | {1e6 * t / n:.2f} | {m / n:.0f} | {time:.2f} | {memory:.2f} |", flush=True)
            if n > n0 and max(time, memory) > MORE_PER_UNKNOWN:
                bad.append(f"{kind}, {n} unknowns: {time:.2f} times the time, {memory:.2f} times the memory per unknown")
        if rows[-1][1] > MORE_ITERATIONS * rows[0][1]:
            bad.append(f"{kind}: {rows[0][1]} to {rows[-1][1]} iterations")
    for line in bad:
        print("missed:", line, file=sys.stderr)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
