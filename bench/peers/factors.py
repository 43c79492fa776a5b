"""Compares mpsolve with direct solvers on systems of systems.py; see factors.sh."""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

import scipy.io

import systems
from solve_files import System, read_solution, write_petsc_vector

LIMIT = 60  # seconds of a run
OFF = 1e-10  # a solution with a larger row-wise error is wrong
# Runs a command from a small process, since a new process counts the memory of the one that starts it as its own.
METER = """import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)"""
SIZES = {
    "triangles": 488_000, "tetrahedra": 274_000, "elasticity": 100_000, "ninepoint": 1_000_000, "plate": 360_000,
    "helmholtz": 490_000, "stokes": 120_000, "recirculation": 640_000, "circuit": 200_000, "kkt": 200_000,
}  # fmt: skip
POSITIVE = {"triangles", "tetrahedra", "elasticity", "ninepoint", "plate"}


def made(name, rows, seed, folder):
    """A system with a random right-hand side, in the files of all solvers."""
    b, symmetric = systems.write(name, rows, seed, folder)
    s = System(folder, folder / "A.mtx")  # which writes a b of its own
    s.b = b
    scipy.io.mmwrite(s.file("b.mtx"), b.reshape(-1, 1), precision=17)
    write_petsc_vector(s.file("b.petsc"), b)
    return s, symmetric


def run(system, command, solution):
    """Seconds of set-up and solve, the error, GB of the factors (0 if there are none), of the process at most, and of the
    factors' numbers if the solver says so, and mpsolve's precision of them; None if it fails."""
    if os.path.exists(solution):
        os.remove(solution)
    metered = ["timeout", str(LIMIT), sys.executable, "-S", "-c", METER, *map(str, command)]
    p = subprocess.run(metered, capture_output=True, check=False)
    if p.returncode or not os.path.exists(solution):
        return None
    report = json.loads(p.stdout)
    t, most = report.get("seconds", report), int(p.stderr.split()[-1]) * 1024
    made = re.search("entries in (FP..)", report.get("preconditioner", {}).get("text", ""))
    factors = report["bytes"] if "seconds" not in report else report["preconditioner"]["bytes"] if made else 0
    seconds = t.get("build", t.get("setup", 0)) + t["solve"]
    error = system.errors(read_solution(solution))[0]
    return seconds, error, factors / 1e9, most / 1e9, report.get("numbers", 0) / 1e9, made[1] if made else ""


def fastest(system, command, solution):
    """The faster of two runs; one if it fails or takes long."""
    best = None
    for _ in range(2):
        r = run(system, command, solution)
        if r is None:
            break
        best = min(best or r, r)
        if r[0] > 10:
            break
        time.sleep(0.1)
    return best


def commands(system, work, program, kind):
    """The commands of the solvers that are there, and the files of their solutions, by their names."""
    mine = [program, "solve", system.matrix, "--rhs", system.file("b.mtx"), "--output", system.file("x.mtx"), "--threads", "2", "--json"]
    x = system.file("x.petsc")
    files = [system.file("a.petsc"), system.file("b.petsc"), x]
    peers = {"PARDISO": ["solve_pardiso", kind], "MUMPS": ["solve_mumps", kind]}
    if kind == "positive":
        peers["CHOLMOD"] = ["solve_suitesparse", "cholmod"]
    else:
        peers["UMFPACK"] = ["solve_suitesparse", "umfpack"]
    if kind == "general":
        peers["KLU"] = ["solve_suitesparse", "klu"]
    all = {"default": (mine, system.file("x.mtx")), "complete": ([*mine, "--precond", "chol" if kind == "positive" else "lu"], system.file("x.mtx"))}
    for name, (of, *words) in peers.items():
        if (work / of).exists():
            all[name] = [work / of, *words, *files], x
    return all


def main():
    program, work, *rest = sys.argv[1:]
    seed, pairs = int(rest[0]) if rest else 1, rest[1:]
    chosen = dict(zip(pairs[::2], map(int, pairs[1::2]))) or SIZES
    work = pathlib.Path(work)
    print(f"{'system':14s}{'rows':>8s}  {'solver':9s}{'seconds':>8s}{'error':>7s}{'GB of factors':>15s}{'/ PARDISO':>11s}{'/ its numbers':>15s}{'GB at most':>12s}")
    for name, rows in chosen.items():
        s, symmetric = made(name, rows, seed, work)
        kind = "positive" if name in POSITIVE else "symmetric" if symmetric else "general"
        results = {solver: fastest(s, *c) for solver, c in commands(s, work, program, kind).items()}
        pardiso = results.get("PARDISO")
        for solver, r in results.items():
            line = f"{name:14s}{s.n:8d}  {solver:9s}"
            if r:
                factors = f"{r[2]:15.3f}" if r[2] else " " * 15
                ratio = f"{r[2] / pardiso[2]:11.2f}{r[2] / pardiso[4]:15.2f}" if pardiso and r[2] else " " * 26
                line += f"{r[0]:8.2f}{r[1]:7.0e}{factors}{ratio}{r[3]:12.3f}  {r[5]}" + ("" if r[1] <= OFF else "  wrong")
            print(line.rstrip() if r else line + "   fails", flush=True)


if __name__ == "__main__":
    main()
