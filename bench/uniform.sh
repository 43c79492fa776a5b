#!/bin/sh
# Compares solves with default flags to those in uniform FP64, with an FP64 preconditioner and all else equal, from
# file to x: bench/uniform.sh MPSOLVE ROUNDS FILE... > TSV. Runs alternate. A line has the nonzeros, and by default and
# in FP64 the least of ROUNDS times in seconds and of peaks of memory in MB; the last line has the geometric means of
# FP64 relative to default. `make uniform-figure` draws such lines.
set -eu
mpsolve=$1 rounds=$2
shift 2
run() { # NAME FLAGS... : a line with the name, nonzeros, seconds and bytes of a solve
	name=$1
	shift
	"$mpsolve" solve "$@" --json |
		sed -n 's/.*"nnz":\([0-9]*\).*"seconds":{[^}]*"total":\([0-9.e-]*\).*"peak_rss":\([0-9]*\).*/'"$name"' \1 \2 \3/p'
}
printf 'matrix\tnonzeros\tseconds\tseconds in FP64\tMB\tMB in FP64\n'
for file; do
	k=0
	while [ $k -lt "$rounds" ]; do
		run default "$file"
		run FP64 "$file" --formats FP64 --precond-epsilon 2^-53
		k=$((k + 1))
	done | awk -v matrix="$(basename "$file")" '
		{ n = $2; if (!($1 in t) || $3 < t[$1]) t[$1] = $3; if (!($1 in m) || $4 < m[$1]) m[$1] = $4 }
		END { sub(/\..*/, "", matrix); printf "%s\t%d\t%.4f\t%.4f\t%.1f\t%.1f\n", matrix, n, t["default"], t["FP64"], m["default"] / 1e6, m["FP64"] / 1e6 }'
done | awk -F '\t' '{ print; t += log($4 / $3); m += log($6 / $5); n++ }
	END { printf "geometric mean\t\t\t%.2f\t\t%.2f\n", exp(t / n), exp(m / n) }'
