package kernels

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The assembly gives what the portable loops give, for every length and width.
func TestQuantizeSIMD(t *testing.T) {
	if quantizeSIMD == nil {
		t.Skip("no SIMD kernel for quantizing on this processor or in this build")
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 70 {
		v := make([]float64, n)
		for k := range v {
			switch rng.IntN(4) {
			case 0:
				v[k] = float64(rng.IntN(9)-4) / 2 // ties
			case 1:
				v[k] = 0x1p-1030 * rng.NormFloat64()
			default:
				v[k] = math.Ldexp(2*rng.Float64()-1, rng.IntN(56))
			}
		}
		m, want := make([]int64, n), make([]int64, n)
		width, wantWidth := make([]uint8, n), make([]uint8, n)
		zeros, wantZeros := Quantize(m, width, v, 0.5), quantize(want, wantWidth, v, 0.5)
		if zeros != wantZeros || !slices.Equal(m, want) || !bytes.Equal(width, wantWidth) {
			t.Fatalf("%v: %v %v %d, portable %v %v %d", v, m, width, zeros, want, wantWidth, wantZeros)
		}
	}
}

// What is packed comes out again, and the assembly packs as the portable loop does.
func TestPackSlot(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for w := 1; w <= MaxSlotWidth; w++ {
		for size := 1; size <= 36; size += 7 {
			m := make([]int64, 20*size)
			for k := range m {
				m[k] = int64(rng.Uint64()) >> (64 - w)
			}
			var index [Lanes]int64
			for l := range index {
				index[l] = int64((rng.IntN(21) - 1) * size)
			}
			got, portable := make([]byte, size*w+SlotPadding), make([]byte, size*w+SlotPadding)
			PackSlot(got, m, &index, size, w)
			packSlot(portable, m, &index, size, w)
			if !bytes.Equal(got[:size*w], portable[:size*w]) {
				t.Fatalf("width %d, size %d: %x, portable %x", w, size, got, portable)
			}
			for c := range size {
				var out [Lanes]float64
				slotValues(&out, got[c*w:], w, 0)
				for l, e := range index {
					want := 0.
					if e >= 0 {
						want = float64(m[int(e)+c])
					}
					if out[l] != want {
						t.Fatalf("width %d, lane %d: %g, want %g", w, l, out[l], want)
					}
				}
			}
		}
	}
}
