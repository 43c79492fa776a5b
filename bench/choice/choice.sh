#!/usr/bin/env bash
# Measures how good the choice of method and preconditioner is: the default settings against all sensible settings by hand, on
# generated systems of the classes in classes.py, or on files.
#
#   bench/choice/choice.sh MPSOLVE [OPTION...] [FILE...]
#
# MPSOLVE is the program; `bench/choice/choice.sh MPSOLVE --help` lists the options. It needs SciPy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../peers/common.sh"
measure "$here/choice.py" "$@"
