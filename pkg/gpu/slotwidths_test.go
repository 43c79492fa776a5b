package gpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/sell"
)

// A kernel reads integers of every width, the least and the greatest among them, with any
// number of slots in a run.
func TestSlotsOfEveryWidth(t *testing.T) {
	const rows = 19
	eachDevice(t, func(t *testing.T, d *Device) {
		space := newSpace(d, rows)
		defer space.Close()
		x, y := space.New(), space.New()
		xs := normal(rows, 1)
		space.Upload(x, xs)
		for width := 1; width <= sell.MaxWidth; width++ {
			for _, block := range []int{1, 2, 3, 6} {
				if block > 1 && width%5 > 0 {
					continue
				}
				n := 1 + width%7
				stream := []uint32{0, uint32(rows/block)<<3 | 1<<11, 0, uint32(width | n<<8)}
				for range n {
					stream = append(stream, make([]uint32, warp/2)...)
				}
				for k := range n * block * block {
					m := integers(uint64(k), width)
					stream = packLanes(stream, &m, width)
				}
				s := &slotStorage{
					block: block, slices: 1,
					ptr: put(d, []uint32{0, uint32(len(stream))}), stream: put(d, append(stream, 0, 0)), unit: math.Ldexp(1, -width), exps: put(d, []int32{int32(-width)}),
				}
				a, err := made(d, rows, rows, s)
				if err != nil {
					t.Fatal(err)
				}
				o := readBack(a)
				o.multiply(xs, rows)
				for _, s.narrow = range []uint32{0, sell.MaxWidth} {
					space.Zero(y)
					a.Apply(y, x)
					got := make([]float64, rows)
					space.Download(got, y)
					if !slices.Equal(got, o.y) {
						t.Errorf("width %d, block %d, narrow %d: %v, want %v", width, block, s.narrow, got, o.y)
					}
				}
				a.Close()
			}
		}
	})
}

// integers are of so many bits and have the 53 bits of a float64; some are the least, the greatest, 0,
// or small.
func integers(seed uint64, width int) (m [warp]int64) {
	rng := rand.New(rand.NewPCG(seed, uint64(width)))
	for l := range m {
		m[l] = int64(rng.Uint64()) >> (64 - width)
		switch rng.IntN(6) {
		case 0:
			m[l] = -1 << (width - 1)
		case 1:
			m[l] = 1<<(width-1) - 1
		case 2:
			m[l] = 0
		case 3:
			m[l] >>= rng.IntN(width)
		}
		if width > 54 {
			m[l] = m[l] >> 4 << 4
		}
	}
	return m
}

// What is packed is what the oracle reads.
func FuzzPackLanes(f *testing.F) {
	for width := range sell.MaxWidth {
		f.Add(uint64(1), width+1)
	}
	f.Fuzz(func(t *testing.T, seed uint64, width int) {
		if width < 1 || width > sell.MaxWidth {
			t.Skip()
		}
		m := integers(seed, width)
		words := packLanes(nil, &m, width)
		if len(words) != width {
			t.Fatalf("%d words for %d bits", len(words), width)
		}
		for l, v := range m {
			if got := integer(words, l, width); got != float64(v) {
				t.Errorf("width %d, lane %d: %g, want %d", width, l, got, v)
			}
		}
	})
}
