#!/usr/bin/env bash
# Compares mpsolve, by default and with complete factors, with the direct solvers MKL PARDISO, MUMPS, CHOLMOD, UMFPACK and KLU, on the systems
# of systems.py with random right-hand sides: seconds of set-up and solve, the verified row-wise error, memory of the factors, also divided
# by what PARDISO keeps and by its numbers in FP64 alone, and the most memory of the process.
#
#   bench/peers/factors.sh MPSOLVE [SEED [CLASS ROWS]...]
#
# Without classes: those of docs/complete-factors.md; those of ../choice are there too. It needs SciPy, and measures the solvers that are installed: Debian's libmkl-dev (section
# non-free), libmumps-seq-dev, libsuitesparse-dev. Two threads.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/common.sh"
needs_program "$@"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O3 -march=native -fopenmp -I/usr/include/mkl "$here/solve_pardiso.c" -o "$work/solve_pardiso" -Wl,--no-as-needed -lgomp -lmkl_rt -lm 2>"$work/log" || echo 'without PARDISO' >&2
cc -O3 -march=native -I/usr/include/mumps_seq "$here/solve_mumps.c" -o "$work/solve_mumps" -ldmumps_seq 2>"$work/log" || echo 'without MUMPS' >&2
cc -O3 -march=native "$here/solve_suitesparse.c" -I/usr/include/suitesparse -o "$work/solve_suitesparse" -lumfpack -lcholmod -lklu -lm 2>"$work/log" || echo 'without CHOLMOD, UMFPACK and KLU' >&2
python=$(scipy_python) || missing SciPy python3-scipy
program=$(realpath "$1")
shift
PYTHONPATH=$here/../choice MKL_THREADING_LAYER=GNU MKL_NUM_THREADS=2 OMP_NUM_THREADS=2 "$python" -B "$here/factors.py" "$program" "$work" "$@"
