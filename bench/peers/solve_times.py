"""The parts of solve.sh on times: large problems beside all peers, classes of systems that multigrid is for, and real matrices
beside direct solvers."""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import numpy
from solve_files import System
from solvers import TOLERANCE, amgcl, in_scipy, mpsolve, petsc, suitesparse

sys.path.append(str(pathlib.Path(__file__).parent.parent / "choice"))

# Generated problems, with what the peers may use: cg or bicgstab.
PROBLEMS = [
    ("poisson3d --n 100 --decades 4", "cg"),
    ("anisotropic2d --n 1000", "cg"),
    ("convdiff3d --n 100", "bicgstab"),
    ("elasticity3d --n 46 --decades 6", "cg"),
    ("powerlaw --n 1000000", "bicgstab"),
    ("darcy3d --n 80", "cg"),
    ("solid3d --n 56", "cg"),
]
QUICK_PROBLEMS = [("poisson3d --n 22 --decades 4", "cg"), ("convdiff3d --n 20", "bicgstab"), ("elasticity3d --n 12 --decades 6", "cg")]
LARGE_FILES = [("G3_circuit.mtx.gz", "cg")]

# Classes of ../choice and their numbers of rows, and the unknowns of a node.
CLASSES = [
    ("reservoir", 1_000_000, 1), ("tetrahedra", 250_000, 1), ("triangles", 500_000, 1), ("elasticity", 100_000, 3), ("axis", 100_000, 1),
    ("quadratic", 300_000, 1), ("heatmesh", 200_000, 1), ("powergrid", 500_000, 1),
]  # fmt: skip
QUICK_CLASSES = [("reservoir", 4_000, 1), ("axis", 3_000, 1)]

FIGURE = ["G3_circuit", "norne_tpfa_r1", "rail_79841", "lap3d_40", "Andrews", "memplus", "ginkgo_ir_A", "BentPipe2D100", "bcsstk16", "beam_tet_dof2475"]  # of the README

REDUCTIONS = [10.0 ** -k for k in range(7, 15)]  # of peers, the loosest first
HOPELESS = 4  # times as long as the best: one run is enough
SHORT = 0.02  # seconds of a peer below which the times of real matrices are not compared


def peers(work, method, rtol, size=1):
    """All ways to solve a problem with nodes of a size, each to a reduction of the residual."""
    ksp = {"cg": "cg", "bicgstab": "bcgs"}[method]
    stop = ["-ksp_type", ksp, "-ksp_norm_type", "unpreconditioned", "-ksp_rtol", str(rtol), "-ksp_max_it", "20000"]
    if method == "bicgstab":
        stop[stop.index("unpreconditioned")] = "preconditioned"  # all that PETSc offers from the left
    if size > 1:
        stop += ["-matload_block_size", str(size)]
    boomer = ["-pc_type", "hypre", "-pc_hypre_boomeramg_interp_type", "ext+i", "-pc_hypre_boomeramg_P_max", "4"]
    factors = "icc" if method == "cg" else "ilu"
    ways = [
        petsc(work, "Jacobi", 2, *stop, "-pc_type", "jacobi"),
        petsc(work, f"{factors.upper()}(0)", 2, *stop, "-pc_type", "bjacobi", "-sub_pc_type", factors),
        petsc(work, "hypre BoomerAMG", 2, *stop, "-pc_type", "hypre"),
        petsc(work, "hypre PMIS, ext+i", 2, *stop, *boomer, "-pc_hypre_boomeramg_coarsen_type", "PMIS"),
        petsc(work, "hypre HMIS, ext+i, aggressive", 2, *stop, *boomer, "-pc_hypre_boomeramg_coarsen_type", "HMIS", "-pc_hypre_boomeramg_agg_nl", "1"),
        petsc(work, "GAMG", 2, *stop, "-pc_type", "gamg"),
    ]
    if (work / "solve_amgcl").exists():
        ways += [amgcl(work, 2, method, pc, number, rtol) for pc in ["amg", "spai0"] for number in ["f64", "f32"]]
    return ways


def direct(work, method):
    return suitesparse(work, {"cg": "cholmod", "bicgstab": "umfpack"}[method], 2)


def times(work, args):
    """Large problems."""
    print(f"b = A·ones, to a row-wise backward error of {TOLERANCE:g}, computed from x in long double. Two threads, processes"
          " for PETSc. A peer stops at the loosest of ‖r‖/‖b‖ = 1e-7, 1e-8, … that reaches it. Set-up + solve in seconds, of"
          f" mpsolve at default flags all but reading, verdict and digits included; the least / the median of {args.repeat} rounds, in"
          f" which all take turns (of what took {HOPELESS} times as long as the best, one run, which is stopped if it takes longer still)."
          " Ratios are to the best peer. GAMG has the rigid motions of elastic bodies as near null space; mpsolve is given no"
          " coordinates. From file to x adds CHOLMOD's reader to the best peer.\n", file=args.output)
    print("| problem | n | nonzeros | solver | least | median | ratio | iterations | file to x |", file=args.output)
    print("|---|---:|---:|---|---:|---:|---:|---:|---:|", file=args.output)
    found = [mpsolve(work, "default", 2), mpsolve(work, "FP64 throughout", 2, "--formats", "FP64", "--precond-epsilon", "2^-53")]
    for name, method, system in large_problems(work, args):
        compare(work, args, name, method, system, 1, found)


