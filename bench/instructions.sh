#!/usr/bin/env bash
# Instructions of kernels for NEON and AVX2 on the same data, counted in qemu's
# emulation of both processors (the package qemu-user or qemu-user-static). Takes minutes.
set -euo pipefail
cd "$(dirname "$0")/../internal/kernels"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# count ARCH TIER QEMU BENCHMARK KERNEL prints the instructions of one run of a benchmark.
count() {
  local start qemu
  [[ -e $dir/$1 ]] || GOARCH=$1 go test -c -o "$dir/$1" .
  start=$(go tool nm "$dir/$1" | awk -v name="internal/kernels/simd.$5.abi0" 'index($NF, name) || $NF == name { print $1 }' | head -1)
  qemu=$(command -v "qemu-$3" || command -v "qemu-$3-static")
  "$qemu" -cpu max -singlestep -d nochain,exec -dfilter "0x$start+0x3000" "$dir/$1" \
    -test.run '^$' -test.bench "$4/$2" -test.benchtime 1x 2>&1 >/dev/null | grep -c '^Trace'
}

printf '%-34s %10s %10s %6s\n' 'benchmark, one run' NEON AVX2 ratio
for b in 'Slots/csr Csr64' 'Slots/blocks_of_14_bits Blocks3' 'Slots/blocks_of_24_bits Blocks3' \
  'Slots/blocks_of_43_bits Blocks3' 'Slots/symmetric,_blocks_of_2 Symmetric2' 'Slots/symmetric,_blocks_of_3 Symmetric3' \
  'Accessor/Dot32/2048 Dot32' 'Accessor/MulAdds/2048 MulAdds' 'Accessor/Fold/2048 Fold'; do
  read -r name kernel <<<"$b"
  neon=$(count arm64 neon aarch64 "$name" "${kernel}Quad")
  avx2=$(count amd64 avx2 x86_64 "$name" "${kernel}Quad")
  printf '%-34s %10d %10d %6.2f\n' "$name" "$neon" "$avx2" "$(awk "BEGIN { print $neon / $avx2 }")"
done
