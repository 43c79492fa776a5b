package linop_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
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

// Of values that float32 has, operators in both precisions give the same.
func TestCSRAgainstDoubleDouble(t *testing.T) {
	for name, m := range shapes() {
		for k, v := range m.Val {
			m.Val[k] = float64(float32(v))
		}
		for _, newCSR := range []func(*csr.Matrix, *parallel.Pool) linop.CSR{linop.NewCSR, linop.NewCSR32} {
			a, exact := newCSR(m, newPool(t, 3)), testsupport.Operator{M: m}
			if r, c := a.Dims(); r != m.Rows || c != m.Cols {
				t.Fatalf("%s: Dims = %d, %d", name, r, c)
			}
			x, b, w := random(13, m.Cols), random(14, m.Rows), random(15, m.Rows)
			y, r, accurate := make([]float64, m.Rows), make([]float64, m.Rows), make([]float64, m.Rows)
			wantY, wantR := testsupport.Space(m.Rows).New(), testsupport.Space(m.Rows).New()
			a.Residual(r, b, x)
			linop.Accurate{CSR: a}.Residual(accurate, b, x)
			exact.Residual(wantR, testsupport.From(b), testsupport.From(x))
			dot, want := a.ApplyDot(y, x, w).Float(), exact.ApplyDot(wantY, testsupport.From(x), testsupport.From(w)).Float()
			if math.Abs(dot-want) > 1e-14*float64(m.NNZ()) {
				t.Errorf("%s: ApplyDot = %v, want %v", name, dot, want)
			}
			for i := range m.Rows {
				cols, _ := m.Row(i)
				rounding, want := 1e-15*float64(len(cols)+1), wantR[i].Float()
				if math.Abs(y[i]-wantY[i].Float()) > rounding || math.Abs(r[i]-want) > rounding {
					t.Fatalf("%s: row %d: A x = %v, want %v; residual %v, want %v", name, i, y[i], wantY[i], r[i], want)
				}
				if math.Abs(accurate[i]-want) > 0x1p-52*math.Abs(want)+0x1p-40*rounding {
					t.Fatalf("%s: accurate residual %d is %v, want %v", name, i, accurate[i], want)
				}
			}
			if a.Apply(r, x); !sameBits(r, y) {
				t.Errorf("%s: Apply and ApplyDot give different products", name)
			}
			if h := linop.NewHost(m.Rows, nil); m.Rows == m.Cols && math.Abs((a.ApplyDot(r, x, x)-h.Dot(y, x)).Float()) > 1e-14*float64(m.NNZ()) {
				t.Errorf("%s: ApplyDot with its argument", name)
			}
		}
	}
}

// Cancellation leaves the plain residual no digit, the accurate one all.
func TestAccurateResidualCancels(t *testing.T) {
	m := &csr.Matrix{Rows: 1, Cols: 2, RowPtr: []int64{0, 2}, Col: []int32{0, 1}, Val: []float64{1e8 + 1, 1e8 - 1}}
	x := []float64{1e8 - 1, -(1e8 + 1)}
	x[0] += 1.0 / (1 << 26) // A x = (1e8+1) / 2^26, exactly
	b, r := []float64{0}, []float64{0}
	a := linop.NewCSR(m, newPool(t, 1))
	want := -(1e8 + 1) / (1 << 26)
	linop.Accurate{CSR: a}.Residual(r, b, x)
	if r[0] != want {
		t.Errorf("accurate residual %v, want %v", r[0], want)
	}
	if a.Residual(r, b, x); r[0] == want {
		t.Error("the plain residual is exact too: the test shows nothing")
	}
}

// products appends every product of a with x and its residual to trace.
func products(a linop.CSR, y, x, b, trace []float64) []float64 {
	a.Apply(y, x)
	trace = append(append(trace, y...), a.ApplyDot(y, x, b).Float())
	dw, dd := a.ApplyDots(y, x, b)
	trace = append(append(trace, y...), dw.Float(), dd.Float())
	a.Residual(y, b, x)
	trace = append(trace, y...)
	linop.Accurate{CSR: a}.Residual(y, b, x)
	return append(trace, y...)
}

func TestCSRSameBitsForAnyThreads(t *testing.T) {
	for name, m := range shapes() {
		for _, newCSR := range []func(*csr.Matrix, *parallel.Pool) linop.CSR{linop.NewCSR, linop.NewCSR32} {
			x, b, y := random(15, m.Cols), random(16, m.Rows), make([]float64, m.Rows)
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
	x, b, y := random(1, m.Cols), make([]float64, m.Rows), make([]float64, m.Rows)
	trace := make([]float64, 0, 4*m.Rows+3)
	for _, k := range threads {
		for _, a := range []linop.CSR{linop.NewCSR(m, newPool(t, k)), linop.NewCSR32(m, newPool(t, k))} {
			if allocs := testing.AllocsPerRun(20, func() { products(a, y, x, b, trace) }); allocs != 0 {
				t.Errorf("%d threads: %v allocations", k, allocs)
			}
		}
	}
}
