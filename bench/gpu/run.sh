#!/usr/bin/env bash
# Measures a real GPU in one run of less than ten minutes: whether ptxas accepts the kernels,
# whether they give the bits of the emulated device, how fast products and solves are, and how
# fast cuSPARSE is with the same matrices.
#
#   make gpu-bench-build     where there is Go: bin/mpsolve and bin/gpu.test
#   bench/gpu/run.sh         on the machine with the GPU, which needs neither Go nor CUDA
#
# Writes into $OUT (./gpu-results): steps.txt, devices.json, gpu.jsonl, peers.jsonl, logs, and
# profile.txt: how busy schedulers and memory were in each kernel. ptxas, compute-sanitizer and
# ncu are used if installed; Python with NumPy and CuPy or PyTorch is needed for the comparison only.
# In the environment:
#
#   DEVICE=cuda   another: hip, opencl, emulate, with an index as cuda:1
#   SMALL=1       small matrices, to try the script itself
#   SECONDS_EACH  for the products with one matrix (15)
#   TOTAL         seconds for everything (600)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
out=${OUT:-gpu-results}
device=${DEVICE:-cuda}
each=${SECONDS_EACH:-15}
total=${TOTAL:-600}
mpsolve=$PWD/bin/mpsolve
tests=$PWD/bin/gpu.test
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$out/steps.txt"
: >"$out/log.txt"
export CUDA_CACHE_PATH=${CUDA_CACHE_PATH:-$work/cache}

for program in "$mpsolve" "$tests"; do
  [[ -x $program ]] || { echo "no $program; make gpu-bench-build makes it"; exit 2; }
done

# step NAME LIMIT COMMAND... runs a command for LIMIT seconds at most, and all of them for
# TOTAL. What goes wrong is noted, and the next step comes.
step() {
  local name=$1 limit=$2 start=$SECONDS status=0
  ((limit <= total - start)) || limit=$((total - start > 0 ? total - start : 1))
  shift 2
  printf '\n==> %s\n' "$name" | tee -a "$out/log.txt"
  timeout -k 5 "$limit" "$@" 2>>"$out/log.txt" || status=$?
  local word=ok
  case $status in
    0) ;;
    75) word='left out' ;;
    124 | 137) word="ran past $limit s" ;;
    *) word="failed, exit status $status" ;;
  esac
  printf '%-28s %4d s  %s\n' "$name" $((SECONDS - start)) "$word" | tee -a "$out/steps.txt"
}

# found PROGRAM prints where a program of CUDA is.
found() {
  command -v "$1" && return
  local path
  for path in /usr/local/cuda*/bin/"$1" \
    "$(python3 -c 'import triton; print(triton.__path__[0])' 2>/dev/null)/backends/nvidia/bin/$1"; do
    [[ -x $path ]] && echo "$path" && return
  done
  return 1
}

listed() { "$mpsolve" devices --json >"$out/devices.json"; }

assemble() {
  local ptxas sm
  ptxas=$(found ptxas) || { echo 'no ptxas here' >&2; return 75; }
  "$ptxas" --version | tail -2
  for sm in sm_70 sm_80 sm_90; do
    echo "$sm"
    "$ptxas" -v -arch "$sm" -o "$work/$sm.cubin" pkg/gpu/source/code/kernels.ptx 2>&1 || echo "$sm: REFUSED"
  done
}

assembled() {
  assemble >"$out/ptxas.txt" || return
  awk '/spill/ && !/ 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads/ { print; bad = 1 } /REFUSED/ { print; bad = 1 } END { exit bad }' "$out/ptxas.txt"
}

tested() {
  local others=() # OpenCL on the CPU would take most of the time
  [[ $device == opencl* ]] || others=(MPSOLVE_LIBOPENCL=/none)
  local interpreted='Ratchet|Planted|RandomOrder|Targets|Instructions|/^(ptx|amd)$|/.*/^(ptx|amd)$' # which need no GPU
  [[ $device == emulate* ]] || others+=(MPSOLVE_TEST_DEVICES="${device%%:*}") # each kernel must run there
  (cd pkg/gpu && env "${others[@]}" "$tests" -test.v -test.timeout 170s -test.skip "$interpreted") >"$out/tests.txt" 2>&1
  local status=$?
  grep -cE -- "--- PASS: .*/${device%%:*}( |$)" "$out/tests.txt" | sed "s/$/ tests passed on ${device%%:*}/"
  grep -E -- '--- FAIL|^panic|^FAIL' "$out/tests.txt"
  if [[ $device != emulate* ]] && ! grep -qE -- "--- PASS: .*/${device%%:*}( |$)" "$out/tests.txt"; then
    echo "no test ran on $device"
    return 1
  fi
  return $status
}

sanitized() {
  local sanitizer
  sanitizer=$(found compute-sanitizer) || { echo 'no compute-sanitizer here' >&2; return 75; }
  "$sanitizer" --error-exitcode 9 "$mpsolve" bench gpu --device "$device" --generate poisson3d,n=12,decades=2 \
    --generate powerlaw,n=2000 --solve cg --repeat 1 --time 1ms --copy=false >>"$out/log.txt" 2>&1
}

