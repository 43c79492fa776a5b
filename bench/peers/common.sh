# What the scripts that compare mpsolve with others share; they source it.

# usage FILE prints the comment at the head of a script.
usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$1"; }

# needs_program MPSOLVE... prints that comment and ends the script unless the first argument is a program.
needs_program() {
  if ! (($#)) || [[ ! -x $1 ]]; then
    usage "$0"
    exit 2
  fi
}

# missing WHAT PACKAGE ends the script for want of a program.
missing() {
  echo "$1 is not installed; Debian has it in $2" >&2
  exit 1
}

# scipy_python prints a Python that has SciPy; it fails if none has.
scipy_python() {
  local p
  for p in python3 /usr/bin/python3; do
    if "$p" -c 'import scipy' 2>/dev/null; then
      echo "$p"
      return
    fi
  done
  return 1
}

# measure SCRIPT MPSOLVE [OPTION...] goes on as a program in Python, which may import what lies beside this file, with the options
# --mpsolve MPSOLVE and OPTIONS.
measure() {
  local script=$1 python program
  needs_program "${@:2}"
  python=$(scipy_python) || missing SciPy python3-scipy
  program=$(realpath "$2")
  PYTHONPATH=$(dirname "${BASH_SOURCE[0]}") exec "$python" -B "$script" --mpsolve "$program" "${@:3}"
}
