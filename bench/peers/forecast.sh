#!/usr/bin/env bash
# Compares forecasts of complete factors with what they take, on 40 matrices, see docs/complete-factors.md: 20 generated ones, and 20 of the classes of
# systems.py with two seeds, which nobody looked at while the model was made (1 and 2 were).
#
#   bench/peers/forecast.sh [FLAG...]
#
# Flags are those of `go run ./tools/measure forecast`: -threads N (1; others want a quiet machine), -fp64. It needs SciPy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=$(scipy_python) || missing SciPy python3-scipy
others=()
for seed in 3 4; do
  for system in triangles:80000 tetrahedra:20000 elasticity:15000 ninepoint:90000 plate:40000 helmholtz:90000 stokes:40000 recirculation:90000 circuit:60000 kkt:40000; do
    "$python" -B "$here/systems.py" "${system%:*}" "${system#*:}" $seed "$work/${system%:*}$seed"
    others+=("$work/${system%:*}$seed/A.mtx")
  done
done
cd "$here/../.."
go run ./tools/measure forecast "$@" poisson2d,n=300 poisson2d,n=700 poisson3d,n=30 poisson3d,n=44 anisotropic2d,n=300 anisotropic2d,n=600 \
  elasticity3d,n=14 elasticity3d,n=20 darcy3d,n=24 solid3d,n=14 stencil27,n=20 stencil27,n=30 wathen,nx=150,ny=150 stokes2d,n=150 mixeddarcy2d,n=200 \
  convdiff2d,n=300 convdiff3d,n=24 convdiff3d,n=36 transport3d,n=24 consolidation3dsym,n=12
go run ./tools/measure forecast "$@" "${others[@]}"
