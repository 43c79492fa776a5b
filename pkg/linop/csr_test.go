package linop

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// shapes are matrices of many and few panels, with empty and with huge rows.
func shapes() map[string]*csr.Matrix {
	rng := rand.New(rand.NewPCG(11, 12))
	return map[string]*csr.Matrix{
		"zero value": {},
		"0 rows":     {Cols: 3, RowPtr: []int64{0}},
		"1 x 1":      rowsOf(rng, 1, func(int) int { return 1 }),
		"small":      rowsOf(rng, 300, func(i int) int { return i % 7 }),
		"long":       rowsOf(rng, 100000, func(i int) int { return i % 5 }),
		"huge row": rowsOf(rng, 40000, func(i int) int {
			if i == 20000 {
				return 40000
			}
			return 1
		}),
		"all huge": rowsOf(rng, 60, func(int) int { return 60 }),
		"empty":    rowsOf(rng, 70000, func(int) int { return 0 }),
	}
}

func TestPanelsCoverAllRowsOnce(t *testing.T) {
	for name, m := range shapes() {
		t.Run(name, func(t *testing.T) {
			p := csr.Panels(m)
			if p[0] != 0 || p[len(p)-1] != m.Rows {
				t.Fatalf("panels run from %d to %d, rows are %d", p[0], p[len(p)-1], m.Rows)
			}
			for k := range len(p) - 1 {
				if p[k] >= p[k+1] {
					t.Errorf("panel %d is empty: rows %d to %d", k, p[k], p[k+1])
				}
				if rows := p[k+1] - p[k]; rows > 1 { // without its last row a panel is not full
					data := csr.Bytes(int64(rows-2), m.RowPtr[p[k+1]-1]-m.RowPtr[p[k]])
					if data >= csr.PanelBytes {
						t.Errorf("panel %d holds %d bytes before its last row", k, data)
					}
				}
			}
		})
	}
}

// Of values that float32 has, operators in both precisions give the same.
func TestCSRAgainstNaiveLoops(t *testing.T) {
	testCSRAgainstNaiveLoops(t, NewCSR)
	testCSRAgainstNaiveLoops(t, NewCSR32)
}

func testCSRAgainstNaiveLoops(t *testing.T, newCSR func(*csr.Matrix, *parallel.Pool) *CSR) {
	for name, m := range shapes() {
		t.Run(name, func(t *testing.T) {
			for k, v := range m.Val {
				m.Val[k] = float64(float32(v))
			}
			rng := rand.New(rand.NewPCG(13, 14))
			a := newCSR(m, newPool(t, 3))
			if r, c := a.Dims(); r != m.Rows || c != m.Cols {
				t.Fatalf("Dims = %d, %d", r, c)
			}
			x, b, w := random(rng, m.Cols), random(rng, m.Rows), random(rng, m.Rows)
			y, r, rdd := make([]float64, m.Rows), make([]float64, m.Rows), make([]float64, m.Rows)
			a.Apply(y, x)
			a.Residual(r, b, x)
			Accurate{a}.Residual(rdd, b, x)
			for i := range m.Rows {
				cols, vals := m.Row(i)
				exact, size := dd.DD{}, math.Abs(b[i])
				for k, j := range cols {
					exact = exact.AddProd(vals[k], x[j])
					size += math.Abs(vals[k] * x[j])
				}
				if !near(y[i], exact.Float(), size, len(cols)) {
					t.Fatalf("(A x)_%d = %v, want %v", i, y[i], exact.Float())
				}
				want := dd.From(b[i]).Sub(exact).Float()
				if !near(r[i], want, size, len(cols)) {
					t.Fatalf("residual %d = %v, want %v", i, r[i], want)
				}
				if math.Abs(rdd[i]-want) > 0x1p-52*math.Abs(want)+0x1p-95*size {
					t.Fatalf("accurate residual %d = %v, want %v", i, rdd[i], want)
				}
			}
			y2 := make([]float64, m.Rows)
			dotClose(t, "ApplyDot", a.ApplyDot(y2, x, w), y, w)
			if !sameBits(y, y2) {
				t.Error("Apply and ApplyDot give different products")
			}
			if m.Rows == m.Cols {
				dotClose(t, "ApplyDot with its argument", a.ApplyDot(y2, x, x), y, x)
			}
		})
	}
}

