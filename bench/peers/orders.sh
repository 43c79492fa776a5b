#!/usr/bin/env bash
# Compares orders for complete factors, AMD and nested dissection, with METIS' nested dissection (METIS_NodeND) on 20 generated patterns:
# entries of a factor, by counting; seconds of a processor on one thread, and elapsed seconds on two, the least of five. It prints a table in Markdown.
#
#   bench/peers/orders.sh [first|second]
#
# The constants of nested dissection were chosen with the first ten patterns (orders.py); the second ten are for judging it. It needs SciPy
# and METIS (Debian's libmetis-dev).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
which=${1:-first second}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=python3
"$python" -c 'import scipy' 2>"$work/log" || python=/usr/bin/python3
cc -O3 -march=native "$here/orders_metis.c" -o "$work/metis" -lmetis
cd "$here/../.."
go build -o "$work/measure" ./tools/measure
for half in $which; do
  mkdir "$work/$half"
  "$python" -B "$here/orders.py" "$half" "$work/$half"
  "$work/measure" orders -metis "$work/metis" "$work/$half"/*.petsc
done
