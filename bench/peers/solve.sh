#!/usr/bin/env bash
# Compares whole solves of mpsolve, PETSc and SciPy; writes tables in Markdown.
#
#   bench/peers/solve.sh [--install] [OPTION...] OUTPUT.md
#   bench/peers/solve.sh --quick /tmp/solve.md
#
# --install installs the peers first, with apt-get (Debian). OPTIONs are those of
# solve_table.py:
#   --part times|robustness  one of the two parts only: times of large problems, or
#                            who solves each matrix of a collection at default flags
#   --matrices DIR           the collection, with its INDEX.tsv
#   --limit SECONDS          for one solve (120)
#   --repeat N               runs of each solve in the first part; the fastest counts (1)
#   --problem TEXT           of the first part problems only whose name holds this
#   --package NAME           of the first part one of mpsolve, PETSc and SciPy only
#   --quick                  a few small problems, to see that all works
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

if [[ ${1-} == --install ]]; then
  apt-get update -q
  apt-get install -y -q gcc pkg-config python3-scipy petsc-dev mpi-default-dev
  shift
fi
if ! (($#)); then
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
  exit 2
fi

missing() {
  echo "$1 is not installed; Debian has it in $2" >&2
  exit 1
}

python=
for p in python3 /usr/bin/python3; do
  if "$p" -c 'import scipy' 2>/dev/null; then
    python=$p
    break
  fi
done
[[ $python ]] || missing SciPy python3-scipy
for p in mpicc mpirun; do
  command -v $p >/dev/null || missing $p mpi-default-dev
done
flags=$(pkg-config --cflags --libs PETSc 2>/dev/null) || missing PETSc petsc-dev

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go -C "$here/../.." build -o "$work/mpsolve" ./cmd/mpsolve
# shellcheck disable=SC2086 # several words
mpicc -O3 -march=native -o "$work/solve_petsc" "$here/solve_petsc.c" $flags
"$python" -B "$here/solve_table.py" --work "$work" "$@"
