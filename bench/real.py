#!/usr/bin/env python3
"""Compares the time of products with real matrices as `auto` stores them with the fastest FP64 CSR.

    bench/real.py MPSOLVE [--kernels SET] [--time 0.6s] [--threads 1] [--epsilon 2^-53,2^-37,2^-24] FILE...

Prints a line for each matrix, and the least and the median ratio. A matrix that auto
leaves in FP64 CSR counts as tuned CSR. All products of a matrix take turns; times are the least ones.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
p.add_argument("mpsolve")
p.add_argument("--kernels", default="", help="set of kernels (default: the processor's best)")
p.add_argument("--time", default="0.6s", help="for the products with one matrix")
p.add_argument("--threads", default="1")
p.add_argument("--epsilon", default="2^-53,2^-37,2^-24")
p.add_argument("--layouts", default="auto", help="auto, or all: says besides which layout would have been the fastest")
p.add_argument("files", nargs="+")
a = p.parse_args()

epsilons = a.epsilon.split(",")
env = dict(os.environ, **({"MPSOLVE_KERNELS": a.kernels} if a.kernels else {}))
print("| matrix | n | nonzeros | µs, tuned CSR | " + " | ".join(f"{e} | layout" for e in epsilons) + " |")
print("|---|---:|---:|---:|" + "---:|---|" * len(epsilons))
ratios = []
for file in a.files:
    run = subprocess.run(
        [a.mpsolve, "bench", "spmv", file, "--layout", a.layouts, "--epsilon", a.epsilon, "--threads", a.threads,
         "--json", "--bandwidth=false", "--repeat", "100000", "--time", a.time],
        env=env, capture_output=True, text=True)
    if run.returncode != 0:  # complex, or not square
        print(f"{file}: left out: {run.stderr.strip()}", file=sys.stderr)
        continue
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    csr = min(r["seconds_min"] for r in rows if r["layout"] in ("csr-ordinary", "csr-tuned"))
    tuned = next(r for r in rows if r["layout"] == "csr-tuned")
    cells = []
    for e in epsilons:
        value = eval(e.replace("^", "**"))
        alike = [r for r in rows if r["epsilon"] == value and r["formats"] == "AFX"]
        auto = next(r for r in alike if r["auto"])
        taken = tuned if auto["layout"] == "csr" else auto
        ratio = csr / taken["seconds_min"]
        ratios.append((ratio, os.path.basename(file), e))
        best = min((r for r in alike if r["layout"] != "csr"), key=lambda r: r["seconds_min"], default=taken)
        more = f", {best['layout']} {csr / best['seconds_min']:.2f}" if best["seconds_min"] < 0.97 * taken["seconds_min"] else ""
        cells.append(f"{ratio:.2f} | {auto['layout']}{more}")
    name = os.path.basename(file).removesuffix(".gz").removesuffix(".mtx")
    print(f"| {name} | {tuned['rows']} | {tuned['nnz']} | {1e6 * tuned['seconds_min']:.2f} | " + " | ".join(cells) + " |", flush=True)
ratios.sort()
low = ", ".join(f"{n} at {e} {r:.3f}" for r, n, e in ratios if r < 0.98)
print(f"\n{len(ratios)} choices: median {statistics.median(r for r, _, _ in ratios):.2f}, least {ratios[0][0]:.3f}, below 0.98: {low or 'none'}")
