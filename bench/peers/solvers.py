"""Ways to solve a system, by mpsolve and by its peers: commands that write x and print JSON."""

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

from solve_files import read_solution

HERE = pathlib.Path(__file__).parent
TOLERANCE = 1e-10  # of the row-wise backward error
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
    whole: float = 0  # with reading
    memory: float = 0  # bytes: the peak of the process, or of the largest one times their number
    method: str = ""
    eta: float = float("inf")
    residual: float = float("inf")

    @property
    def solved(self):
        return self.eta <= TOLERANCE and self.residual < 1


@dataclass(eq=False)
class Solver:
    """One way to solve a system. Its command ends with what depends on the system."""
    package: str
    title: str
    threads: int
    command: list
    solution: str  # name of its file
    arguments: callable

    @property
    def name(self):
        return f"{self.package}, {self.title}"

    @property
    def omp(self):
        return "1" if self.package in ("PETSc", "SciPy") else str(self.threads)

    def run(self, system, limit):
        path = system.file(self.solution)
        pathlib.Path(path).unlink(missing_ok=True)
        with tempfile.NamedTemporaryFile("r") as peak:
            p = subprocess.Popen(["time", "-f", "%M", "-o", peak.name] + self.command + self.arguments(system, path), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, start_new_session=True, preexec_fn=limit_memory,
                                 env=dict(os.environ, OMP_NUM_THREADS=self.omp, OPENBLAS_NUM_THREADS=self.omp))
            try:
                out, err = p.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)
                p.communicate()
                return Result("time")
            kilobytes = peak.read().split()[-1]
        if not out.startswith("{") or not os.path.exists(path):
            if self.package == "mpsolve" and p.returncode == 2:
                return Result(NOT_OFFERED)
            return Result(explain(err, p.returncode))
        r = self.parse(json.loads(out))
        r.memory = 1024 * int(kilobytes) * (self.threads if "mpirun" in self.command else 1)
        r.eta, r.residual = system.errors(read_solution(path))
        return r

    def parse(self, report):
        if self.package == "mpsolve":
            s = report["seconds"]
            way = f'{report["method"]}, {report["preconditioner"]["kind"]}'
            return Result("", s["build"], s["total"] - s["read"] - s["build"], report["inner_iterations"], report["reason"], s["total"], way)
        return Result("", report["setup"], report["solve"], report["iterations"], report["reason"])


def limit_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def explain(err, code):
    """The line of an error output that says what went wrong."""
    if re.search("MemoryError|[Oo]ut of memory|malloc", err) or code in (-signal.SIGKILL, 128 + signal.SIGKILL):
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


def suitesparse(work, name, threads):
    titles = {"cholmod": "CHOLMOD", "umfpack": "UMFPACK"}
    command = [str(work / "solve_suitesparse"), name]
    return Solver("SuiteSparse", titles[name], threads, command, "x.petsc", lambda system, path: [
        system.file("a.petsc"), system.file("b.petsc"), path])


def amgcl(work, threads, method, preconditioner, number, rtol):
    title = f"{method} + {preconditioner}, {number}"
    return Solver("amgcl", title, threads, [str(work / "solve_amgcl")], "x.petsc", lambda system, path: [
        system.file("a.petsc"), system.file("b.petsc"), path, str(rtol), method, preconditioner, number])
