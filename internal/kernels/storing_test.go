package kernels

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Each lane's items are in the order that a stable sort gives, and all sets agree.
func TestArrangeSlots(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	a := &arena{t: t}
	for _, most := range []int{0, 1, 5, 31, 32, 33, 64, 100, 128, 129, 300} {
		var r Runs
		n, longest := int32(rng.IntN(5)), 0
		for l := range r.From {
			run := rng.IntN(most + 1)
			if l == 3 {
				run = most
			}
			r.From[l], r.To[l] = n, n+int32(run)
			n += int32(run)
			longest = max(longest, run)
		}
		width, col := make([]uint8, n, n+WidthPadding), make([]int32, n)
		base := int32(rng.IntN(1 << 20))
		for k := range width {
			width[k], col[k] = uint8(1+rng.IntN(1+rng.IntN(MaxSlotWidth))), base+int32(rng.IntN(1<<16))
		}
		everywhere(a, fmt.Sprintf("ArrangeSlots of runs of up to %d", most), nil, func(set *Set) []float64 {
			w := put(a, slices.Concat(width, make([]uint8, WidthPadding)))[:n]
			items, index, widest := put(a, make([]int32, Lanes*longest)), put(a, make([]uint16, Lanes*longest)), put(a, make([]uint8, longest))
			for k := range items { // which are not 0 before
				items[k], index[k] = 77, 77
			}
			set.ArrangeSlots(items, index, widest, &r, w, put(a, col), base)
			for l := range r.From {
				var want []int32
				for e := r.From[l]; e < r.To[l]; e++ {
					want = append(want, e)
				}
				slices.SortStableFunc(want, func(i, j int32) int { return int(width[j]) - int(width[i]) })
				for k := range longest {
					e, at := items[Lanes*k+l], index[Lanes*k+l]
					switch {
					case k >= len(want) && (e != -1 || at != 0):
						t.Fatalf("runs of up to %d, lane %d: item %d in slot %d, want none", most, l, e, k)
					case k < len(want) && (e != want[k] || int32(at) != col[e]-base || widest[k] < width[e]):
						t.Fatalf("runs of up to %d, lane %d: item %d in slot %d, want %d", most, l, e, k, want[k])
					}
				}
			}
			return wide(widest)
		})
	}
}

// Lanes with the same diagonals are told from those where one column differs, and their widths
// are the largest, on all sets.
func TestSameDiagonals(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	a := &arena{t: t}
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 27, 32, 33, 70} {
		for _, lanes := range []int{1, 5, 8, 32} {
			first := make([]int32, lanes)
			var width []uint8
			var col []int32
			for l := range first {
				for range rng.IntN(3) { // of other rows
					width, col = append(width, MaxSlotWidth), append(col, 5)
				}
				first[l] = int32(len(col))
				for k := range n {
					width, col = append(width, uint8(1+rng.IntN(MaxSlotWidth))), append(col, int32(10*k+l+k*k))
				}
			}
			for _, wrong := range []int{-1, rng.IntN(n)} {
				if wrong >= 0 && lanes > 1 {
					col[int(first[1+rng.IntN(lanes-1)])+wrong]++
				}
				everywhere(a, fmt.Sprintf("SameDiagonals of %d lanes, %d items", lanes, n), nil, func(set *Set) []float64 {
					w := put(a, slices.Concat(width, make([]uint8, WidthPadding)))[:len(width)]
					widest := put(a, make([]uint8, n))
					if same := set.SameDiagonals(widest, w, put(a, col), put(a, first)); same != (wrong < 0 || lanes == 1) {
						t.Fatalf("%d lanes, %d items, %d wrong: %v", lanes, n, wrong, same)
					} else if !same {
						return nil
					}
					for k, got := range widest {
						want := uint8(0)
						for _, from := range first {
							want = max(want, width[int(from)+k])
						}
						if got != want {
							t.Fatalf("%d lanes, item %d of %d: width %d, want %d", lanes, k, n, got, want)
						}
					}
					return nil
				})
			}
		}
	}
}

// What is packed comes out again, and all sets pack the same bytes.
func TestPackSlots(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	a := &arena{t: t}
	for range 40 {
		m := make([]int64, 50)
		slotCount := 1 + rng.IntN(12)
		items, widths := make([]int32, Lanes*slotCount), make([]uint8, slotCount)
		for k := range widths {
			widths[k] = uint8(1 + rng.IntN(MaxSlotWidth))
		}
		narrowest := slices.Min(widths)
		for k := range m {
			m[k] = int64(rng.Uint64()) >> (64 - narrowest)
		}
		var bytesOf [2]int
		for k, w := range widths {
			bytesOf[k&1] += int(w)
			for l := range Lanes {
				items[Lanes*k+l] = int32(rng.IntN(len(m)+9) - 9)
			}
		}
		everywhere(a, fmt.Sprintf("PackSlots of widths %d", widths), nil, func(set *Set) []float64 {
			even, odd := put(a, make([]byte, bytesOf[0]+SlotPadding)), put(a, make([]byte, bytesOf[1]+SlotPadding))
			set.PackSlots(even, odd, put(a, m), put(a, items), put(a, widths))
			var at [2]int
			for k, w := range widths {
				var out [Lanes]float64
				slotValues(&out, [2][]byte{even, odd}[k&1][at[k&1]:], int(w), 0)
				at[k&1] += int(w)
				for l, v := range out {
					if e := items[Lanes*k+l]; e < 0 && v != 0 || e >= 0 && v != float64(m[e]) {
						t.Fatalf("width %d, lane %d: %g", w, l, v)
					}
				}
			}
			return append(wide(even[:bytesOf[0]]), wide(odd[:bytesOf[1]])...)
		})
	}
}

// Slots of blocks of all sizes and widths come out again, and all sets pack the same bytes.
func TestPackBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for w := 1; w <= MaxSlotWidth; w++ {
		for b := 2; b <= MaxBlock; b++ {
			m := make([]int64, 400)
			for k := range m {
				m[k] = int64(rng.Uint64()) >> (64 - w)
			}
			var items BlockItems
			for l := range items.First {
				items.First[l], items.Stride[l] = int32(rng.IntN(101)-20), int32(b+rng.IntN(40))
			}
			var want [MaxBlock][]byte
			eachSet(t, func(t *testing.T, set *Set) {
				var to [MaxBlock][]byte
				for i := range b {
					to[i] = make([]byte, b*w+SlotPadding)
				}
				set.PackBlocks(&to, m, &items, b, w)
				for i := range b {
					to[i] = to[i][:b*w]
					if want[i] != nil && !bytes.Equal(want[i], to[i]) {
						t.Fatalf("%d x %d, width %d: %x, portable %x", b, b, w, to[i], want[i])
					}
					for j := range b {
						var out [Lanes]float64
						slotValues(&out, slices.Concat(to[i], make([]byte, SlotPadding))[j*w:], w, 0)
						for l, first := range items.First {
							v := 0.
							if first >= 0 {
								v = float64(m[int(first)+i*int(items.Stride[l])+j])
							}
							if out[l] != v {
								t.Fatalf("%d x %d, width %d, lane %d: %g, want %g", b, b, w, l, out[l], v)
							}
						}
					}
				}
				want = to
			})
		}
	}
}
