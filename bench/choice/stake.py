"""Fits Stake and Unshown (internal/solver/rules/constants.go): plays the rule that leaves a method (internal/solver/choice/budget.go) with
recorded residuals of the diagonal, against alternatives that take from a twentieth to two and a half times as long. The ratio is what is spent,
by the time of the faster one of the two.

Seeds that are odd are for looking at, even ones for the report."""

import argparse
import csv
import itertools
import math
import pathlib
import statistics
import subprocess
import tempfile

import scipy.sparse as sp

import classes
from solve_files import write_petsc_vector

METHODS = {classes.POSITIVE: "cg", classes.INDEFINITE: "minres", classes.GENERAL: "bicgstab"}
ALTERNATIVES = [0.05, 0.1, 0.2, 0.3, 0.45, 0.65, 0.8, 1, 1.25, 1.6, 2.5]
STAKES, UNSHOWN = [0.1, 0.15, 0.2, 0.25, 0.35], [1.5, 2, 3]
FIRST_LOOK, LOOKS = 8, 16 / 81


def recorded(program, definiteness, a, b, folder):
    """The least residual after each iteration with the diagonal; None: it does not converge."""
    sp.save_npz(folder / "A.npz", a, compressed=False)
    write_petsc_vector(folder / "b.petsc", b)
    command = [program, "solve", folder / "A.npz", "--rhs", folder / "b.petsc", "--method", METHODS[definiteness], "--precond", "jacobi"]
    more = ["--digits", "none", "--max-iter", "4000", "--history", folder / "h.csv", "--quiet"]
    if subprocess.run(command + more, capture_output=True, check=False).returncode:
        return None
    with (folder / "h.csv").open() as f:
        residuals = [float(row["residual"]) for row in csv.DictReader(f) if not row["event"] and row["step"] == "1"]
    return [1.0, *itertools.accumulate(residuals, min)]


def spent(least, alternative, stake, unshown):
    """The iterations that are spent, those of the alternative included if the method is left for it."""
    look, past, goal, n = max(FIRST_LOOK, int(LOOKS * stake * alternative)), [(0, 1.0), (0, 1.0)], least[-1], len(least) - 1
    while look < n:
        now = least[look]

        def expected(since):
            k, measure = since
            return (look - k) * math.log(now / goal) / math.log(measure / now) if now < measure else math.inf

        rest = expected(past[1])
        if 3 * look < 2 * alternative:
            rest = min(rest, expected((0, 1.0)))
        if rest > alternative and look >= stake * alternative * (unshown if math.isinf(rest) else 1):
            return look + alternative
        past, look = [(look, now), past[0]], look + (look + 1) // 2
    return n


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--mpsolve", required=True, help=argparse.SUPPRESS)
    p.add_argument("--seeds", type=int, nargs="+", default=[41, 43, 45, 47], help="seeds of the systems")
    p.add_argument("--most-rows", type=int, default=5000, help="only systems with at most so many rows")
    args = p.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (definiteness, _, sizes) in classes.CLASSES.items():
            for rows, seed in itertools.product(sizes, args.seeds):
                if rows <= args.most_rows:
                    a, b, _ = classes.system(name, rows, seed)
                    if least := recorded(args.mpsolve, definiteness, a, b, pathlib.Path(folder)):
                        found.setdefault((METHODS[definiteness], "odd seeds" if seed % 2 else "even seeds"), []).append(least)
    print("| method | systems | Stake | Unshown | mean ratio | above 1.5 | above 2.5 |\n|---|---|---:|---:|---:|---:|---:|")
    for (method, seeds), systems in found.items():
        for rule in itertools.product(STAKES, UNSHOWN):
            ratios = [spent(s, f * (len(s) - 1), *rule) / (min(f, 1) * (len(s) - 1)) for s in systems for f in ALTERNATIVES]
            shares = [sum(r > most for r in ratios) / len(ratios) for most in (1.5, 2.5)]
            print(f"| {method} | {len(systems)}, {seeds}", *rule, f"{statistics.mean(ratios):.3f}", *(f"{100 * s:.1f} %" for s in shares), sep=" | ", end=" |\n")


main()
