#!/usr/bin/env python3
"""Compares the choice of method and preconditioner with the best fallback.

    bench/fallbacks.py MPSOLVE [--before MPSOLVE] FILE.mtx ...

Solves each matrix with the default flags and with each fallback alone, and prints the user CPU
time of the processes, including reading: of the choice, of the best fallback, and their ratio.
CPU time says less about set-ups that run on one core, but does not depend on other work on the
machine. A fallback may take twice the time of the choice, which runs twice.
"""
import argparse
import json
import math
import os
import resource
import subprocess

SYMMETRIC = [("cg", p) for p in ("jacobi", "fsai", "amg", "chol", "ict")]
OTHER = [("bicgstab", "jacobi"), ("bicgstab", "ilu0"), ("bicgstab", "amg"), ("gmres", "lu"), ("gmres", "ilut")]


def solve(program, file, limit, *flags):
    """Returns the user CPU time of a solve, infinite if it does not converge, its report and its time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run = subprocess.run([program, "solve", file, "--json", "--max-time", f"{limit:.1f}s", *flags],
                         capture_output=True, text=True)
    user = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if run.returncode != 0:
        return math.inf, None, limit
    report = json.loads(run.stdout)
    return user, report, sum(report["seconds"][k] for k in ("build", "solve", "verify"))


def name(report):
    return f"{report['method']} {report['preconditioner']['kind']}" if report else "-"


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("program")
    args.add_argument("--before", help="an earlier program to compare with")
    args.add_argument("files", nargs="+")
    args = args.parse_args()
    ratios = {"before": [], "now": []}
    print("| matrix | before | user s | choice | user s | best fallback | user s | choice / best |")
    print("| --- | --- | ---:| --- | ---:| --- | ---:| ---:|")
    for file in args.files:
        old = solve(args.before, file, 100) if args.before else (math.inf, None, 0)
        chosen = min((solve(args.program, file, 100) for _ in range(2)), key=lambda run: run[0])
        if chosen[1] is None:
            print(f"| {os.path.basename(file)} | | | not solved |")
            continue
        limit = max(0.5, 2 * chosen[2])
        fallbacks = SYMMETRIC if chosen[1]["matrix"]["symmetric"] else OTHER
        best = min(((solve(args.program, file, limit, "--method", m, "--precond", p)[0], f"{m} {p}") for m, p in fallbacks))
        least = min(best[0], chosen[0])
        ratios["now"].append(chosen[0] / least)
        if old[1]:
            ratios["before"].append(old[0] / least)
        label = os.path.basename(file).split(".mtx")[0]
        print(f"| {label} | {name(old[1])} | {old[0]:.2f} | {name(chosen[1])} | {chosen[0]:.2f} | {best[1]} | {best[0]:.2f} | {chosen[0] / least:.2f} |", flush=True)
    for when, list_ in ratios.items():
        if list_:
            mean = math.exp(sum(map(math.log, list_)) / len(list_))
            print(f"{when}: {len(list_)} matrices, geometric mean {mean:.2f}, largest {max(list_):.1f} times the best fallback")


if __name__ == "__main__":
    main()
