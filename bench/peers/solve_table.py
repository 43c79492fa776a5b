"""Runs the solves of solve.sh and writes their tables."""

import argparse
import csv
import io
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import scipy

from solve_files import System, read_solution

HERE = pathlib.Path(__file__).parent
TOLERANCE = 1e-10  # of the row-wise backward error, in the part on robustness
REDUCTION = 1e-8  # of ||r||/||b||, in the part on times

# Values of mpsolve's --precond whose times are compared; "" is without the flag. What
# mpsolve does not know is left out.
MPSOLVE_PRECONDITIONERS = ["", "none", "jacobi", "ic0", "chebyshev", "fsai", "amg"]

# Where a page has these, the tables go between them.
BEGIN, END = "<!-- measured: bench/peers/solve.sh docs/solvers.md -->", "<!-- end of measured, peers -->"
PETSC_PRECONDITIONERS = {"Jacobi": "jacobi", "ICC(0)": "icc", "GAMG": "gamg"}

# Generated problems, the smallest first: kind, then parameters.
PROBLEMS = [
    ["poisson3d", "--n", "22", "--decades", "4"],
    ["poisson3d", "--n", "46", "--decades", "4"],
    ["poisson3d", "--n", "100", "--decades", "4"],
    ["elasticity3d", "--n", "15"],
    ["elasticity3d", "--n", "32"],
    ["elasticity3d", "--n", "46"],
]
LARGE_FILES = ["G3_circuit.mtx.gz"]
QUICK_FILES = ["nos4.mtx.gz", "west0479.mtx.gz", "pde900.mtx.gz"]

MEMORY = 8 << 30  # bytes that a solve may take
NOT_OFFERED = "not offered"


@dataclass
class Result:
    """Of one solve; failure says why there is no x."""
    failure: str = ""
    setup: float = 0
    solve: float = 0
    iterations: int = 0
    reason: str = ""
    eta: float = float("inf")
    residual: float = float("inf")

    @property
    def solved(self):
        return self.eta <= TOLERANCE and self.residual < 1


@dataclass
class Solver:
    """One way to solve a system. Its command ends with what depends on the system."""
    package: str
    title: str
    threads: int
    command: list
    solution: str  # name of its file
    arguments: callable

    def run(self, system, limit):
        path = system.file(self.solution)
        pathlib.Path(path).unlink(missing_ok=True)
        p = subprocess.Popen(self.command + self.arguments(system, path), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, start_new_session=True, preexec_fn=limit_memory,
                             env=dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"))
        try:
            out, err = p.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            p.communicate()
            return Result("time")
        if not out.startswith("{") or not os.path.exists(path):
            if self.package == "mpsolve" and p.returncode == 2:
                return Result(NOT_OFFERED)
            return Result(explain(err, p.returncode))
        r = self.parse(json.loads(out))
        r.eta, r.residual = system.errors(read_solution(path))
        return r

    def parse(self, report):
        if self.package == "mpsolve":
            s = report["seconds"]
            return Result("", s["build"], s["solve"], report["inner_iterations"], report["reason"])
        return Result("", report["setup"], report["solve"], report["iterations"], report["reason"])


def limit_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def explain(err, code):
    """The line of an error output that says what went wrong."""
    if re.search("MemoryError|[Oo]ut of memory|malloc", err) or code == -signal.SIGKILL:
        return "memory"
    petsc = re.findall(r"PETSC ERROR: (.*)", err)
    if petsc:
        about = [text for text in petsc if re.search("diagonal|pivot|singular", text)]
        return (about or petsc[1:2] or petsc)[0].strip()
    lines = [text for text in err.splitlines() if text.strip()]
    return re.sub(r"^\w+Error: ", "", lines[-1]).strip() if lines else f"exit code {code}"


def mpsolve(work, title, threads, *flags):
    command = [str(work / "mpsolve"), "solve"]

    def arguments(system, path):
        nodes = ["--coordinates", system.file("xyz.mtx")] if system.coordinates and "amg" in flags else []
        return [system.matrix, "--rhs", system.file("b.mtx"), "--output", path, "--json",
                "--max-memory", f"{MEMORY >> 30}GB", "--threads", str(threads), *flags, *nodes]

    return Solver("mpsolve", title, threads, command, "x.mtx", arguments)


def petsc(work, title, processes, *options):
    command = [str(work / "solve_petsc")]
    if processes > 1:
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(processes)] + command

    def arguments(system, path):
        nodes = ["-coordinates", system.coordinates] if system.coordinates else []
        return [system.file("a.petsc"), system.file("b.petsc"), path, *nodes, *options]

    return Solver("PETSc", title, processes, command, "x.petsc", arguments)