def classes(work, args):
    """Systems of the classes that multigrid is for."""
    from classes import system as system_of

    print(f"Systems of the classes of bench/choice, seed {args.seed}, which picks matrix, size and right-hand side; the measure and the columns are those of"
          f" the table of large problems; the least / the median of {args.repeat} rounds. Nobody has coordinates; PETSc knows the size of nodes.\n", file=args.output)
    print("| system | n | nonzeros | solver | least | median | ratio | iterations | |", file=args.output)
    print("|---|---:|---:|---|---:|---:|---:|---:|---:|", file=args.output)
    found = [mpsolve(work, "default", 2), mpsolve(work, "cg + amg", 2, "--method", "cg", "--precond", "amg")]
    for name, rows, size in QUICK_CLASSES if args.quick else CLASSES:
        if args.problem not in name:
            continue
        with tempfile.TemporaryDirectory(dir=work) as folder:
            a, b, what = system_of(name, rows, args.seed)
            compare(work, args, f"{name}, {what}", "cg", System(pathlib.Path(folder), a=a, b=b), size, found)


def compare(work, args, name, method, system, size, found):
    """Runs mpsolve, in the ways found, and all peers on a system, and writes their lines of a table."""
    runs = {s: [s.run(system, args.limit)] for s in found}
    for k, s in enumerate(peers(work, method, 1, size)):
        if re.search(args.peer, s.name):
            reaching(lambda rtol, k=k: peers(work, method, rtol, size)[k], runs, system, patience(runs, args))
    s = direct(work, method)
    if re.search(args.peer, s.name):
        runs[s] = [s.run(system, patience(runs, args))]
    for _ in range(args.repeat - 1):
        best = least(runs, peer)
        for s, results in runs.items():
            if results[0].solved and (not peer(s) or seconds(results[0]) < HOPELESS * best):
                results.append(s.run(system, args.limit))
    best, file = least(runs, peer), None
    if ".mtx" in system.matrix and (reader := read_seconds(work, system)) is not None:
        file = best + reader
    for s, results in sorted(runs.items(), key=lambda item: (not item[1][0].solved, min(map(seconds, item[1])))):
        print(line(name, system, s, results, best, file), file=args.output, flush=True)
    print(f"{name}: {min(map(seconds, runs[found[0]])) / best:.2f} of the best peer", file=sys.stderr)


def peer(s):
    return s.package != "mpsolve"


def seconds(r):
    return r.setup + r.solve if r.solved else float("inf")


def least(runs, among):
    return min((seconds(r) for s, results in runs.items() if among(s) for r in results), default=float("inf"))


def patience(runs, args):
    """Seconds for a peer, with reading and writing: what takes longer is hopeless."""
    return min(args.limit, HOPELESS * least(runs, lambda s: True) + 5)


def reaching(way, runs, system, limit):
    """Adds the run with the loosest reduction that reaches the tolerance, or the last."""
    for rtol in REDUCTIONS:
        s = way(rtol)
        r = s.run(system, limit)
        if r.solved or r.failure or "CONVERGED" not in r.reason.upper():
            break
    runs[s] = [r]


def line(name, system, s, results, best, file):
    r = results[0]
    head = f"| {name} | {system.n} | {system.a.nnz} | {s.name} |"
    if not r.solved:
        return f"{head} {r.failure or f'{r.reason}, error {r.eta:.0e}'} | | | {r.iterations} | |"
    t = [seconds(r) for r in results]
    whole = ""
    if not peer(s) and file:
        whole = f"{min(r.whole for r in results):.2f}, ratio {min(r.whole for r in results) / file:.2f}"
    return f"{head} {min(t):.3f} | {statistics.median(t):.3f} | {min(t) / best:.2f} | {r.iterations} | {whole} |"


def read_seconds(work, system):
    """How long CHOLMOD takes to read the Matrix Market file."""
    path = system.matrix
    if path.endswith(".gz"):
        path = system.file("plain.mtx")
        with open(path, "wb") as f:
            subprocess.run(["gzip", "-dc", system.matrix], stdout=f, check=True)
    p = subprocess.run([str(work / "solve_suitesparse"), "read", path], stdout=subprocess.PIPE, check=False)
    return json.loads(p.stdout)["read"] if p.returncode == 0 else None


