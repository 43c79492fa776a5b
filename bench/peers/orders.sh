#!/usr/bin/env bash
# Compares orders for complete factors, AMD and nested dissection, with METIS' nested dissection (METIS_NodeND) on 20 generated patterns:
# entries of a factor, by counting; seconds of a processor on one thread, and elapsed seconds on two, the least of three. It prints a table in Markdown.
#
#   bench/peers/orders.sh [first|second]
#
# The constants of nested dissection were chosen with the first ten patterns (orders.py); the second ten are for judging it. It needs SciPy
# and METIS (Debian's libmetis-dev).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/common.sh"
which=${1:-first second}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=$(scipy_python) || missing SciPy python3-scipy
cc -O3 -march=native "$here/orders_metis.c" -o "$work/metis" -lmetis
cd "$here/../.."
go test -c -o "$work/test" ./internal/direct/order
for half in $which; do
  mkdir "$work/$half"
  "$python" -B "$here/orders.py" "$half" "$work/$half"
  "$work/test" -test.run TestPatterns -metis "$work/metis" -patterns "$work/$half/*.petsc" | grep '^|'
done
