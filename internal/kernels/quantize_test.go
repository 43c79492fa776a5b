package kernels

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// All sets give the same integers, for every length.
func TestQuantize(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	a := &arena{t: t}
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
		everywhere(a, fmt.Sprintf("Quantize of %v", v), nil, func(k *Set) []float64 {
			m, width := put(a, make([]int64, n)), put(a, make([]uint8, n))
			zeros := k.Quantize(m, width, put(a, v), 0.5)
			for k, i := range m {
				if want := int64(math.RoundToEven(v[k] / 2)); i != want || width[k] != BitsOf(want) {
					t.Fatalf("%g became %d of %d bits, want %d", v[k], i, width[k], want)
				}
			}
			return []float64{float64(zeros)}
		})
	}
}

// What is packed comes out again, and all sets pack the same bytes.
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
			portable := make([]byte, size*w+SlotPadding)
			packSlot(portable, m, &index, size, w)
			eachSet(t, func(t *testing.T, k *Set) {
				got := make([]byte, size*w+SlotPadding)
				k.PackSlot(got, m, &index, size, w)
				if !bytes.Equal(got[:size*w], portable[:size*w]) {
					t.Fatalf("width %d, size %d: %x, portable %x", w, size, got, portable)
				}
			})
			for c := range size {
				var out [Lanes]float64
				slotValues(&out, portable[c*w:], w, 0)
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