def in_scipy(title, method, rtol):
    command = [sys.executable, str(HERE / "solve_scipy.py"), method]
    return Solver("SciPy", title, 1, command, "x.npy", lambda system, path: [
        system.file("a.npz"), system.file("b.npy"), path, str(rtol)])


def times(work, args):
    """The part on large symmetric positive definite systems."""
    print(f"Symmetric positive definite systems, b = A·ones, to ‖r‖₂/‖b‖₂ ≤ {REDUCTION:g} from x = 0. Threads are"
          " processes for PETSc, whose ICC is block Jacobi with a block for each; GAMG has the rigid"
          " motions as near null space in elasticity. PETSc and SciPy are the builds of the distribution."
          " Reading and verifying are left out. The residual is recomputed from x in long double."
          + (f" Fastest of {args.repeat} runs." if args.repeat > 1 else "") + "\n", file=args.output)
    print("| problem | n | solver | preconditioner | threads | set-up, s | solve, s | both, s | iterations | ‖r‖₂/‖b‖₂ |", file=args.output)
    print("|---|---:|---|---|---:|---:|---:|---:|---:|---|", file=args.output)
    cg = ["-ksp_type", "cg", "-ksp_norm_type", "unpreconditioned", "-ksp_rtol", str(REDUCTION), "-ksp_max_it", "50000"]
    stop = ["--stop", "rel", "--tol", str(REDUCTION)]
    solvers = []
    for threads in [1, 2]:
        for name in MPSOLVE_PRECONDITIONERS:
            flags = ["--precond", name] if name else []
            solvers.append(mpsolve(work, name or "default", threads, *stop, *flags))
        for title, name in PETSC_PRECONDITIONERS.items():
            # PETSc's ICC works on one process only; with more it takes their blocks.
            pc = ["-pc_type", "bjacobi", "-sub_pc_type", name] if name == "icc" and threads > 1 else ["-pc_type", name]
            solvers.append(petsc(work, title, threads, *cg, *pc))
    solvers.append(in_scipy("Jacobi", "cg+jacobi", REDUCTION))
    for name, system in large_problems(work, args):
        for s in solvers:
            if args.package and s.package != args.package:
                continue
            results = [s.run(system, args.limit) for _ in range(args.repeat)]
            r = min(results, key=lambda r: (r.failure, r.setup + r.solve))
            if r.failure == NOT_OFFERED:
                continue
            if r.failure:
                figures = f"| | | | {r.failure}"
            else:
                met = "" if r.residual <= REDUCTION else " (missed)"
                figures = f"{r.setup:.3f} | {r.solve:.3f} | {r.setup + r.solve:.3f} | {r.iterations} | {r.residual:.1e}{met}"
            print(f"| {name} | {system.n} | {s.package} | {s.title} | {s.threads} | {figures} |", file=args.output, flush=True)


