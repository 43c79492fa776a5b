package gpu

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testmatrix"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/sell"
)

// matrixOf makes a matrix of rows that a function fills.
func matrixOf(t testing.TB, rows, cols int, row func(rng *rand.Rand, i int, add func(j int, v float64))) *csr.Matrix {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, uint64(rows)))
	b, err := csr.NewBuilder(rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		row(rng, i, func(j int, v float64) {
			if err := b.Add(i, j, v); err != nil {
				t.Fatal(err)
			}
		})
	}
	return b.Build()
}

// slotMatrices are generated ones of many shapes.
func slotMatrices(t testing.TB) map[string]*csr.Matrix {
	all := map[string]*csr.Matrix{
		"poisson2d":    generated(t, "poisson2d", generate.Params{"n": 23, "decades": 6}),
		"poisson3d":    generated(t, "poisson3d", generate.Params{"n": 11}),
		"elasticity3d": generated(t, "elasticity3d", generate.Params{"n": 5}),
		"powerlaw":     generated(t, "powerlaw", generate.Params{"n": 3000}),
		"stencil27":    generated(t, "stencil27", generate.Params{"n": 9}),
		"1x1":          matrixOf(t, 1, 1, func(_ *rand.Rand, _ int, add func(int, float64)) { add(0, -3) }),
		"empty rows": matrixOf(t, 70, 9, func(rng *rand.Rand, i int, add func(int, float64)) {
			if i%7 == 3 {
				add(i%9, rng.NormFloat64())
			}
		}),
		"range": matrixOf(t, 300, 300, func(rng *rand.Rand, i int, add func(int, float64)) {
			for _, j := range rng.Perm(300)[:1+i%40] {
				add(j, math.Ldexp(rng.NormFloat64(), rng.IntN(400)-200-3*i))
			}
			if i%3 > 0 {
				add(i, math.Ldexp(1, -800))
			}
		}),
		"subnormal": matrixOf(t, 40, 40, func(rng *rand.Rand, i int, add func(int, float64)) {
			add(i, math.Ldexp(rng.NormFloat64(), -1060))
			add((i+9)%40, math.Ldexp(rng.NormFloat64(), -1050))
		}),
		"dense row": matrixOf(t, 50, 20000, func(rng *rand.Rand, i int, add func(int, float64)) {
			for j := i; j < 20000; j++ {
				add(j, rng.NormFloat64())
				if i != 20 {
					j += 1000 * (1 + i%3)
				}
			}
		}),
		"far": matrixOf(t, 100, 400000, func(rng *rand.Rand, i int, add func(int, float64)) {
			for range 9 {
				add(rng.IntN(400000), rng.ExpFloat64())
			}
		}),
	}
	for b := 2; b <= 6; b++ {
		all[fmt.Sprint("blocks ", b)] = blockMatrix(t, b, 37)
	}
	all["long block rows"] = blockMatrix(t, 2, 5000)
	return all
}

// blockMatrix has blocks of b x b, the first block row full.
func blockMatrix(t testing.TB, b, n int) *csr.Matrix {
	return matrixOf(t, b*n, b*n, func(rng *rand.Rand, i int, add func(int, float64)) {
		step := n/9 + 1
		if i/b == 0 {
			step = 1
		}
		for k := i / b % step; k < n; k += step {
			for j := range b {
				add(k*b+j, math.Ldexp(rng.NormFloat64(), -rng.IntN(20)))
			}
		}
	})
}

func afx(t testing.TB, c adaptive.Criterion, eps float64) adaptive.Spec {
	t.Helper()
	s, err := adaptive.LookupSet("AFX")
	if err != nil {
		t.Fatal(err)
	}
	return adaptive.Spec{Set: s, Criterion: c, Epsilon: eps}
}

func slotted(t testing.TB, d *Device, m *csr.Matrix, s adaptive.Spec, threads int) *Matrix {
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
							if spent(d, 100_000) {
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
	testmatrix.Folder(t)
	names := []string{"bcsstk08", "west2021", "bcsstk14", "memplus", "ScaleMicrogrid_Jacobian_N1000_01", "fidap007", "mcca", "fs_183_3", "tols4000"}
	if testing.Short() {
		names = names[:2]
	}
	eachDevice(t, func(t *testing.T, d *Device) {
		for _, name := range names {
			m := testmatrix.Matrix(t, name)
			t.Run(name, func(t *testing.T) {
				exact := newExact(m, normal(m.Cols, 3))
				for _, c := range adaptive.Criteria {
					for _, eps := range []float64{0x1p-24, 0x1p-53} {
						if spent(d, 100_000) {
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

func checkSlots(t *testing.T, a *Matrix, exact *exactProduct, s adaptive.Spec) {
	t.Helper()
	what := fmt.Sprintf("%v, %s", s, a.LayoutText())
	o := readBack(a)
	o.multiply(exact.x, a.rows)
	if e, bound := exact.error(s.Criterion, o.y), s.Bound(exact.longest, 1).Product; !(e <= bound) {
		t.Errorf("%s: error %g is above the bound %g", what, e, bound)
	}
	checkProducts(t, what, a, exact.x, o.y, o.dot)
	narrow := &a.stored.(*slotStorage).narrow
	*narrow = narrowBits - *narrow
	in, out := NewSpace(a.d, a.cols), NewSpace(a.d, a.rows)
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
				if spent(d, 100_000) {
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
	words := slotted(t, d, m, afx(t, adaptive.NW, 0x1p-30), 1).stored.(*slotStorage).stream.bytes / 4
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
		space := NewSpace(d, rows)
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
					narrow: narrowBits * uint32(n%2),
				}
				a, err := made(d, rows, rows, s)
				if err != nil {
					t.Fatal(err)
				}
				o := readBack(a)
				o.multiply(xs, rows)
				space.Zero(y)
				a.Apply(y, x)
				got := make([]float64, rows)
				space.Download(got, y)
				if !slices.Equal(got, o.y) {
					t.Errorf("width %d, block %d: %v, want %v", width, block, got, o.y)
				}
				a.Close()
			}
		}
	})
}

// integers are of so many bits and have the 53 bits of a float64.
func integers(seed uint64, width int) (m [warp]int64) {
	rng := rand.New(rand.NewPCG(seed, uint64(width)))
	for l := range m {
		m[l] = int64(rng.Uint64()) >> (64 - width)
		switch rng.IntN(4) {
		case 0:
			m[l] = -1 << (width - 1)
		case 1:
			m[l] = 1<<(width-1) - 1
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
