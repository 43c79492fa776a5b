package adaptive

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// pattern makes a rows x cols matrix; length says how many elements a row has.
func pattern(t testing.TB, rows, cols int, length func(i int) int) *csr.Matrix {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	b, err := csr.NewBuilder(rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		for range length(i) {
			if err := b.Add(i, rng.IntN(cols), rng.NormFloat64()*math.Exp2(-40*rng.Float64())); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.Build()
}

// plans are the kinds of slots that m can be stored in, those of the lower triangle
// included if it says all for this spec.
func plans(t *testing.T, m *csr.Matrix, s Spec) []estimate {
	t.Helper()
	b, err := newBuilder(m, s, newPool(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	b.mirrored = b.maybeSymmetric() && b.isSymmetric()
	b.spec.Narrow = true // layouts of FP64 have no error
	return b.plans()
}

// planned stores m in slots of that kind.
func planned(t *testing.T, m *csr.Matrix, s Spec, p slotPlan) Matrix {
	t.Helper()
	b, err := newBuilder(m, s, newPool(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.layout.row().build(b, choice{p, "a test"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// allLayouts stores m in buckets and in slots of every kind, and demands the same
// products, but for the order of their sums, and statistics that agree.
func allLayouts(t *testing.T, m *csr.Matrix, s Spec) {
	t.Helper()
	s.Layout = Bucketed
	buckets := build(t, m, s)
	x := random(5, m.Cols)
	y, z := make([]float64, m.Rows), make([]float64, m.Rows)
	buckets.Apply(z, x)
	sums := m.RowSums(nil)
	for _, e := range plans(t, m, s) {
		p := e.slotPlan
		a := planned(t, m, s, p)
		a.Apply(y, x)
		for i := range y {
			if math.Abs(y[i]-z[i]) > 1e-12*sums[i] {
				t.Fatalf("%s, %+v: row %d is %g in slots, %g in buckets", s.name(), p, i+1, y[i], z[i])
			}
		}
		if a.Stats().Dropped != buckets.Stats().Dropped || a.Stats().Bytes != a.Bytes() {
			t.Errorf("%s, %+v: %+v and %+v, %d bytes", s.name(), p, a.Stats(), buckets.Stats(), a.Bytes())
		}
		stored := 0
		for _, f := range a.Stats().Formats {
			stored += f.Count
		}
		if stored+a.Stats().Dropped != a.Stats().NNZ {
			t.Errorf("%+v: %d elements stored and %d dropped of %d", p, stored, a.Stats().Dropped, a.Stats().NNZ)
		}
	}
}

// Patterns that slices of eight rows and 16-bit columns could trip over: the
// stored matrix is the same, element by element, as in buckets.
func TestSlotsOfManyPatterns(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"1 x 1":          pattern(t, 1, 1, func(int) int { return 1 }),
		"7 rows":         pattern(t, 7, 9, func(i int) int { return i }),
		"8 rows":         pattern(t, 8, 9, func(i int) int { return 3 }),
		"9 rows":         pattern(t, 9, 9, func(i int) int { return 3 }),
		"empty":          pattern(t, 20, 20, func(int) int { return 0 }),
		"empty rows":     pattern(t, 50, 50, func(i int) int { return i % 3 }),
		"wide":           pattern(t, 40, 300000, func(int) int { return 20 }),
		"tall":           pattern(t, 3001, 10, func(int) int { return 4 }),
		"one dense row":  pattern(t, 100, 5000, func(i int) int { return 2 + i/99*2000 }),
		"one huge row":   pattern(t, 20, 200000, func(i int) int { return 1 + i/19*100000 }),
		"all dense":      pattern(t, 24, 2000, func(int) int { return 1500 }),
		"multiple of 60": pattern(t, 240, 120, func(i int) int { return i % 9 }),
		"wide blocks":    pattern(t, 120, 240000, func(i int) int { return 30 }),
		"several panels": pattern(t, 30003, 30003, func(i int) int { return 5 + i%4 }),
	} {
		t.Run(name, func(t *testing.T) {
			for _, eps := range []float64{0x1p-53, 0x1p-24, 0x1p-10} {
				for _, c := range Criteria {
					allLayouts(t, m, Spec{Set: set(t, "AFX"), Epsilon: eps, Criterion: c})
				}
			}
		})
	}
}

// A row that has nothing in common with its neighbours does not blow up.
func TestSlotsPaddingIsBounded(t *testing.T) {
	m := pattern(t, 8000, 200000, func(i int) int {
		if i%8 == 0 {
			return 2000
		}
		return 1
	})
	a := build(t, m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-24, Layout: Slots})
	if a.Bytes() > m.Bytes() {
		t.Errorf("%d bytes where FP64 CSR takes %d", a.Bytes(), m.Bytes())
	}
}

// A matrix stored in the memory of another is as if stored anew.
func TestRebuild(t *testing.T) {
	m := pattern(t, 3000, 3000, func(i int) int { return 5 + i%4 })
	other := pattern(t, 9000, 3000, func(i int) int { return i % 12 })
	spec := Spec{Set: set(t, "AFX"), Epsilon: 0x1p-24, Layout: Slots}
	x := random(3, 3000)
	var old Matrix
	for _, eps := range []float64{0x1p-53, 0x1p-24, 0x1p-37} {
		for _, m := range []*csr.Matrix{m, other, m} {
			for _, layout := range []Layout{Slots, SELL, Tiles, Bucketed, CSR, Diagonals, COO, ELL, Hybrid, SELL8, BCRS4x1} {
				spec.Epsilon, spec.Layout = eps, layout
				a, err := rebuild(old, m, spec, newPool(t, 2))
				if err != nil {
					t.Fatal(err)
				}
				got, want := make([]float64, m.Rows), make([]float64, m.Rows)
				a.Apply(got, x)
				build(t, m, spec).Apply(want, x)
				if !slices.Equal(got, want) {
					t.Fatalf("%s: other products after a rebuild", spec.name())
				}
				old = a
			}
		}
	}
}

// Full rows, which have more diagonals in common than one group of slots counts.
func TestManyDiagonals(t *testing.T) {
	const cols = 70000
	m := &csr.Matrix{Rows: lanes, Cols: cols, RowPtr: make([]int64, lanes+1), Val: random(6, lanes*cols)}
	for k := range m.Val {
		m.Col = append(m.Col, int32(k%cols))
		m.RowPtr[k/cols+1]++
	}
	for i := range lanes {
		m.RowPtr[i+1] += m.RowPtr[i]
	}
	allLayouts(t, m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-24})
}

// Diagonals of a matrix with more rows than columns: rows beyond the last column
// have them too.
func TestDiagonalsOfTallMatrix(t *testing.T) {
	const rows, cols, together = 40000, 1000, 20
	m := &csr.Matrix{Rows: rows, Cols: cols, RowPtr: make([]int64, rows+1)}
	for i := range rows {
		first := i/lanes*(cols-together-lanes)/(rows/lanes) + i%lanes
		for j := first; j < first+together; j++ {
			m.Col = append(m.Col, int32(j))
		}
		m.RowPtr[i+1] = int64(len(m.Col))
	}
	m.Val = random(7, len(m.Col))
	allLayouts(t, m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-24})
}

// Patterns from a fuzzer: products in slots and in buckets agree.
func FuzzSlots(f *testing.F) {
	f.Add([]byte{1, 2, 3}, uint16(10), uint8(24))
	f.Add([]byte{0, 0, 9, 200, 1, 1, 1, 1, 1}, uint16(60000), uint8(53))
	f.Fuzz(func(t *testing.T, lengths []byte, cols uint16, bits uint8) {
		if len(lengths) == 0 || len(lengths) > 100 || cols == 0 {
			return
		}
		m := pattern(t, len(lengths), int(cols), func(i int) int { return int(lengths[i]) })
		allLayouts(t, m, Spec{Set: set(t, "AFX"), Epsilon: math.Ldexp(1, -1-int(bits%53))})
	})
}
