package kernels

import (
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// CRC32C equals hash/crc32 for any length and alignment.
func TestCRC32C(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		const whole = crcStreams * crcStream
		b := randomBytes(rand.New(rand.NewPCG(1, 2)), 2*whole+50)
		for _, n := range []int{0, 1, 8, 4096, whole - 1, whole, whole + 1, whole + 17, 2*whole + 40} {
			for shift := range 3 {
				if got, want := k.CRC32C(b[shift:shift+n]), crc32.Checksum(b[shift:shift+n], castagnoli); got != want {
					t.Errorf("%d bytes from byte %d on: %08x, want %08x", n, shift, got, want)
				}
			}
		}
		if got := k.CRC32C([]byte("123456789")); got != 0xe3069283 { // the check value of RFC 3720's polynomial
			t.Errorf("check value %08x", got)
		}
	})
}

// Rising columns and offsets are accepted; a fault at any position is found.
func TestRising(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		for n := range 41 {
			offsets := make([]int64, n)
			for i := range offsets {
				offsets[i] = 1<<40 + int64(i/2)
			}
			if !k.OffsetsRise(offsets) {
				t.Errorf("%d offsets that rise are said to fall", n)
			}
			for i := 1; i < n; i++ {
				bad := slices.Clone(offsets)
				bad[i-1] = bad[i] + 1
				if k.OffsetsRise(bad) {
					t.Errorf("offset %d of %d falls, which was not noticed", i, n)
				}
			}
			testColumnsRise(t, k, n)
		}
	})
}

// testColumnsRise checks rows of 0 to 6 of n columns, with one fault at each position.
func testColumnsRise(t *testing.T, k *Set, n int) {
	const from, cols = 1 << 33, 9
	col, begin := make([]int32, n), []int64(nil)
	isFirst := make([]bool, n)
	for i, length := 0, 0; i < n; length = (length + 5) % 7 {
		for j := range min(length, n-i) {
			col[i], isFirst[i] = int32(j+length/5), j == 0
			i++
		}
		if i > 0 && i < n {
			begin = append(begin, from+int64(i))
		}
	}
	if !k.ColumnsRise(col, begin, from, cols) {
		t.Fatalf("%v in rows from %v on are said to fall", col, begin)
	}
	for i := range n {
		values := []int32{cols, -1, math.MinInt32, math.MaxInt32}
		if !isFirst[i] {
			values = append(values, col[i-1])
		}
		for _, v := range values {
			bad := slices.Clone(col)
			if bad[i] = v; k.ColumnsRise(bad, begin, from, cols) {
				t.Errorf("column %d of %d is %d, which was not noticed", i, n, v)
			}
		}
	}
	for _, at := range []int64{from, from - 1, from + int64(n), math.MaxInt64, math.MinInt64} {
		if n > 0 && k.ColumnsRise(col, []int64{at}, from, cols) {
			t.Errorf("a row that begins at %d of %d is taken", at-from, n)
		}
	}
}

// streamsOfCRC compares streams of any length.
func streamsOfCRC(a *arena, rng *rand.Rand) {
	n := 8 * rng.IntN(40)
	b := randomBytes(rng, crcStreams*n)
	start := [crcStreams]uint32{rng.Uint32(), rng.Uint32(), rng.Uint32(), rng.Uint32()}
	everywhere(a, fmt.Sprintf("CRCs of %d bytes", n), nil, func(k *Set) []float64 {
		sums := start
		k.crc(put(a, b), n, &sums)
		return []float64{float64(sums[0]), float64(sums[1]), float64(sums[2]), float64(sums[3])}
	})
}

// risingCase checks columns of rows, sometimes with a fault.
func risingCase(a *arena, rng *rand.Rand) {
	c := randomCSR[float64](rng, rowLengths(rng), 1+rng.IntN(300))
	ptr := slices.Clone(c.ptr)
	from, to := 0, len(c.col)
	if to > 0 {
		from, to = rng.IntN(to), 1+rng.IntN(to)
	}
	from, to = min(from, to), max(from, to)
	col, cols := slices.Clone(c.col[from:to]), int32(1+rng.IntN(300))
	begin := slices.DeleteFunc(slices.Clone(ptr), func(at int64) bool { return at <= int64(from) || at >= int64(to) })
	if rng.IntN(4) > 0 { // correct
		start := 0
		for _, at := range append(slices.Clone(begin), int64(to)) {
			slices.Sort(col[start : int(at)-from])
			start = int(at) - from
		}
	}
	if rng.IntN(2) == 0 && len(ptr) > 1 {
		ptr[rng.IntN(len(ptr))] = rng.Int64N(50)
	}
	everywhere(a, fmt.Sprintf("%d columns in %d rows", len(col), len(begin)), nil, func(k *Set) []float64 {
		truth := map[bool]float64{true: 1}
		return []float64{truth[k.OffsetsRise(put(a, ptr))], truth[k.ColumnsRise(put(a, col), put(a, begin), int64(from), cols)]}
	})
}
