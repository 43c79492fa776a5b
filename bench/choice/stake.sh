#!/usr/bin/env bash
# Fits the constants that say when a method is left, on recorded residuals of generated systems.
#
#   bench/choice/stake.sh MPSOLVE [OPTION...]
#
# MPSOLVE is the program; `bench/choice/stake.sh MPSOLVE --help` lists the options. It needs SciPy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../peers/common.sh"
measure "$here/stake.py" "$@"
