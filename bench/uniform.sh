#!/bin/sh
# Compares solves with default flags to those in uniform FP64, with an FP64 preconditioner and
# all else equal, from file to x: bench/uniform.sh MPSOLVE ROUNDS FILE... Runs alternate; the
# table has the least of ROUNDS times in seconds, and the geometric mean of the ratios.
set -eu
mpsolve=$1 rounds=$2
shift 2
seconds() { # LEAST FLAGS... : the lesser of LEAST and the time of a solve
	least=$1
	shift
	t=$("$mpsolve" solve "$@" --json | sed -n 's/.*"seconds":{[^}]*"total":\([0-9.e-]*\).*/\1/p')
	awk -v a="$least" -v b="$t" 'BEGIN { print (b < a) ? b : a }'
}
echo "| matrix | default | FP64 | ratio |"
echo "|---|---|---|---|"
for file; do
	ours=1e9 uniform=1e9 k=0
	while [ $k -lt "$rounds" ]; do
		ours=$(seconds "$ours" "$file")
		uniform=$(seconds "$uniform" "$file" --formats FP64 --precond-epsilon 2^-53)
		k=$((k + 1))
	done
	name=$(basename "$file")
	awk -v n="${name%%.*}" -v a="$ours" -v b="$uniform" 'BEGIN { printf "| %s | %.3f | %.3f | %.2f |\n", n, a, b, b / a }'
done | awk -F '|' '{ print; s += log($5); n++ } END { printf "| geometric mean | | | %.2f |\n", exp(s / n) }'
