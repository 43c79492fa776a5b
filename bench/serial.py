#!/usr/bin/env python3
"""Shows for how much of the time of a solve only one core is busy, and where.

bench/serial.py MPSOLVE FILE... solves each file with default flags and two threads under perf (of
Linux), which samples each running thread 2000 times a second. A millisecond with samples of one
thread is serial, one without samples is idle (or waits for the disk). The table has the serial and
the idle share of the wall time, including reading, the largest speedup of 64 cores by Amdahl's law
if everything else were spread evenly, and the functions of mpsolve that take most of the serial time,
in percent of the wall time.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

BIN = 1e-3  # seconds
CORES = 64


def samples(mpsolve, file, data):
    """Yields the time, the thread and the functions, innermost first, of each sample."""
    subprocess.run(
        ["perf", "record", "-e", "cpu-clock", "-F", "2000", "-g", "-o", data, mpsolve, "solve", file, "--threads", "2", "--json"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    script = subprocess.run(["perf", "script", "-i", data, "-F", "tid,time,ip,sym"], check=True, capture_output=True, text=True)
    for text in script.stdout.split("\n\n"):
        lines = text.strip().split("\n")
        head = re.match(r"\s*(\d+)\s+([\d.]+):", lines[0])
        if head:
            yield float(head[2]), int(head[1]), [line.split(None, 1)[-1] for line in lines[1:]]


def place(stack):
    """Returns the innermost function of mpsolve, or of what runs it."""
    for function in stack:
        found = re.search(r"mpsolve/(?:pkg|internal)/([\w/]+\.\S*)", function)
        if found:
            return re.sub(r"\[.*|\.func\d.*", "", found[1])
    for function in stack:
        if function.startswith("runtime."):
            return "runtime"
    return "system"


def main():
    mpsolve, files = sys.argv[1], sys.argv[2:]
    print(f"| problem | wall s | cores busy | one core | none | limit of {CORES} cores | where one core is busy |")
    print("|---|---:|---:|---:|---:|---:|---|")
    for file in files:
        bins = collections.defaultdict(lambda: collections.defaultdict(list))
        with tempfile.TemporaryDirectory() as folder:
            for time, thread, stack in samples(mpsolve, file, os.path.join(folder, "perf.data")):
                bins[int(time / BIN)][thread].append(stack)
        wall = max(bins) - min(bins) + 1
        serial, busy, where = 0, 0, collections.Counter()
        for threads in bins.values():
            busy += min(len(threads), 2)
            if len(threads) == 1:
                serial += 1
                where[place(next(iter(threads.values()))[0])] += 1
        idle = wall - len(bins)
        share = (serial + idle) / wall
        most = CORES / (1 + share * (CORES - 1)) if share < 1 else 1
        rest = ", ".join(f"{name} {100 * n / wall:.1f}" for name, n in where.most_common(6))
        name = os.path.basename(file).split(".")[0]
        print(f"| {name} | {wall * BIN:.2f} | {busy / wall:.2f} | {100 * serial / wall:.0f} % | {100 * idle / wall:.0f} % | {most:.1f} | {rest} |", flush=True)


main()
