#!/usr/bin/env bash
# Times y = A x in plain C by gcc and clang (-O3 -march=native), Eigen, MKL, SciPy and PETSc, those that are
# installed, with a matrix of `mpsolve generate`; prints a JSON line for each. C, Eigen and MKL run on each
# number of --threads (default 1), by OpenMP; SciPy and PETSc on one.
#
#   bench/peers/spmv.sh [--install] [--repeat N] [--threads 1,2] KIND [--n N ...]
#   bench/peers/spmv.sh elasticity3d --n 46
#
# --install installs them first, with apt-get (Debian), but not MKL, which is in the section non-free
# (libmkl-dev). The same matrix in mpsolve:
#   mpsolve bench spmv --json --threads 1 --generate elasticity3d,n=46
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/common.sh"
repeat=20
threads=1

while (($#)); do
  case $1 in
    --install)
      apt-get update -q
      apt-get install -y -q g++ gcc clang-19 libomp-19-dev pkg-config python3-scipy libeigen3-dev petsc-dev mpi-default-dev
      shift
      ;;
    --repeat)
      repeat=${2:?number of repetitions}
      shift 2
      ;;
    --threads)
      threads=${2:?list of numbers of threads}
      shift 2
      ;;
    *) break ;;
  esac
done
if ! (($#)); then
  usage "$0"
  exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
absent() { echo "$1: not found" >&2; }

go -C "$here/../.." build -o "$work/mpsolve" ./cmd/mpsolve
"$work/mpsolve" generate "$@" --output "$work/matrix.mtx"
name=$1$(printf ' %s' "${@:2}" | sed 's/ *--\([a-z]*\)[ =]/,\1=/g; s/ *$//')

scipy() {
  local python
  if python=$(scipy_python); then
    OMP_NUM_THREADS=1 "$python" "$here/spmv_scipy.py" "$work/matrix.mtx" "$name" "$repeat"
  else
    absent SciPy
  fi
}

# compiled NAME THREADS COMPILER ARGS... makes a program, and runs it on each number of threads.
compiled() {
  local program=$work/$1 count
  "${@:3}" -o "$program"
  for count in ${2//,/ }; do
    OMP_NUM_THREADS=$count OMP_PROC_BIND=true "$program" "$work/matrix.mtx" "$name" "$repeat"
  done
}

# plain COMPILER: a loop in C, on one thread if the compiler has no OpenMP.
plain() {
  if command -v "$1" >/dev/null; then
    if echo '#include <omp.h>' | "$1" -fopenmp -x c -fsyntax-only - 2>/dev/null; then
      compiled "c-$1" "$threads" "$1" -O3 -march=native -fopenmp "$here/spmv_c.c" -lm
    else
      compiled "c-$1" 1 "$1" -O3 -march=native "$here/spmv_c.c" -lm
    fi
  else
    absent "$1"
  fi
}

eigen() {
  local dir=/usr/include/eigen3
  if [[ -d $dir ]]; then
    compiled eigen "$threads" "${CXX:-g++}" -fopenmp -O3 -march=native -DNDEBUG -I"$dir" "$here/spmv_eigen.cpp"
  else
    absent Eigen
  fi
}

mkl() {
  local dir=/usr/include/mkl
  if [[ -d $dir ]]; then
    compiled mkl "$threads" gcc -O3 -march=native -fopenmp -rdynamic -I"$dir" "$here/spmv_mkl.c" -Wl,--no-as-needed -lgomp -lmkl_rt -lm
  else
    absent MKL
  fi
}

petsc() {
  local flags
  if command -v mpicc >/dev/null && flags=$(pkg-config --cflags --libs PETSc 2>/dev/null); then
    # shellcheck disable=SC2086 # several words
    compiled petsc 1 mpicc -O3 -march=native "$here/spmv_petsc.c" $flags -lm
  else
    absent 'PETSc or mpicc'
  fi
}

plain gcc
plain clang-19
scipy
eigen
MKL_THREADING_LAYER=GNU mkl
petsc