if [[ ${SMALL:-} ]]; then
  products=(elasticity3d,n=6 poisson3d,n=16,decades=4 stencil27,n=10 stencil27,n=10,window=500 powerlaw,n=2000)
  cg=(elasticity3d,n=6,decades=1 poisson3d,n=16,decades=1)
  gmres=(convdiff3d,n=12)
else # half a gigabyte and more of FP64 CSR each
  products=(elasticity3d,n=60 poisson3d,n=200,decades=4 stencil27,n=120 stencil27,n=120,window=4096 powerlaw,n=3000000)
  cg=(elasticity3d,n=60,decades=1 poisson3d,n=200,decades=1)
  gmres=(convdiff3d,n=150)
fi

# measured NAME FLAG... adds to gpu.jsonl.
measured() { "$mpsolve" bench gpu --device "$device" --json --export "$work/$1" "${@:2}" >>"$out/gpu.jsonl"; }

generators() { printf -- '--generate\n%s\n' "$@"; }
mapfile -t product_flags < <(generators "${products[@]}")
mapfile -t cg_flags < <(generators "${cg[@]}")
mapfile -t gmres_flags < <(generators "${gmres[@]}")

# profiled MATRIX MATRIX counts, by Nsight Compute, in products and a few iterations. Kernels run
# several times, once for some of the counters.
profiled() {
  local ncu metrics=smsp__issue_active.avg.pct_of_peak_sustained_active
  metrics+=,dram__throughput.avg.pct_of_peak_sustained_elapsed,smsp__inst_executed.sum
  ncu=$(found ncu) || { echo 'no ncu here' >&2; return 75; }
  "$ncu" --csv --target-processes all --metrics "$metrics" --kernel-name 'regex:^(spmv|vector)_' --launch-count 300 \
    "$mpsolve" bench gpu --device "$device" --generate "$1" --generate "$2" --solve cg \
    --max-iter 3 --repeat 1 --time 1ms --copy=false >"$out/profile.csv" 2>&1
  local status=$?
  if grep -qE 'ERR_NVGPUCTRPERM|No kernels were profiled' "$out/profile.csv"; then
    grep -m 1 -E 'ERR_NVGPUCTRPERM|No kernels were profiled' "$out/profile.csv" >&2
    return 75 # counters are for administrators here
  fi
  # a line: "ID",..."Kernel Name" (5),..."Metric Name" (13),"Metric Unit","Metric Value" (15)
  awk -F '","' '
    NF >= 15 && $1 ~ /^"[0-9]+$/ {
      value = $15; gsub(/[",]/, "", value)
      sum[$5, $13] += value; count[$5, $13]++; kernels[$5]
    }
    function mean(metric) { return count[k, metric] ? sum[k, metric] / count[k, metric] : 0 }
    END {
      printf "%-28s %9s %15s %15s %18s\n", "kernel", "launches", "issue active %", "DRAM %", "warp instructions"
      fflush() # before what sort prints
      for (k in kernels)
        printf "%-28s %9d %15.1f %15.1f %18.0f\n", k, count[k, "smsp__inst_executed.sum"],
          mean("smsp__issue_active.avg.pct_of_peak_sustained_active"),
          mean("dram__throughput.avg.pct_of_peak_sustained_elapsed"), mean("smsp__inst_executed.sum") | "sort"
    }' "$out/profile.csv" >"$out/profile.txt"
  return $status
}

compared() {
  python3 -c 'import numpy' 2>/dev/null || { echo 'no NumPy here' >&2; return 75; }
  python3 bench/gpu/compare.py "$@" >>"$out/peers.jsonl"
}

export -f listed found assemble assembled tested sanitized measured profiled compared
export out device each mpsolve tests work
inner() { step "$1" "$2" bash -c '"$@"' - "${@:3}"; }

: >"$out/gpu.jsonl"
: >"$out/peers.jsonl"
{ nvidia-smi || true; lscpu | head -20; } >"$out/machine.txt" 2>&1
inner 'devices' 40 listed
inner 'ptxas' 60 assembled
inner 'tests on the device' 180 tested
inner 'products' 200 measured products "${product_flags[@]}" --time "${each}s"
inner 'CG' 60 measured cg "${cg_flags[@]}" --solve cg --products=false --copy=false --max-iter 5000
inner 'GMRES' 40 measured gmres "${gmres_flags[@]}" --solve gmres --products=false --copy=false --max-iter 2000
inner 'cuSPARSE: products' 90 compared products "$work"/products/*
inner 'cuSPARSE: CG' 60 compared cg "$work"/cg/*
inner 'ncu' 60 profiled "${products[0]}" "${products[1]}"
inner 'compute-sanitizer' 60 sanitized
echo
cat "$out/steps.txt"
! grep -qE 'failed|ran past' "$out/steps.txt"
