#!/usr/bin/env bash
# Records the results of solves, bit for bit: the checksum of x and the figures of the report that
# depend on no clock and no wording. Two recordings differ only where results differ:
#
#   bench/bits.sh bin/mpsolve >after.txt; diff before.txt after.txt
#
# usage: bench/bits.sh MPSOLVE [FOLDER]; the folder of real matrices is ../shared/matrices by default.
set -euo pipefail

mpsolve=$1 folder=${2:-../shared/matrices}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# record NAME FLAG... solves $work/NAME or a real matrix and prints one line.
record() {
  local name=$1 status=0 x=none
  shift
  local file=$folder/$name.mtx.gz
  [[ -e $work/$name.mtx ]] && file=$work/$name.mtx
  rm -f "$work/x.mtx"
  "$mpsolve" solve "$file" --json --max-iter 4000 --output "$work/x.mtx" "$@" >"$work/report" 2>/dev/null || status=$?
  [[ -e $work/x.mtx ]] && x=$(grep -v '^%' "$work/x.mtx" | sha256sum | cut -c 1-16)
  printf '%s %s: exit %d, x %s,' "$name" "$*" "$status" "$x"
  grep -oE '"(method|outer_iterations|inner_iterations|spmv_count|epsilon|row|normwise|componentwise|relative_residual|stored|stored_bytes|value_bytes)":[^,}]*' \
    "$work/report" | tr '\n' ',' || true
  echo
}

generate() { "$mpsolve" generate "${@:2}" --output "$work/$1.mtx" >/dev/null; }

generate elasticity elasticity3d --n 10 --decades 4
generate poisson poisson3d --n 24 --decades 4
generate stencil stencil27 --n 16
generate powerlaw powerlaw --n 6000
generate convdiff convdiff2d --n 60

for matrix in elasticity poisson stencil powerlaw convdiff; do
  record "$matrix"
  record "$matrix" --precond none
  for method in cg bicgstab gmres minres; do
    record "$matrix" --method "$method" --precond jacobi
  done
  record "$matrix" --method gmres --orthogonalization cgs2 --precond ilu0
  for precond in jacobi bjacobi ilu0 ic0 ilut ict chebyshev fsai amg; do
    record "$matrix" --precond "$precond"
  done
  for layout in csr bucketed slots blocks diag tiles sym; do
    for epsilon in 2^-24 2^-53; do
      record "$matrix" --precond none --layout "$layout" --epsilon "$epsilon" --criterion nw
    done
  done
  for formats in FP64 FP32 AP2 AP4 AP7RE AP7REU; do
    record "$matrix" --precond none --formats "$formats" --criterion cw
  done
  for flags in '--scale none' '--scale row' '--reorder rcm' '--cycle k --precond amg' '--stop cw' '--stop rel' '--stop nw' \
    '--refine=false' '--threads 1' '--device emulate' '--device emulate --method bicgstab --precond chebyshev' \
    '--device emulate --method gmres --precond bjacobi' '--rhs random:3' '--tol 1e-14'; do
    # shellcheck disable=SC2086
    record "$matrix" $flags
  done
done
for file in "$folder"/*.mtx.gz; do
  name=$(basename "$file" .mtx.gz)
  case $name in
  G3_circuit | Andrews | anisotropic3d7816 | helmholtz_2D | mhd1280b) continue ;; # large, or complex
  esac
  record "$name"
  record "$name" --method bicgstab --precond jacobi
  record "$name" --precond none --stop nw --tol 1e-8
done
