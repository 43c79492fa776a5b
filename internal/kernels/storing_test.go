package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomWidths returns widths, followed by bytes that kernels may read.
func randomWidths(rng *rand.Rand, n int) []uint8 {
	w := make([]uint8, n, n+WidthPadding)
	most := 1 + rng.IntN(MaxSlotWidth)
	for k := range w {
		w[k] = uint8(1 + rng.IntN(most))
	}
	return w
}

func putWidths(a *arena, w []uint8) []uint8 { return put(a, w[:len(w)+WidthPadding])[:len(w)] }

func TestArrangeSlots(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, most := range []int{0, 1, 5, 31, 32, 33, 64, 100, 128, 129, 300} {
		testArrangeSlots(&arena{t: t}, rng, most)
	}
}

// testArrangeSlots checks that each lane's items are in the order of a stable sort.
func testArrangeSlots(a *arena, rng *rand.Rand, most int) {
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
	width, col := randomWidths(rng, int(n)), make([]int32, n)
	base := int32(rng.IntN(1 << 20))
	for k := range col {
		col[k] = base + int32(rng.IntN(1<<16))
	}
	everywhere(a, fmt.Sprintf("ArrangeSlots of runs of up to %d", most), nil, func(set *Set) []float64 {
		items, index, widest := put(a, make([]int32, Lanes*longest)), put(a, make([]uint16, Lanes*longest)), put(a, make([]uint8, longest))
		for k := range items { // to nonzero values before
			items[k], index[k] = 77, 77
		}
		set.ArrangeSlots(items, index, widest, &r, putWidths(a, width), put(a, col), base)
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
					a.t.Fatalf("runs of up to %d, lane %d: item %d in slot %d, want none", most, l, e, k)
				case k < len(want) && (e != want[k] || int32(at) != col[e]-base || widest[k] < width[e]):
					a.t.Fatalf("runs of up to %d, lane %d: item %d in slot %d, want %d", most, l, e, k, want[k])
				}
			}
		}
		return wide(widest)
	})
}

func TestSameDiagonals(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 27, 32, 33, 70} {
		for _, lanes := range []int{1, 5, 8, 32} {
			testSameDiagonals(&arena{t: t}, rng, n, lanes)
		}
	}
}

// testSameDiagonals checks that lanes with the same diagonals are distinguished from lanes where one column differs,
// and checks their items and widths.
func testSameDiagonals(a *arena, rng *rand.Rand, n, lanes int) {
	first := make([]int32, lanes)
	var col []int32
	for l := range first {
		for range rng.IntN(3) { // of other rows
			col = append(col, 5)
		}
		first[l] = int32(len(col))
		for k := range n {
			col = append(col, int32(10*k+l+k*k))
		}
	}
	width := randomWidths(rng, len(col))
	for _, wrong := range []int{-1, rng.IntN(n)} {
		if wrong >= 0 && lanes > 1 {
			col[int(first[1+rng.IntN(lanes-1)])+wrong]++
		}
		everywhere(a, fmt.Sprintf("SameDiagonals of %d lanes, %d items", lanes, n), nil, func(set *Set) []float64 {
			items, widest := put(a, make([]int32, n*lanes)), put(a, make([]uint8, n))
			same := set.SameDiagonals(items, widest, putWidths(a, width), put(a, col), put(a, first))
			if same != (wrong < 0 || lanes == 1) {
				a.t.Fatalf("%d lanes, %d items, %d wrong: %v", lanes, n, wrong, same)
			} else if !same {
				return nil
			}
			for k, got := range widest {
				want := uint8(0)
				for l, from := range first {
					if e := items[lanes*k+l]; e != from+int32(k) {
						a.t.Fatalf("%d lanes, item %d of %d is %d, want %d", lanes, k, n, e, int(from)+k)
					}
					want = max(want, width[int(from)+k])
				}
				if got != want {
					a.t.Fatalf("%d lanes, item %d of %d: width %d, want %d", lanes, k, n, got, want)
				}
			}
			return nil
		})
	}
}

// packedBits returns the bits of the value that m stands for in a slot of w bits.
func packedBits(m int64, w uint8) uint64 {
	if w == 64 {
		return uint64(m)
	}
	return math.Float64bits(float64(m))
}

func TestPackSlots(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 40 {
		testPackSlots(&arena{t: t}, rng)
	}
}

// testPackSlots checks that packed slots decode to the same integers.
func testPackSlots(a *arena, rng *rand.Rand) {
	m, widths := make([]int64, 50), randomWidths(rng, 1+rng.IntN(12))
	flags := uint16(0)
	if rng.IntN(4) == 0 { // numbers
		flags = Float
		for k := range widths {
			widths[k] = 64
		}
	}
	items := make([]int32, Lanes*len(widths))
	narrowest := slices.Min(widths)
	for k := range m {
		m[k] = int64(rng.Uint64()) >> (64 - narrowest)
	}
	var sizes [2]int
	for k, w := range widths {
		sizes[k&1] += int(w)
		for l := range Lanes {
			items[Lanes*k+l] = int32(rng.IntN(len(m)+9) - 9)
		}
	}
	everywhere(a, fmt.Sprintf("PackSlots of widths %d", widths), nil, func(set *Set) []float64 {
		even, odd := put(a, make([]byte, sizes[0]+SlotPadding)), put(a, make([]byte, sizes[1]+SlotPadding))
		set.PackSlots(even, odd, put(a, m), put(a, items), put(a, widths))
		var at [2]int
		for k, w := range widths {
			var out [Lanes]float64
			slotValues(&out, [2][]byte{even, odd}[k&1][at[k&1]:], int(w), flags)
			at[k&1] += int(w)
			for l, v := range out {
				if e := items[Lanes*k+l]; e < 0 && v != 0 || e >= 0 && math.Float64bits(v) != packedBits(m[e], w) {
					a.t.Fatalf("width %d, lane %d: %g", w, l, v)
				}
			}
		}
		return append(wide(even[:sizes[0]]), wide(odd[:sizes[1]])...)
	})
}

func TestPackBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for b := 2; b <= MaxBlock; b++ {
		for w := 1; w <= MaxSlotWidth; w += 1 + rng.IntN(3) {
			testPackBlocks(&arena{t: t}, rng, w, b)
		}
		testPackBlocks(&arena{t: t}, rng, 64, b)
	}
}

// testPackBlocks checks that a packed slot of blocks decodes to the same integers.
func testPackBlocks(a *arena, rng *rand.Rand, w, b int) {
	m := make([]int64, 400)
	for k := range m {
		m[k] = int64(rng.Uint64()) >> (64 - w)
	}
	var items BlockItems
	for l := range items.First {
		items.First[l], items.Stride[l] = int32(rng.IntN(101)-20), int32(b+rng.IntN(40))
	}
	everywhere(a, fmt.Sprintf("PackBlocks, %d x %d of %d bits", b, b, w), nil, func(set *Set) (all []float64) {
		var to [MaxBlock][]byte
		for i := range b {
			to[i] = put(a, make([]byte, b*w+SlotPadding))
		}
		set.PackBlocks(&to, put(a, m), &items, b, w)
		for i := range b {
			values := slices.Concat(to[i][:b*w], make([]byte, SlotPadding))
			for j := range b {
				var out [Lanes]float64
				slotValues(&out, values[j*w:], w, uint16(w/64*Float))
				for l, first := range items.First {
					v := uint64(0)
					if first >= 0 {
						v = packedBits(m[int(first)+i*int(items.Stride[l])+j], uint8(w))
					}
					if math.Float64bits(out[l]) != v {
						a.t.Fatalf("%d x %d, width %d, lane %d: %g, want the bits %x", b, b, w, l, out[l], v)
					}
				}
			}
			all = append(all, wide(values)...)
		}
		return all
	})
}

func TestRowsToStore(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for range 30 {
		testRows(&arena{t: t}, rng)
	}
}

// testRows checks the widths of blocks, mirrors and sums of magnitudes.
func testRows(a *arena, rng *rand.Rand) {
	b, blocks := 2+rng.IntN(MaxBlock-1), rng.IntN(40)
	stride := b*blocks + rng.IntN(3)
	width := randomWidths(rng, stride*(b-1)+b*blocks)
	everywhere(a, fmt.Sprintf("BlockWidths of %d blocks of size %d", blocks, b), nil, func(set *Set) []float64 {
		widest := put(a, make([]uint8, blocks))
		set.BlockWidths(widest, putWidths(a, width), stride, b)
		for k, got := range widest {
			want := uint8(0)
			for r := range b {
				want = max(want, slices.Max(width[r*stride+b*k:][:b]))
			}
			if got != want {
				a.t.Fatalf("block %d of %d of size %d: %d bits, want %d", k, blocks, b, got, want)
			}
		}
		return nil
	})

	c := randomCSR[float64](rng, rowLengths(rng), 40)
	c.val = numbers[float64](rng, len(c.val))
	everywhere(a, fmt.Sprintf("AbsSums of %d rows", c.rows()), nil, func(set *Set) []float64 {
		sums := put(a, make([]float64, c.rows()))
		set.AbsSums(sums, put(a, c.ptr), put(a, c.val))
		return sums
	})

	const n, rows = 20, 12 // a symmetric matrix, and one that differs in an element
	row := rng.IntN(n - rows)
	var first, col []int32
	var m []int64
	weights := make([]uint64, n)
	for i := range weights {
		weights[i] = rng.Uint64() | 1
	}
	first = append(first, 0)
	for range rows {
		for j := range n {
			if rng.IntN(2) == 0 {
				col, m = append(col, int32(j)), append(m, int64(rng.Uint64())>>7)
			}
		}
		first = append(first, int32(len(col)))
	}
	everywhere(a, "Mirror", nil, func(set *Set) []float64 {
		sum := set.Mirror(put(a, first), put(a, col), put(a, m), put(a, weights), row)
		return []float64{float64(sum >> 32), float64(uint32(sum))}
	})
}

// The mirrors of the rows of a symmetric matrix add up to 0; if one element differs they do not.
func TestMirror(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	const n = 30
	weights := make([]uint64, n)
	for i := range weights {
		weights[i] = rng.Uint64() | 1
	}
	first, col, m := []int32{0}, []int32(nil), []int64(nil)
	value := func(i, j int) int64 { return int64((i+1)*(j+1)) << 40 / int64(1+i+j) }
	for i := range n {
		for j := range n {
			if (i*j)%3 != 1 {
				col, m = append(col, int32(j)), append(m, value(i, j))
			}
		}
		first = append(first, int32(len(col)))
	}
	eachSet(t, func(t *testing.T, set *Set) {
		if set.Mirror(first, col, m, weights, 0) != 0 {
			t.Error("a symmetric matrix is not 0")
		}
		for range 100 {
			k, bit := rng.IntN(len(m)), int64(1)<<rng.IntN(57)
			i, _ := slices.BinarySearch(first, int32(k+1))
			m[k] ^= bit
			if sum := set.Mirror(first, col, m, weights, 0); (sum == 0) != (int(col[k]) == i-1) {
				t.Errorf("element %d differs by %d: %d", k, bit, sum)
			}
			m[k] ^= bit
		}
	})
}
