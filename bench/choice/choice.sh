#!/usr/bin/env bash
# Measures how good the choice of method and preconditioner is: the default settings against all sensible settings by hand, on
# generated systems of the classes in classes.py, or on files.
#
#   bench/choice/choice.sh MPSOLVE [OPTION...] [FILE...]
#
# MPSOLVE is the program; `bench/choice/choice.sh MPSOLVE --help` lists the options. It needs SciPy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if ! (($#)) || [[ ! -x $1 ]]; then
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
  exit 2
fi
for python in python3 /usr/bin/python3 ''; do
  [[ $python ]] && "$python" -c 'import scipy' 2>/dev/null && break
done
if [[ ! $python ]]; then
  echo 'SciPy is not installed; Debian has it in python3-scipy' >&2
  exit 1
fi
program=$(realpath "$1")
shift
PYTHONPATH=$here/../peers exec "$python" -B "$here/choice.py" --mpsolve "$program" "$@"
