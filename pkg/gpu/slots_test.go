package gpu

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

func afx(t testing.TB, c adaptive.Criterion, eps float64) adaptive.Spec {
	t.Helper()
	s, err := adaptive.LookupSet("AFX")
	if err != nil {
		t.Fatal(err)
	}
	return adaptive.Spec{Set: s, Criterion: c, Epsilon: eps}
}

func slotted(t testing.TB, d *Device, m *csr.Matrix, s adaptive.Spec, threads int) Matrix {
	t.Helper()
	pool := parallel.New(threads)
	defer pool.Close()
	a, err := NewMatrix(d, m, s, pool)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

// Every product of every layout has the bits of the oracle, which are within the bound.
func TestSlots(t *testing.T) {
	epsilons := []float64{0x1p-37, 0x1p-10, 0x1p-24, 0x1p-53}
	if testing.Short() {
		epsilons = epsilons[:1]
	}
	matrices, exacts := slotMatrices(t), map[string]*exactProduct{}
	for name, m := range matrices {
		exacts[name] = newExact(m, normal(m.Cols, 3))
	}
	eachDevice(t, func(t *testing.T, d *Device) {
		for _, name := range slices.Sorted(maps.Keys(matrices)) {
			m := matrices[name]
			t.Run(name, func(t *testing.T) {
				exact := exacts[name]
				for _, l := range []adaptive.Layout{adaptive.LayoutAuto, adaptive.Slots} {
					if l == adaptive.Slots {
						limitBlocks(t, 2)
					}
					for _, c := range adaptive.Criteria {
						for _, eps := range epsilons {
							if spent(d, 40_000) {
								continue
							}
							s := afx(t, c, eps)
							s.Layout = l
							checkSlots(t, slotted(t, d, m, s, 1), exact, s)
						}
					}
				}
			})
		}
	})
}

func TestSlotsOfRealMatrices(t *testing.T) {
	testsupport.Folder(t)
	names := []string{"bcsstk08", "west2021", "bcsstk14", "memplus", "ScaleMicrogrid_Jacobian_N1000_01", "fidap007", "mcca", "fs_183_3", "tols4000"}
	if testing.Short() {
		names = names[:2]
	}
	eachDevice(t, func(t *testing.T, d *Device) {
		for _, name := range names {
			m := testsupport.Matrix(t, name)
			t.Run(name, func(t *testing.T) {
				exact := newExact(m, normal(m.Cols, 3))
				for _, c := range adaptive.Criteria {
					for _, eps := range []float64{0x1p-24, 0x1p-53} {
						if spent(d, 40_000) {
							continue
						}
						s := afx(t, c, eps)
						checkSlots(t, slotted(t, d, m, s, 2), exact, s)
					}
				}
			})
		}
	})
}

func checkSlots(t *testing.T, a Matrix, exact *exactProduct, s adaptive.Spec) {
	t.Helper()
	what := fmt.Sprintf("%v, %s", s, a.LayoutText())
	o := readBack(a)
	o.multiply(exact.x, a.(*deviceMatrix).rows)
	if e, bound := exact.error(s.Criterion, o.y), s.Bound(exact.longest, 1).Product; !(e <= bound) {
		t.Errorf("%s: error %g is above the bound %g", what, e, bound)
	}
	checkProducts(t, what, a, exact.x, o.y, o.dot)
	narrow := &a.(*deviceMatrix).stored.(*slotStorage).narrow
	*narrow = packed.MaxWidth - *narrow
	in, out := newSpace(a.(*deviceMatrix).d, a.(*deviceMatrix).cols), newSpace(a.(*deviceMatrix).d, a.(*deviceMatrix).rows)
	defer in.Close()
	defer out.Close()
	y := out.New()
	a.Apply(y, onDevice(in, exact.x)[0])
	sameVector(t, out, fmt.Sprintf("%s, narrow %d", what, *narrow), y, o.y)
}

// The bytes are the same whatever the number of threads.
func TestSlotsOfThreads(t *testing.T) {
	d := emulated(t)
	rows := 60000.0
	if testing.Short() {
		rows = 30000
	}
	m := generated(t, "powerlaw", generate.Params{"n": rows})
	one := readBack(slotted(t, d, m, afx(t, adaptive.CW, 0x1p-30), 1))
	three := readBack(slotted(t, d, m, afx(t, adaptive.CW, 0x1p-30), 3))
	if n := min(len(one.stream), len(three.stream)); len(one.ptr) < int(rows)/60 || !slices.Equal(one.ptr, three.ptr) || !slices.Equal(one.stream[:n-4096], three.stream[:n-4096]) {
		t.Errorf("%d and %d slices, %d and %d words", len(one.ptr), len(three.ptr), len(one.stream), len(three.stream))
	}
}

func TestNoSuchLayout(t *testing.T) {
	d := emulated(t)
	m := generated(t, "poisson2d", generate.Params{"n": 3})
	for _, l := range []adaptive.Layout{adaptive.Tiles, adaptive.Symmetric} {
		s := afx(t, adaptive.NW, 0x1p-20)
		s.Layout = l
		if _, err := NewMatrix(d, m, s, nil); err == nil {
			t.Errorf("%s: no error", l)
		}
	}
}

// Layouts asked for by name: what they make of a matrix that suits them, and of one that
// does not.
func TestSlotsByName(t *testing.T) {
	const elements, blocks, diagonals, fp64 = "slots: 32 lanes, 16-bit columns", "slots of 3 x 3 blocks, 32 lanes", "slots of diagonals, 32 lanes", "csr"
	grid, body, scattered := generated(t, "poisson3d", generate.Params{"n": 10}), generated(t, "elasticity3d", generate.Params{"n": 5}), sparse(400, 400, func(i int) int { return i % 9 })
	eachDevice(t, func(t *testing.T, d *Device) {
		for _, c := range []struct {
			layout                adaptive.Layout
			grid, body, scattered string
		}{
			{adaptive.LayoutAuto, diagonals, blocks, elements},
			{adaptive.Slots, elements, elements, elements},
			{adaptive.Blocks, diagonals, blocks, elements},
			{adaptive.Diagonals, diagonals, elements, elements},
			{adaptive.CSR, fp64, fp64, fp64},
		} {
			for _, on := range []struct {
				name, want string
				m          *csr.Matrix
			}{{"grid", c.grid, grid}, {"body", c.body, body}, {"scattered", c.scattered, scattered}} {
				if spent(d, 40_000) {
					continue
				}
				s := afx(t, adaptive.NW, 0x1p-30)
				s.Layout = c.layout
				a := slotted(t, d, on.m, s, 1)
				if got := a.LayoutText(); got != on.want {
					t.Errorf("%s, layout %s: %q, want %q", on.name, c.layout, got, on.want)
				}
				if c.layout != adaptive.CSR {
					checkSlots(t, a, newExact(on.m, normal(on.m.Cols, 3)), s)
				}
			}
		}
	})
}

// A stream whose offsets would not fit 32 bits is refused, and nothing is left of it.
func TestSlotsRefusesLongStreams(t *testing.T) {
	d := emulated(t)
	m := generated(t, "poisson2d", generate.Params{"n": 30})
	defer func(words int64) { mostWords = words }(mostWords)
	words := slotted(t, d, m, afx(t, adaptive.NW, 0x1p-30), 1).(*deviceMatrix).stored.(*slotStorage).stream.bytes / 4
	mostWords = words
	slotted(t, d, m, afx(t, adaptive.NW, 0x1p-30), 1)
	live := d.live
	mostWords--
	if _, err := NewMatrix(d, m, afx(t, adaptive.NW, 0x1p-30), nil); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("takes %d words", words)) || d.Err() != nil {
		t.Errorf("errors %v, %v", err, d.Err())
	}
	if d.live != live {
		t.Errorf("%d buffers are left", d.live-live)
	}
}

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
		for width := 1; width <= packed.MaxWidth; width++ {
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
				for _, s.narrow = range []uint32{0, packed.MaxWidth} {
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
	for width := range packed.MaxWidth {
		f.Add(uint64(1), width+1)
	}
	f.Fuzz(func(t *testing.T, seed uint64, width int) {
		if width < 1 || width > packed.MaxWidth {
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
