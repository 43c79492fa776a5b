#!/bin/bash
# Compares the bytes of x.mtx of one matrix at a time for ranks, threads and MPIs: a table, and the number of differences,
# which is the exit code (at most 100).
#
#	bench/mpi/bits.sh [-m MPSOLVE] [-f] [-s LAUNCHERS] [-i ITERATIONS] [-t SECONDS] [-n "RANKS"] [-d "DOMAINS"] MATRIX...
#
# A MATRIX is a file, or KIND,parameter=value,... of `mpsolve generate`. The reference is the first run of each row, without MPI with one
# thread. Each number of ranks has one number of threads, in turn, and all with -f. With -s a row has only LAUNCHERS of the
# launchers (an MPI with a number of ranks), in turn. A solve ends after ITERATIONS (200) at the
# latest, whose x is compared too, and so is the exit code; a row whose reference takes more than SECONDS (60) is left out.
# What mpsolve refuses for a matrix (exit code 4, such as Cholesky of an unsymmetric one) is counted and compared as well.

mpsolve=mpsolve full='' sampled=0 iterations=200 seconds=60 ranks='1 2 3 4 8' domains='default 8'
while getopts m:fs:i:t:n:d: flag; do
	case $flag in
	m) mpsolve=$OPTARG ;;
	f) full=yes ;;
	s) sampled=$OPTARG ;;
	i) iterations=$OPTARG ;;
	t) seconds=$OPTARG ;;
	n) ranks=$OPTARG ;;
	d) domains=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
if [[ $# -eq 0 ]]; then
	sed -n 's/^#	/usage: /p' "$0" >&2
	exit 2
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Methods with the preconditioner that the rules choose and without one; each preconditioner with a method that takes it.
solves=(
	'--method auto' '--method cg --precond none' '--method cg --precond jacobi' '--method cg --precond bjacobi'
	'--method cg --precond ic0' '--method cg --precond ict' '--method cg --precond chol' '--method cg --precond fsai'
	'--method cg --precond chebyshev' '--method cg --precond amg' '--method cg --precond ic0 --overlap 0'
	'--method bicgstab --precond none' '--method bicgstab --precond ilu0' '--method bicgstab --precond ilut'
	'--method gmres --precond none' '--method gmres --precond ilu0' '--method gmres --precond ilut' '--method gmres --precond lu'
	'--method gmres --precond ilu0 --overlap 0' '--method gmres --precond jacobi' '--method gmres --precond bjacobi'
	'--method minres --precond none' '--method minres --precond ldl' '--method minres --precond jacobi'
)

# Runs mpsolve by a launcher ("" for none) and leaves x and the exit code.
solve() { # LAUNCHER THREADS ARGUMENTS...
	local launcher=$1 threads=$2
	shift 2
	rm -f "$dir/x.mtx"
	$launcher "$mpsolve" solve "$@" --threads "$threads" --max-iter "$iterations" --quiet --output "$dir/x.mtx" >"$dir/out" 2>"$dir/err" </dev/null
	code=$?
}

launchers=()
for n in $ranks; do
	if command -v mpirun.openmpi >/dev/null; then launchers+=("mpirun.openmpi --oversubscribe --bind-to none -n $n"); fi
	if ((n <= 2)) && command -v mpirun.mpich >/dev/null; then launchers+=("mpirun.mpich -n $n"); fi
done
if [[ ${#launchers[@]} -eq 0 ]]; then echo "no mpirun.openmpi or mpirun.mpich: only threads are compared" >&2; fi

differences=0 runs=0 refused=0 slow=0 turn=0 next=0
printf '%-28s %-40s %-8s %5s %5s %s\n' matrix solve domains code runs differences
for matrix in "$@"; do
	name=$(basename "$matrix")
	file=$matrix
	if [[ $matrix == *,* && ! -e $matrix ]]; then
		file=$dir/generated.mtx
		IFS=, read -ra words <<<"$matrix"
		flags=()
		for word in "${words[@]:1}"; do flags+=("--${word%%=*}" "${word#*=}"); done
		"$mpsolve" generate "${words[0]}" "${flags[@]}" --output "$file" || exit 2
	fi
	for s in "${solves[@]}"; do
		for d in $domains; do
			args=("$file" $s)
			if [[ $d != default ]]; then args+=(--domains "$d"); fi
			started=$SECONDS
			solve "timeout $seconds" 1 "${args[@]}"
			if [[ $code -eq 124 || $((SECONDS - started)) -ge $seconds ]]; then
				printf '%-28s %-40s %-8s %5s %5s %s\n' "$name" "$s" "$d" - 0 'takes too long'
				((slow++))
				continue
			fi
			want=$code
			if ((want == 4)); then ((refused++)); fi
			mv "$dir/x.mtx" "$dir/want.mtx" 2>/dev/null || : >"$dir/want.mtx"
			row=0 wrong='' chosen=("${launchers[@]}")
			if ((sampled > 0 && sampled < ${#launchers[@]})); then
				chosen=()
				for ((i = 0; i < sampled; i++)); do chosen+=("${launchers[next++ % ${#launchers[@]}]}"); done
			fi
			for launcher in "${chosen[@]}" ''; do
				threads=$((turn++ % 3 + 1))
				for t in $(if [[ $full || ! $launcher ]]; then echo 1 2 3; else echo $threads; fi); do
					if [[ ! $launcher && $t -eq 1 ]]; then continue; fi # the reference
					solve "$launcher" "$t" "${args[@]}"
					if [[ ! -e $dir/x.mtx ]]; then : >"$dir/x.mtx"; fi
					((row++, runs++))
					if [[ $code -ne $want ]] || ! cmp -s "$dir/x.mtx" "$dir/want.mtx"; then
						((differences++))
						wrong+=" [${launcher:-no MPI}, $t threads: code $code]"
					fi
				done
			done
			printf '%-28s %-40s %-8s %5d %5d %s\n' "$name" "$s" "$d" "$want" "$row" "${wrong:- 0}"
		done
	done
done
echo "$runs runs compared with no MPI and 1 thread: $differences differences; $refused rows refused alike, $slow left out as too slow"
exit $((differences < 100 ? differences : 100))