def large_problems(work, args):
    problems = [p for p in PROBLEMS if p[2] in ("15", "22")] if args.quick else PROBLEMS
    for kind in problems:
        title = " ".join(kind).replace("--n ", "n=").replace("--decades ", "decades=")
        if args.problem not in title:
            continue
        with tempfile.TemporaryDirectory(dir=work) as folder:
            path, nodes = os.path.join(folder, "a.mtx"), None
            command = [str(work / "mpsolve"), "generate", *kind, "--output", path]
            if kind[0] == "elasticity3d":
                nodes = os.path.join(folder, "xyz.mtx")
                command += ["--coordinates", nodes]
            subprocess.run(command, check=True)
            yield title, System(pathlib.Path(folder), path, nodes)
    for name in [] if args.quick else LARGE_FILES:
        path = args.matrices / name
        if args.problem not in name:
            continue
        if not path.exists():
            print(f"{path}: not there", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory(dir=work) as folder:
            yield name.split(".")[0], System(pathlib.Path(folder), str(path))


def robustness(work, args):
    """The part on who solves what."""
    solvers = [
        mpsolve(work, "mpsolve, default", os.cpu_count()),
        petsc(work, "PETSc, default", 1),
        petsc(work, "PETSc, default, rtol 1e-12", 1, "-ksp_rtol", "1e-12", "-ksp_max_it", "20000"),
        in_scipy("SciPy, gmres(40) + spilu", "gmres+spilu", 1e-12),
        in_scipy("SciPy, gmres(40) + Jacobi", "gmres+jacobi", 1e-12),
        in_scipy("SciPy, spsolve (direct)", "spsolve", 0),
    ]
    rows, seen, counts = [], 0, [0] * len(solvers)
    for name, path in collection(args):
        with tempfile.TemporaryDirectory(dir=work) as folder:
            system = System(pathlib.Path(folder), path)
            results = [s.run(system, args.limit) for s in solvers]
        seen += 1
        counts = [c + r.solved for c, r in zip(counts, results)]
        rows.append(f"| {name} | {system.n} | " + " | ".join(map(cell, results)) + " |")
        print(rows[-1], file=sys.stderr)
    print(f"Every real square matrix of the collection, b = A·ones. Solved is a row-wise backward error"
          f" η_row = max_i |b − A x|_i / (Σ_j |a_ij| ‖x‖_∞ + |b_i|) ≤ {TOLERANCE:g} (and ‖r‖₂ < ‖b‖₂), computed from x in"
          f" long double; in bold, what is not. Limits: {args.limit:g} s and {MEMORY >> 30} GB. PETSc's default is GMRES(30)"
          " with ILU(0) to rtol 1e-5; the other iterative peers stop at rtol 1e-12 or 20000 iterations.\n", file=args.output)
    print("| matrix | n | " + " | ".join(s.title for s in solvers) + " |", file=args.output)
    print("|---|---:|" + "---|" * len(solvers), file=args.output)
    print(f"| **solved, of {seen}** | | " + " | ".join(f"**{c}**" for c in counts) + " |", file=args.output)
    print(*rows, sep="\n", file=args.output, flush=True)


def cell(r):
    if r.failure:
        return f"**{r.failure.replace('|', '/')}**"
    text = f"{r.eta:.1e}" if r.eta < float("inf") else r.reason
    return text if r.solved else f"**{text}**"


def collection(args):
    with open(args.matrices / "INDEX.tsv", newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f, delimiter="\t"):
            if row["shape"] != "square" or row["field"] == "complex" or args.quick and row["file"] not in QUICK_FILES:
                continue
            yield row["name"], str(args.matrices / row["file"])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--work", type=pathlib.Path, required=True, help="folder with mpsolve and solve_petsc")
    p.add_argument("--part", choices=["times", "robustness"])
    p.add_argument("--matrices", type=pathlib.Path, default=HERE / "../../../shared/matrices")
    p.add_argument("--limit", type=float, default=120)
    p.add_argument("--repeat", type=int, default=1)
    p.add_argument("--quick", action="store_true")
    p.add_argument("--problem", default="", help="of the first part those only whose name holds this")
    p.add_argument("--package", help="of the first part this one only")
    p.add_argument("output", type=pathlib.Path)
    args = p.parse_args()
    page, args.output = args.output, io.StringIO()
    versions = subprocess.run(["pkg-config", "--modversion", "PETSc"], capture_output=True, text=True).stdout.strip()
    print(f"{processor()}, {os.cpu_count()} threads; PETSc {versions}, SciPy {scipy.__version__}.\n", file=args.output)
    if args.part != "times":
        robustness(args.work, args)
        print(file=args.output)
    if args.part != "robustness":
        times(args.work, args)
    write(page, args.output.getvalue())


def write(page, text):
    """Writes the tables, between the markers of a page that has them."""
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    head, begin, rest = old.partition(BEGIN)
    _, end, tail = rest.partition(END)
    page.write_text(f"{head}{begin}\n\n{text}\n{end}{tail}" if end else text, encoding="utf-8")


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        names = [line.split(":")[1].strip() for line in f if line.startswith("model name")]
    return names[0] if names else "unknown processor"


if __name__ == "__main__":
    main()