// Cancellation leaves the plain residual no digit, the accurate one all.
func TestAccurateResidualCancels(t *testing.T) {
	m := &csr.Matrix{Rows: 1, Cols: 2, RowPtr: []int64{0, 2}, Col: []int32{0, 1}, Val: []float64{1e8 + 1, 1e8 - 1}}
	x := []float64{1e8 - 1, -(1e8 + 1)}
	x[0] += 1.0 / (1 << 26) // A x = (1e8+1) / 2^26, exactly
	b, r := []float64{0}, []float64{0}
	a := NewCSR(m, newPool(t, 1))
	want := -(1e8 + 1) / (1 << 26)
	Accurate{a}.Residual(r, b, x)
	if r[0] != want {
		t.Errorf("accurate residual %v, want %v", r[0], want)
	}
	if a.Residual(r, b, x); r[0] == want {
		t.Error("the plain residual is exact too: the test shows nothing")
	}
}

// products appends every product of a with x and its residual to trace.
func products(a *CSR, y, x, b, trace []float64) []float64 {
	a.Apply(y, x)
	trace = append(append(trace, y...), a.ApplyDot(y, x, b).Float())
	dw, dd := a.ApplyDots(y, x, b)
	trace = append(append(trace, y...), dw.Float(), dd.Float())
	a.Residual(y, b, x)
	trace = append(trace, y...)
	Accurate{a}.Residual(y, b, x)
	return append(trace, y...)
}

func TestCSRSameBitsForAnyThreads(t *testing.T) {
	for name, m := range shapes() {
		for _, newCSR := range []func(*csr.Matrix, *parallel.Pool) *CSR{NewCSR, NewCSR32} {
			rng := rand.New(rand.NewPCG(15, 16))
			x, b, y := random(rng, m.Cols), random(rng, m.Rows), make([]float64, m.Rows)
			want := products(newCSR(m, newPool(t, 1)), y, x, b, nil)
			for _, k := range threads[1:] {
				if !sameBits(products(newCSR(m, newPool(t, k)), y, x, b, nil), want) {
					t.Errorf("%s: %d threads give other bits than one", name, k)
				}
			}
		}
	}
}

func TestCSRDoesNotAllocate(t *testing.T) {
	m := rowsOf(rand.New(rand.NewPCG(17, 18)), 20000, func(i int) int { return i % 9 })
	x, b, y := random(rand.New(rand.NewPCG(1, 1)), m.Cols), make([]float64, m.Rows), make([]float64, m.Rows)
	trace := make([]float64, 0, 4*m.Rows+3)
	for _, k := range threads {
		for _, a := range []*CSR{NewCSR(m, newPool(t, k)), NewCSR32(m, newPool(t, k))} {
			if allocs := testing.AllocsPerRun(5, func() { products(a, y, x, b, trace) }); allocs != 0 {
				t.Errorf("%d threads: %v allocations", k, allocs)
			}
		}
	}
}

func TestTimedCountsAndPassesOn(t *testing.T) {
	m := rowsOf(rand.New(rand.NewPCG(19, 20)), 50, func(int) int { return 5 })
	a := NewCSR(m, newPool(t, 1))
	timed := &Timed[[]float64, Float64]{Operator: a}
	x, b := random(rand.New(rand.NewPCG(1, 1)), 50), random(rand.New(rand.NewPCG(2, 2)), 50)
	got, want := make([]float64, 50), make([]float64, 50)
	timed.Apply(got, x)
	if a.Apply(want, x); !sameBits(got, want) {
		t.Error("Apply differs")
	}
	if timed.ApplyDot(got, x, b) != a.ApplyDot(want, x, b) || !sameBits(got, want) {
		t.Error("ApplyDot differs")
	}
	timed.Residual(got, b, x)
	if a.Residual(want, b, x); !sameBits(got, want) {
		t.Error("Residual differs")
	}
	if r, c := timed.Dims(); r != 50 || c != 50 {
		t.Errorf("Dims = %d, %d", r, c)
	}
	if timed.Count != 3 || timed.Elapsed <= 0 {
		t.Errorf("Count = %d, Elapsed = %v after three products", timed.Count, timed.Elapsed)
	}
}
