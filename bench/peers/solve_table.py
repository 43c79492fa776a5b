"""Runs the solves of solve.sh and writes their tables."""

import argparse
import csv
import io
import os
import pathlib
import subprocess
import sys
import tempfile

import scipy

from solve_files import System
from solve_times import classes, figure, real, times
from solvers import MEMORY, TOLERANCE, in_scipy, mpsolve, petsc

HERE = pathlib.Path(__file__).parent

# Where a page has these for a part, its tables go between them.
BEGIN, END = "<!-- measured: bench/peers/solve.sh --part {} -->", "<!-- end of measured, {} -->"
QUICK_FILES = ["nos4.mtx.gz", "west0479.mtx.gz", "pde900.mtx.gz"]

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
    p.add_argument("--part", choices=["times", "classes", "real", "robustness", "figure"])
    p.add_argument("--matrices", type=pathlib.Path, default=HERE / "../../../shared/matrices")
    p.add_argument("--limit", type=float, default=120)
    p.add_argument("--repeat", type=int, default=3)
    p.add_argument("--seed", type=int, default=16, help="of the systems of classes")
    p.add_argument("--quick", action="store_true")
    p.add_argument("--problem", default="", help="of times and real those only whose name holds this")
    p.add_argument("--peer", default="", help="of times only the peers whose name matches this regular expression")
    p.add_argument("output", type=pathlib.Path)
    args = p.parse_args()
    page, tables = args.output, {}
    versions = subprocess.run(["pkg-config", "--modversion", "PETSc"], capture_output=True, text=True).stdout.strip()
    parts = {"times": times, "classes": classes, "real": lambda *a: real(*a, collection), "robustness": robustness}
    if args.part == "figure":
        parts["figure"] = lambda *a: figure(*a, collection)
    for part in [args.part] if args.part else parts:
        args.output = io.StringIO()
        print(f"{processor()}, {os.cpu_count()} threads; PETSc {versions}, SciPy {scipy.__version__}.\n", file=args.output)
        parts[part](args.work, args)
        tables[part] = args.output.getvalue()
    write(page, tables)


def write(page, tables):
    """Writes the tables: of each part between its markers, if the page has any."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    if not any(BEGIN.format(part) in text for part in tables):
        page.write_text("\n".join(tables.values()), encoding="utf-8")
        return
    for part, table in tables.items():
        head, begin, rest = text.partition(BEGIN.format(part))
        _, end, tail = rest.partition(END.format(part))
        if end:
            text = f"{head}{begin}\n\n{table}\n{end}{tail}"
    page.write_text(text, encoding="utf-8")


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        names = [line.split(":")[1].strip() for line in f if line.startswith("model name")]
    return names[0] if names else "unknown processor"


if __name__ == "__main__":
    main()
