"""Measures the competitive ratio of the default settings: their time by that of the fastest setting by hand, for each system of a wide
set, to the same tolerance. Times are of set-up, solve and verdict; reading does not count.

Systems of odd seeds are for looking at while rules are made, those of even seeds only for the report. Ratios are of the default
settings as they are, which estimate digits, and without digits (--digits none), both by settings without digits."""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import scipy.io
import scipy.sparse as sp

import classes
import results
from solve_files import write_petsc_vector

CG = [f"cg {p}" for p in ("jacobi", "cg32", "fsai", "ic0", "ict", "amg", "chol")]
SYMMETRIC = ["minres jacobi", "minres ldl", "gmres ldl", "gmres lu", "gmres schur", "gmres ilut", "bicgstab jacobi"]
ANY = ["bicgstab jacobi", "bicgstab ilu0", "bicgstab amg", "gmres lu", "gmres ilut", "gmres amg"]
SETTINGS = {classes.POSITIVE: CG, classes.INDEFINITE: SYMMETRIC, classes.GENERAL: ANY, "symmetric": CG + SYMMETRIC}
MOST_TURNS, ENOUGH = 10, 2  # the fastest of so many runs counts, or of those that take so many seconds together
NEAR = 1.3  # settings by hand that took so many times as long as the fastest are not run again
SLOWER, LEAST = 3, 1  # a run may take so many times as long as the fastest, or so many seconds if that is more


def flags(setting):
    """The flags of a setting: default, default without digits, or a method and a preconditioner."""
    if setting == results.DEFAULT:
        return []
    words = [] if setting == results.WITHOUT_DIGITS else setting.split()
    return [w for pair in zip(("--method", "--precond"), words) for w in pair] + ["--digits", "none"]


def fell_back(setting, attempts):
    """Whether a setting by hand ended as another one."""
    wanted = setting.split()
    return wanted[0] != "default" and any([a["method"], a["preconditioner"].split(",")[0]] != wanted for a in attempts)


def described(attempt):
    """Method and preconditioner, iterations, and why the attempt ended, without its figures."""
    reason = ": ".join(attempt["reason"].split(": ")[:2])
    return f"{attempt['method']} {attempt['preconditioner'].split(',')[0]} ({attempt['iterations']}, {reason})"


def run(program, matrix, rhs, setting, limit):
    """One run, of at most so many seconds."""
    command = [program, "solve", matrix, "--rhs", rhs, "--json", *flags(setting)]
    try:
        p = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return results.Run(setting, f"over {limit:.1f} s", limit)
    report = json.loads(p.stdout) if p.stdout.startswith("{") else {}
    if "seconds" not in report:
        return results.Run(setting, report.get("error", f"exit {p.returncode}").split(": ", 1)[-1], 0)
    seconds, attempts = report["seconds"], report["attempts"]
    tried = results.JOINED.join(map(described, attempts))
    outcome = results.SOLVED
    if p.returncode:
        outcome = report["reason"]
    elif fell_back(setting, attempts):
        outcome = "fell back"
    spent = [seconds[part] for part in ("build", "solve", "verify")]
    last = sum(attempts[-1][part] for part in ("seconds_setup", "seconds_solve")) if attempts else 0
    return results.Run(setting, outcome, sum(spent), *spent, seconds["digits"], last, seconds["read"], tried)


def measured(program, matrix, rhs, settings, most):
    """The best run of each setting. The defaults and those settings that may be the fastest are run again, all equally often and in
    turns, so that chance and other work on the machine meet all of them alike."""
    best, fastest, reading = {}, most, 0
    turn, turns, again = 0, 1, [results.WITHOUT_DIGITS, results.DEFAULT, *settings]
    while turn < turns:
        for setting in again:
            allowed = most if setting.startswith("default") else min(most, max(LEAST, SLOWER * fastest))
            r = run(program, matrix, rhs, setting, allowed + reading)
            if setting not in best or r.solved and r.seconds < best[setting].seconds:
                best[setting] = r
            if r.solved:
                fastest, reading = min(fastest, r.seconds), max(reading, r.read)
        turn += 1
        turns = min(MOST_TURNS, math.ceil(ENOUGH / fastest))
        again = [s for s in again if best[s].solved and (s.startswith("default") or best[s].seconds < NEAR * fastest)]
    return list(best.values())


