#!/usr/bin/env bash
# Times multiple precision of mpsolve beside MPFR, Arb (FLINT) and math/big, y = A x with a dense matrix, and products of a sparse matrix
# with double-double vectors beside libquadmath's __float128; prints the ratios.
#
#   bench/mp/run.sh [--install] [--threads N] [--n N] [--bits "106 212"] [--matrix "KIND --n N ..."] [--only gemv|spmv]
#
# --install installs them first, with apt-get (Debian). Threads are 2 by default, the matrix 1000 x 1000 with 106, 212, 424, 848 and 1696
# bits, the sparse one elasticity3d --n 46 (280 MB as FP64 CSR). Programs run one after the other, each alone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
threads=2 n=1000 bits="106 212 424 848 1696" matrix="elasticity3d --n 46" only=

while (($#)); do
  case $1 in
    --install)
      apt-get update -q
      apt-get install -y -q gcc libmpfr-dev libgmp-dev libflint-dev libflint-arb-dev python3
      shift
      ;;
    --threads | --n | --bits | --matrix | --only)
      declare "${1#--}=${2:?value of $1}"
      shift 2
      ;;
    *)
      sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
      exit 2
      ;;
  esac
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
absent() { echo "$1: not found" >&2; }
export OMP_NUM_THREADS=$threads OMP_PROC_BIND=true

go -C "$here/../.." build -o "$work/mpsolve" ./cmd/mpsolve

if [[ $only != spmv ]]; then
  "$work/mpsolve" bench mp --gemv "$n" --bits "${bits// /,}" --threads "$threads" --mp limbs,residues,math/big --json >"$work/ours"
  for flags in '-DHAVE_ARB -larb -lflint' '-DHAVE_ARB -lflint-arb -lflint' '-DHAVE_ARB -lflint' ''; do
    # shellcheck disable=SC2086 # several words
    if gcc -O3 -march=native -fopenmp -I/usr/include/flint "$here/dot.c" -o "$work/dot" $flags -lmpfr -lgmp -lm 2>"$work/errors"; then
      [[ $flags ]] || absent Arb
      # shellcheck disable=SC2086
      "$work/dot" "$n" 5 $bits >"$work/peers"
      break
    fi
  done
  [[ -e $work/peers ]] || absent MPFR
  touch "$work/peers"
  python3 "$here/ratios.py" gemv "$work/ours" "$work/peers"
fi

if [[ $only != gemv ]]; then
  # shellcheck disable=SC2086
  "$work/mpsolve" generate $matrix --output "$work/matrix.mtx"
  gcc -O3 -march=native -fopenmp "$here/quad.c" -o "$work/quad" -lquadmath -lm
  "$work/quad" "$work/matrix.mtx" 5 >"$work/quads"
  "$work/mpsolve" spmv "$work/matrix.mtx" --threads "$threads" --repeat 5 --bits "${bits%% *}" --mp limbs >"$work/limbs"
  if "$work/mpsolve" spmv --help | grep -q -- --vectors; then
    "$work/mpsolve" spmv "$work/matrix.mtx" --threads "$threads" --repeat 5 --vectors dd >"$work/dd"
  fi
  touch "$work/dd"
  python3 "$here/ratios.py" spmv "$work/quads" "$work/limbs" "$work/dd"
fi
