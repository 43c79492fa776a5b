"""Compares mpsolve with direct solvers on systems of systems.py; see factors.sh."""

import json
import os
import pathlib
import subprocess
import sys
import time

import scipy.io

import systems
from solve_files import System, read_solution, write_petsc_vector

LIMIT = 60  # seconds of a run
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
    """Seconds of set-up and solve, and the error; None if the solver fails."""
    if os.path.exists(solution):
        os.remove(solution)
    try:
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=LIMIT, check=False)
        report = json.loads(p.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError, FileNotFoundError):
        return None
    if p.returncode or not os.path.exists(solution):
        return None
    t = report.get("seconds", report)
    return t.get("build", t.get("setup", 0)) + t["solve"], system.errors(read_solution(solution))[0]


def main():
    program, work, *rest = sys.argv[1:]
    seed, pairs = int(rest[0]) if rest else 1, rest[1:]
    chosen = dict(zip(pairs[::2], map(int, pairs[1::2]))) or SIZES
    work = pathlib.Path(work)
    print(f"{'system':14s}{'rows':>9s}  seconds (row-wise error) by")
    for name, rows in chosen.items():
        s, symmetric = made(name, rows, seed, work)
        x = s.file("x.petsc")
        mine = [program, "solve", s.matrix, "--rhs", s.file("b.mtx"), "--output", s.file("x.mtx"), "--threads", "2", "--json"]
        kind = "positive" if name in POSITIVE else "symmetric" if symmetric else "general"
        files = [s.file("a.petsc"), s.file("b.petsc"), x]
        commands = {
            "default": mine,
            "complete": [*mine, "--precond", "chol" if name in POSITIVE else "lu"],
            "PARDISO": [work / "solve_pardiso", kind, *files],
            "SuiteSparse": [work / "solve_suitesparse", "cholmod" if name in POSITIVE else "umfpack", *files],
        }
        line = f"{name:14s}{s.n:9d}"
        for solver, command in commands.items():
            best = None
            for _ in range(2):
                r = run(s, command, s.file("x.mtx") if solver in ("default", "complete") else x)
                if r and (best is None or r[0] < best[0]):
                    best = r
                if r is None or r[0] > 10:
                    break
                time.sleep(0.1)
            line += f"  {solver} " + (f"{best[0]:.2f} ({best[1]:.0e})" if best else "fails")
        print(line, flush=True)


if __name__ == "__main__":
    main()
