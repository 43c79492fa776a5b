"""Looks for matrices that a direct solver solves and mpsolve does not; see sweep.sh."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy
import scipy.io

from solve_files import System, read_solution, write_petsc_vector

warnings.filterwarnings("ignore")
LIMIT = 60  # seconds of a run
OFF = 1e-10  # a solution with a larger row-wise error is wrong
SINGULAR = 1e14  # A with a condition number over this may be singular, and a random b without a solution
COUNT, PLANE, SPACE, COUPLED, NODES = [500, 5000, 30000], [20, 60, 150], [8, 16, 28], [5, 9, 14], [6, 12, 18]
SIZES = {
    "anisotropic2d": PLANE, "convdiff2d": PLANE, "poisson2d": PLANE, "meshless2d": [20, 50, 90], "mixeddarcy2d": [20, 50, 100],
    "stokes2d": [20, 50, 100], "leastsquares": [20, 50, 90], "poisson3d": SPACE, "convdiff3d": SPACE, "darcy3d": SPACE, "transport3d": SPACE,
    "stencil27": SPACE, "elasticity3d": NODES, "solid3d": NODES, "device3d": NODES, "consolidation3d": COUPLED, "consolidation3dsym": COUPLED,
    "stokes3d": COUPLED, "circuit": COUNT, "kkt": COUNT, "powerflow": COUNT, "powerlaw": [500, 3000, 8000], "trefethen": [500, 3000, 12000],
    "dg2d": [6, 14, 36], "wathen": [10, 30, 110], "distillation": [2, 6, 40],
}  # fmt: skip
SIZE = {"dg2d": ["--nx", "--ny"], "wathen": ["--nx", "--ny"], "distillation": ["--columns"]}
SEEDLESS = {"anisotropic2d", "convdiff2d", "convdiff3d", "poisson2d", "trefethen"}


def kinds(program):
    """The kinds of `mpsolve generate`."""
    text = subprocess.run([program, "generate", "--help"], capture_output=True, text=True, check=True).stdout
    listed = text.split("Available Commands:\n")[1].split("\n\n")[0].splitlines()
    return [line.split()[0] for line in listed if line[2] != " "]


def matrices(program, collection, seeds, folder):
    """Names and files of the matrices: generated ones are in the folder until the next."""
    for path in sorted(collection.glob("*.mtx*")):
        yield path.name.split(".")[0], path
    made = folder / "A.mtx"
    for kind in kinds(program):
        if kind not in SIZES:
            print(f"{kind}: no sizes are known, left out")
        for size in SIZES.get(kind, []):
            for seed in seeds[:1] if kind in SEEDLESS else seeds:
                words = [kind, *[w for flag in SIZE.get(kind, ["--n"]) for w in (flag, str(size))]]
                words += [] if kind in SEEDLESS else ["--seed", str(seed)]
                subprocess.run([program, "generate", *words, "--output", made], check=True)
                yield " ".join(words), made


def load(path, folder):
    """A system with a random b; None if the matrix is not real and square."""
    with warnings.catch_warnings():
        rows, cols, *_, field, _ = scipy.io.mminfo(path)
    if rows != cols or field == "complex":
        return None
    s = System(folder, str(path))
    s.b = numpy.random.default_rng(s.n).standard_normal(s.n)
    scipy.io.mmwrite(s.file("b.mtx"), s.b.reshape(-1, 1), precision=17)
    write_petsc_vector(s.file("b.petsc"), s.b)
    return s


def run(system, command):
    """The row-wise error of a solver's x, infinity if it has none, and what it says."""
    solution = system.file("x.petsc" if "petsc" in command[-1] else "x.mtx")
    if os.path.exists(solution):
        os.remove(solution)
    try:
        p = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return numpy.inf, f"over {LIMIT} s", None
    said = f"exit {p.returncode}"
    try:
        said += ", " + str(json.loads(p.stdout).get("reason"))
    except ValueError:
        said += ", " + (p.stderr.strip().splitlines() or [""])[-1]
    if not os.path.exists(solution):
        return numpy.inf, said, None
    x = read_solution(solution)
    return system.errors(x)[0], said, x


def symmetric(a):
    return abs(a - a.T).max() == 0


def main():
    program, work, collection, only, *seeds = sys.argv[1:]
    work, found, singular, counts = pathlib.Path(work), [], [], {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, path in matrices(program, pathlib.Path(collection), [int(s) for s in seeds] or [1, 2], folder):
            if only not in name or not (s := load(path, folder)):
                continue
            kind = "symmetric" if symmetric(s.a) else "general"
            files = [s.file("a.petsc"), s.file("b.petsc"), s.file("x.petsc")]
            peers = {"UMFPACK": ["solve_suitesparse", "umfpack"], "PARDISO": ["solve_pardiso", kind], "CHOLMOD": ["solve_suitesparse", "cholmod"]}
            if kind == "general":
                del peers["CHOLMOD"]
            solved, growth = [], 0
            for peer, (of, *words) in peers.items():
                error, _, x = run(s, [str(work / of), *words, *files])
                if error <= OFF:
                    solved.append(peer)
                    growth = s.weights.max() * abs(x).max() / abs(s.b).max()
            mine = [program, "solve", s.matrix, "--rhs", s.file("b.mtx"), "--threads", "2", "--json", "--output", s.file("x.mtx")]
            ways = {"default": [], "lu": ["--precond", "lu"]}
            if kind == "symmetric":
                ways["ldl"] = ["--precond", "ldl", "--method", "gmres"]
            if "CHOLMOD" in solved:
                ways["chol"] = ["--precond", "chol", "--method", "cg"]
            line = f"{name:45s}{s.n:8d}  condition over {growth:.0e}  {' '.join(solved) or 'no peer'};"
            for way, flags in ways.items():
                error, said, _ = run(s, [*mine, *flags])
                count = counts.setdefault(way, [0, 0, 0])
                count[2] += not solved and error <= OFF
                line += f"  {way} {error:.0e}"
                if solved:
                    count[0] += 1
                    count[1] += error <= OFF
                    if not error <= OFF or "singular" in said:
                        rightly = growth > SINGULAR and "inconsistent" in said
                        (singular if rightly else found).append(f"{name}, {way}: {error:.0e}, {said}; condition over {growth:.0e}; solved by {' '.join(solved)}")
                        line += f" ({said})"
            print(line, flush=True)
    print()
    for way, (of, solved, more) in counts.items():
        print(f"{way}: solves {solved} of the {of} that a peer solves, and {more} of the others")
    for title, lines in ("no solution, of a matrix that is numerically singular:", singular), ("not solved:", found):
        if lines:
            print(title, *lines, sep="\n  ")
    sys.exit(1 if found else 0)


main()
