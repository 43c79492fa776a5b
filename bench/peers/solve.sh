#!/usr/bin/env bash
# Compares whole solves of mpsolve, PETSc (with hypre), SuiteSparse, amgcl and SciPy; writes
# tables in Markdown.
#
#   bench/peers/solve.sh [--install] [--amgcl DIR] [OPTION...] OUTPUT.md
#   bench/peers/solve.sh --quick /tmp/solve.md
#
# --install installs the peers first, with apt-get (Debian). --amgcl is the folder of amgcl's
# headers, which Debian does not have. OPTIONs are options of solve_table.py:
#   --part times|classes|real|robustness|figure
#                     one part only: times of large problems, of systems of the classes for multigrid, times of real matrices beside
#                     direct solvers, who solves each matrix of a collection, or time and memory of real matrices for the figure of the README
#   --matrices DIR    the collection, with its INDEX.tsv
#   --limit SECONDS   for one solve (120)
#   --repeat N        rounds in which times are measured (3)
#   --seed N          of the systems of classes (16)
#   --problem TEXT    problems and matrices only whose name holds this
#   --peer REGEXP     times beside those peers only whose name matches
#   --quick           a few small problems, to see that all works
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/common.sh"

if [[ ${1-} == --install ]]; then
  apt-get update -q
  apt-get install -y -q g++ pkg-config python3-scipy petsc-dev libsuitesparse-dev mpi-default-dev time
  shift
fi
amgcl=
if [[ ${1-} == --amgcl ]]; then
  amgcl=$2
  shift 2
fi
if ! (($#)); then
  usage "$0"
  exit 2
fi

python=$(scipy_python) || missing SciPy python3-scipy
for p in mpicc mpirun; do
  command -v $p >/dev/null || missing $p mpi-default-dev
done
type -P time >/dev/null || missing time time
flags=$(pkg-config --cflags --libs PETSc 2>/dev/null) || missing PETSc petsc-dev

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go -C "$here/../.." build -o "$work/mpsolve" ./cmd/mpsolve
# shellcheck disable=SC2086 # several words
mpicc -O3 -march=native -o "$work/solve_petsc" "$here/solve_petsc.c" $flags
cc -O3 -march=native -o "$work/solve_suitesparse" "$here/solve_suitesparse.c" -I/usr/include/suitesparse -lumfpack -lcholmod -lklu -lm
if [[ $amgcl ]]; then
  c++ -std=c++17 -O3 -march=native -fopenmp -DAMGCL_NO_BOOST -I "$amgcl" -o "$work/solve_amgcl" "$here/solve_amgcl.cpp"
fi
"$python" -B "$here/solve_table.py" --work "$work" "$@"
