# What the scripts that compare mpsolve with others share; they source it.

# usage FILE prints the comment at the head of a script.
usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$1"; }

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
