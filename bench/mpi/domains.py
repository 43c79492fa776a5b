#!/usr/bin/env python3
"""Counts iterations by the number of domains, and as domains grow with n, in one process: ranks do not change them.

    bench/mpi/domains.py MPSOLVE [--precond amg] [--method auto] [--domains 1,2,8,64] [FILE...]
    bench/mpi/domains.py MPSOLVE --growth [--precond amg] [--rows 10000] [--largest 4000000]

The first form takes files or, without any, generated problems of about 10^5 unknowns, and compares with the fewest
domains. The second solves 7-point and elasticity problems of 10^4 unknowns and more, with a domain for each 10^4 (--rows).
The exit code is 1 if iterations grow by more than 1.25 or, with --growth, 1.3, or a solve fails.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

FIXED = ["poisson3d --n 46", "poisson3d --n 46 --decades 4", "anisotropic2d --n 320", "elasticity3d --n 32", "darcy3d --n 46", "poisson2d --n 320 --decades 4"]
GROWING = [("poisson3d", 3, 1), ("elasticity3d", 3, 3)]
SIZES = [10_000, 30_000, 100_000, 300_000, 1_000_000, 4_000_000]


def iterations(mpsolve, path, domains, args):
    """Iterations of a solve, or None if it does not converge; and the method that was used."""
    flags = ["--domains", str(domains), "--method", args.method]
    if args.precond:
        flags += ["--precond", args.precond]
    out = subprocess.run([mpsolve, "solve", path, "--json", *flags], capture_output=True, text=True)
    try:
        r = json.loads(out.stdout)
    except ValueError:
        sys.exit(f"{path}, {domains} domains: {out.stderr.strip()}")
    return (r["inner_iterations"] if r["converged"] else None), f"{r['method']} {r['preconditioner']['kind']}"


def generate(mpsolve, what, path):
    subprocess.run([mpsolve, "generate", *what.split(), "--output", path], check=True)


def fixed(args):
    counts = [int(d) for d in args.domains.split(",")]
    print("| matrix | " + " | ".join(f"{d} domains" for d in counts) + " | with |")
    print("|---|" + "---:|" * len(counts) + "---|")
    bad = False
    with tempfile.TemporaryDirectory() as folder:
        for name in args.files or FIXED:
            path = name
            if not args.files:
                path = os.path.join(folder, "a.mtx")
                generate(args.mpsolve, name, path)
            row = [iterations(args.mpsolve, path, d, args) for d in counts]
            its = [i for i, _ in row]
            miss = None in its or max(its) > 1.25 * its[0]
            bad |= miss
            print(f"| {os.path.basename(name)} | " + " | ".join(str(i or "not converged") for i in its) + f" | {row[0][1]}{', missed' if miss else ''} |", flush=True)
    return bad


def growth(args):
    print("| problem | n | domains | iterations |\n|---|---:|---:|---:|")
    bad = False
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.mtx")
        for kind, dimension, unknowns in GROWING:
            its = []
            for size in (s for s in SIZES if s <= args.largest):
                n = round((size / unknowns) ** (1 / dimension))
                generate(args.mpsolve, f"{kind} --n {n}", path)
                domains = max(1, round(unknowns * n**dimension / args.rows))
                its.append(iterations(args.mpsolve, path, domains, args)[0])
                print(f"| {kind} | {unknowns * n**dimension} | {domains} | {its[-1] or 'not converged'} |", flush=True)
            bad |= None in its or max(its) > 1.3 * its[0]
    return bad


p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
p.add_argument("mpsolve")
p.add_argument("--precond", default="amg", help="preconditioner; empty: by the rules")
p.add_argument("--method", default="auto")
p.add_argument("--domains", default="1,2,8,64")
p.add_argument("--growth", action="store_true")
p.add_argument("--rows", type=int, default=10_000, help="of a domain, with --growth")
p.add_argument("--largest", type=int, default=SIZES[-1])
p.add_argument("files", nargs="*")
a = p.parse_args()
sys.exit(growth(a) if a.growth else fixed(a))
