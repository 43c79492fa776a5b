#!/usr/bin/env bash
# Looks for matrices that UMFPACK or PARDISO solves to a row-wise error of 1e-10, with a random right-hand side, and mpsolve does not: by
# default, with complete factors by `--precond lu`, `ldl` with GMRES where A is symmetric, and `chol` with CG where CHOLMOD solves.
#
#   bench/peers/sweep.sh MPSOLVE [FOLDER [TEXT [SEED...]]]
#
# The matrices are the real and square ones of the folder (../shared/matrices), and each kind of `mpsolve generate`
# in three sizes and two seeds (1 2); with TEXT, those only whose name holds it. It needs SciPy, Debian's libsuitesparse-dev, and libmkl-dev
# (section non-free) for PARDISO. The exit code is 1 if there is such a matrix, or one that a peer solves and mpsolve calls singular; but a random b
# has no solution where A is singular: an x beyond the condition number 1e14 is not held against "inconsistent".
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/common.sh"
needs_program "$@"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O3 -march=native "$here/solve_suitesparse.c" -I/usr/include/suitesparse -o "$work/solve_suitesparse" -lumfpack -lcholmod -lklu -lm
cc -O3 -march=native -fopenmp -I/usr/include/mkl "$here/solve_pardiso.c" -o "$work/solve_pardiso" -Wl,--no-as-needed -lgomp -lmkl_rt -lm
python=$(scipy_python) || missing SciPy python3-scipy
program=$(realpath "$1")
folder=${2-$here/../../../shared/matrices}
export MKL_THREADING_LAYER=GNU MKL_NUM_THREADS=2 OMP_NUM_THREADS=2
nice "$python" -B "$here/sweep.py" "$program" "$work" "$folder" "${3-}" "${@:4}"
