"""Compares `mpsolve solve` at default flags with SciPy's spsolve (SuperLU) on the matrices of
direct.tsv, and prints the share that the goal is about."""

import argparse
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

from solve_files import System
from solve_table import TOLERANCE, in_scipy, mpsolve

HERE = pathlib.Path(__file__).parent
FACTOR = 3  # mpsolve may take that many times as long,
SHORT = 0.05  # where spsolve takes longer than this many seconds
GOAL = 95  # percent


def matrices(args):
    with open(args.list, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f, delimiter="\t"):
            if args.only in f"{row['class']} {row['kind']} {row['parameters']}":
                yield row["class"], [row["kind"], *row["parameters"].split()]


def fastest(solver, system, args):
    """The fastest of some runs; those of less than a second are repeated."""
    best = None
    for _ in range(args.repeat):
        r = solver.run(system, args.limit)
        if best is None or not r.failure and r.setup + r.solve < best.setup + best.solve:
            best = r
        if r.failure or r.setup + r.solve > 1:
            break
    return best


def describe(r):
    if r.failure:
        return f"{'':>9} {r.failure}"
    return f"{r.setup + r.solve:>7.3f} s {r.eta:.1e}"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--mpsolve", type=pathlib.Path, required=True, help="the program")
    p.add_argument("--list", type=pathlib.Path, default=HERE / "direct.tsv", help="the matrices")
    p.add_argument("--only", default="", help="matrices only whose line holds this text")
    p.add_argument("--repeat", type=int, default=3, help="runs of each solve under a second; the fastest counts")
    p.add_argument("--limit", type=float, default=120, help="seconds for one run")
    args = p.parse_args()
    folder = args.mpsolve.parent
    direct = in_scipy("spsolve", "spsolve", 0)
    ours = mpsolve(folder, "mpsolve", os.cpu_count())
    by_class, failures = {}, []
    for group, words in matrices(args):
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "a.mtx")
            subprocess.run([args.mpsolve, "generate", *words, "--output", path], check=True)
            system = System(pathlib.Path(work), path)
            theirs, mine = fastest(direct, system, args), fastest(ours, system, args)
        counts = by_class.setdefault(group, [0, 0, 0, 0])
        verdict = "spsolve fails"
        counts[0] += 1
        if not theirs.failure and theirs.eta <= TOLERANCE:
            counts[1] += 1
            base = theirs.setup + theirs.solve
            verdict = "ok"
            if mine.failure or not mine.eta <= TOLERANCE:
                verdict = "NOT SOLVED"
            elif base > SHORT and mine.setup + mine.solve > FACTOR * base:
                verdict = f"SLOW, {(mine.setup + mine.solve) / base:.1f} times"
                counts[2] += 1
            else:
                counts[2] += 1
                counts[3] += 1
        elif not mine.failure and mine.eta <= TOLERANCE:
            verdict = "only mpsolve solves it"
        name = " ".join(words)
        if verdict[0].isupper():
            failures.append((group, name, verdict, mine.failure or mine.reason))
        print(f"{name:64} n {system.n:>7} nnz {system.a.nnz:>8}  spsolve {describe(theirs):20}  mpsolve {describe(mine):20} {mine.reason:24} {verdict}", flush=True)
    print()
    for group, (seen, solved, ours, fast) in by_class.items():
        print(f"{group:20} of {seen} matrices spsolve solves {solved}, mpsolve {ours} of these, {fast} in time")
    for group, name, verdict, reason in failures:
        print(f"  {group}: {name}: {verdict} ({reason})")
    seen, solved, ours, fast = map(sum, zip(*by_class.values())) if by_class else (0, 0, 0, 0)
    if not solved:
        sys.exit("nothing to compare")
    share = 100 * fast / solved
    print(f"of {solved} matrices that spsolve solves to a row-wise error of {TOLERANCE:g} mpsolve solves {ours} ({100 * ours / solved:.1f} %),"
          f" {fast} ({share:.1f} %) within {FACTOR} times its time where that is over {1000 * SHORT:g} ms; goal: {GOAL} %")
    sys.exit(0 if share >= GOAL else 1)


main()