def large_problems(work, args):
    for kind, method in QUICK_PROBLEMS if args.quick else PROBLEMS:
        if args.problem not in kind:
            continue
        with tempfile.TemporaryDirectory(dir=work) as folder:
            path, nodes = os.path.join(folder, "a.mtx"), None
            command = [str(work / "mpsolve"), "generate", *kind.split(), "--output", path]
            if kind.split()[0] in ("elasticity3d", "solid3d"):
                nodes = os.path.join(folder, "xyz.mtx")
                command += ["--coordinates", nodes]
            subprocess.run(command, check=True)
            yield kind.replace("--n ", "n=").replace("--decades ", "decades="), method, System(pathlib.Path(folder), path, nodes)
    for name, method in [] if args.quick else LARGE_FILES:
        path = args.matrices / name
        if args.problem not in name:
            continue
        if not path.exists():
            print(f"{path}: not there", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory(dir=work) as folder:
            yield name.split(".")[0], method, System(pathlib.Path(folder), str(path))


def real(work, args, collection):
    """Real matrices beside direct solvers."""
    print(f"b = A·ones, two threads, set-up + solve in milliseconds, of mpsolve all but reading; the least of {args.repeat} runs in turns."
          f" Matrices that a direct solver solves, and that take that or mpsolve over {1000 * SHORT:g} ms.\n", file=args.output)
    print("| matrix | n | mpsolve | method | CHOLMOD | UMFPACK | ratio |", file=args.output)
    print("|---|---:|---:|---|---:|---:|---:|", file=args.output)
    ratios = []
    for name, path in collection(args):
        if args.problem not in name:
            continue
        with tempfile.TemporaryDirectory(dir=work) as folder:
            system = System(pathlib.Path(folder), path)
            solvers = [mpsolve(work, "default", 2), suitesparse(work, "umfpack", 2)]
            if abs(system.a - system.a.T).max() == 0:  # CHOLMOD reads one triangle only
                solvers.insert(1, suitesparse(work, "cholmod", 2))
            runs = [[s.run(system, args.limit) for s in solvers] for _ in range(args.repeat)]
        t = [min(map(seconds, column)) for column in zip(*runs)]
        if len(t) == 2:
            t.insert(1, float("inf"))
        best = min(t[1:])
        if best == float("inf") or max(t[0], best) < SHORT:
            continue
        ratios.append(t[0] / best)
        cells = [f"{1000 * v:.1f}" if v < float("inf") else "–" for v in t]
        print(f"| {name} | {system.n} | {cells[0]} | {runs[0][0].method} | {cells[1]} | {cells[2]} | {ratios[-1]:.2f} |", file=args.output, flush=True)
        print(f"{name}: {cells} {ratios[-1]:.2f}", file=sys.stderr)
    print(f"\nAt most 1.2 on {sum(r <= 1.2 for r in ratios)} of {len(ratios)}.", file=args.output)


def figure(work, args, collection):
    """Time and memory of real matrices beside peers, for the figure of the README: lines of tab-separated values."""
    print("matrix\trows\tnonzeros\tpackage\tway\tseconds\tbytes", file=args.output)
    paths = dict(collection(args))
    for name in FIGURE[-2:] if args.quick else FIGURE:
        if args.problem not in name or name not in paths:
            continue
        with tempfile.TemporaryDirectory(dir=work) as folder:
            a = System(pathlib.Path(folder), paths[name]).a
            system = System(pathlib.Path(folder), paths[name], b=a @ numpy.random.default_rng(1).uniform(-1, 1, a.shape[0]))
            symmetric = abs(a - a.T).max() == 0
            method = "cg" if symmetric and a.diagonal().min() > 0 else "bicgstab"
            fixed = [mpsolve(work, "default", 2), in_scipy("spsolve", "spsolve", 0), direct(work, method)]
            runs = {s: [s.run(system, args.limit)] for s in fixed}
            for k in range(len(peers(work, method, 1))):
                reaching(lambda rtol, k=k: peers(work, method, rtol)[k], runs, system, patience(runs, args))
            best = {}  # by package
            for s, results in runs.items():
                if results[0].solved and (s.package not in best or seconds(results[0]) < seconds(runs[best[s.package]][0])):
                    best[s.package] = s
            for _ in range(args.repeat - 1):
                for s in best.values():
                    runs[s].append(s.run(system, args.limit))
            for s in best.values():
                t, m = min(map(seconds, runs[s])), min(r.memory for r in runs[s])
                print(f"{name}\t{system.n}\t{a.nnz}\t{s.package}\t{s.title}\t{t:.4g}\t{m:.0f}", file=args.output, flush=True)
                print(f"{name}: {s.name} {t:.4g} s, {m / 1e6:.0f} MB", file=sys.stderr)