def generated(args, folder):
    """Systems of the classes, one at a time in the folder: what they are, settings to compare with, and files of A and b."""
    for name in args.classes or classes.CLASSES:
        definiteness, _, sizes = classes.CLASSES[name]
        for rows in sizes:
            for seed in args.seeds:
                if args.least_rows <= rows <= args.most_rows and (name, rows, seed) not in args.done:
                    a, b, what = classes.system(name, rows, seed)
                    sp.save_npz(folder / "A.npz", a, compressed=False)
                    write_petsc_vector(folder / "b.petsc", b)
                    about = results.System(name, rows, seed, a.shape[0], a.nnz, definiteness, what)
                    yield about, SETTINGS[definiteness], folder / "A.npz", folder / "b.petsc"


def collected(args, folder):
    """The files with real square matrices, with a random b; seed 0."""
    for path in args.files:
        rows, cols, nnz, _, field, symmetry = scipy.io.mminfo(path)
        name = path.name.split(".")[0]
        if args.least_rows <= rows == cols <= args.most_rows and field != "complex" and (name, rows, 0) not in args.done:
            write_petsc_vector(folder / "b.petsc", np.random.default_rng(rows).standard_normal(rows))
            kind = "symmetric" if symmetry == "symmetric" else classes.GENERAL
            yield results.System(name, rows, 0, rows, nnz, kind, "random"), SETTINGS[kind], path, folder / "b.petsc"


def parsed():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--mpsolve", required=True, help=argparse.SUPPRESS)
    p.add_argument("--classes", nargs="+", metavar="CLASS", choices=list(classes.CLASSES), help=f"only these, of {', '.join(classes.CLASSES)}")
    p.add_argument("--seeds", nargs="+", type=int, default=[1, 2], help="one system of each class and size for each (1 2)")
    p.add_argument("--least-rows", type=int, default=0, help="only systems of about so many rows or more")
    p.add_argument("--most-rows", type=int, default=10**9, help="only systems of about so many rows or fewer")
    p.add_argument("--limit", type=float, default=60, help="seconds that a run may take (60)")
    p.add_argument("--out", type=pathlib.Path, help="add each measurement to this file; what it has is not measured again")
    p.add_argument("--from", dest="measurements", type=pathlib.Path, help="only print the summary of such a file")
    p.add_argument("--check", action="store_true", help="only check that small systems are what the classes say")
    p.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE", help="Matrix Market files in place of the classes")
    return p.parse_args()


def main():
    args = parsed()
    if args.check:
        verdicts = [classes.check(name, seed) for name in args.classes or classes.CLASSES for seed in args.seeds]
        print(*(text for text, _ in verdicts), sep="\n")
        sys.exit(0 if all(right for _, right in verdicts) else 1)
    systems = results.read(args.measurements or args.out) if args.measurements or args.out and args.out.exists() else []
    print(results.HEADING, *map(results.line, systems), sep="\n", flush=True)
    if not args.measurements:
        args.done = {(s.name, s.rows, s.seed) for s in systems}
        with tempfile.TemporaryDirectory() as folder:
            for system, settings, matrix, rhs in (collected if args.files else generated)(args, pathlib.Path(folder)):
                system.runs = measured(args.mpsolve, matrix, rhs, settings, args.limit)
                systems.append(system)
                print(results.line(system), flush=True)
                if args.out:
                    results.add(args.out, system)
    print("", results.summary(systems), sep="\n")


main()
