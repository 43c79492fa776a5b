#!/usr/bin/env bash
# Compares mpsolve with a direct solver, SciPy's spsolve (SuperLU), on generated matrices of the
# classes that make iterative methods fail; direct.tsv lists them.
#
#   bench/peers/direct.sh MPSOLVE [OPTION...]
#   bench/peers/direct.sh MPSOLVE --small [OPTION...]
#
# MPSOLVE is the program; OPTIONS are options of direct.py:
#   --only TEXT      matrices only whose line in direct.tsv holds TEXT, such as a class
#   --list FILE      other matrices
#   --repeat N       runs of each solve under a second, the fastest counts (3)
#   --limit SECONDS  for one run (120)
#
# With --small it compares them on matrices of 100 to 5,000 rows, of ../shared and generated
# (small.py); OPTIONS are then --seeds SEED..., --only TEXT, --repeat N and --matrices FOLDER.
#
# Both solutions are checked in long double. Times are of factorisation and solve, and
# seconds.build and seconds.solve of mpsolve's report. The exit code is 1 if the goal is missed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/common.sh"
if [[ ${2-} == --small ]]; then
  measure "$here/small.py" "$1" "${@:3}"
fi
measure "$here/direct.py" "$@"
