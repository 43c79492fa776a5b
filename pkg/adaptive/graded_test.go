package adaptive

import (
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

func newGraded(t *testing.T, kind string, p generate.Params, pool *parallel.Pool, epsilons ...float64) (*csr.Matrix, Graded) {
	t.Helper()
	m, err := generate.Generate(kind, p)
	if err != nil {
		t.Fatal(err)
	}
	g, err := BuildGraded(m, epsilons, Spec{}, pool)
	if err != nil {
		t.Fatal(err)
	}
	return m, g
}

// TestGraded: products are within delta ||A|| ||x|| of those with the matrix, and within rounding with
// all parts; they read fewer bytes the larger delta is.
func TestGraded(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for _, c := range []struct {
		kind   string
		params generate.Params
	}{
		{"solid3d", generate.Params{"n": 7, "decades": 8, "seed": 1}},
		{"convdiff3d", generate.Params{"n": 9}},
		{"poisson2d", generate.Params{"n": 20}},
		{"powerlaw", generate.Params{"n": 700, "seed": 3}},
	} {
		m, g := newGraded(t, c.kind, c.params, pool, 0x1p-8, 0x1p-20, 0x1p-36, 0x1p-53)
		x, b, y, want := make([]float64, m.Cols), make([]float64, m.Rows), make([]float64, m.Rows), make([]float64, m.Rows)
		for i := range x {
			x[i], b[i] = math.Sin(float64(3*i)), math.Cos(float64(i))
		}
		linop.NewCSR(m, pool).Apply(want, x)
		norm := slices.Max(m.RowSums(pool))
		close := func(what string, delta float64) {
			for i := range y {
				if e := math.Abs(y[i] - want[i]); e > (delta+0x1p-45)*norm {
					t.Fatalf("%s: %s: row %d is off by %g, want at most %g", c.kind, what, i, e, delta*norm)
				}
			}
		}
		last := int64(math.MaxInt64)
		for _, delta := range []float64{0, 1e-15, 1e-9, 1e-5, 1e-2, 0.5} {
			before := g.Read()
			g.ApplyWithin(delta, y, x)
			close("ApplyWithin", delta)
			if read := g.Read() - before; read > last || read == 0 {
				t.Errorf("%s: delta %g reads %d bytes, a smaller one %d", c.kind, delta, read, last)
			} else {
				last = read
			}
		}
		g.Apply(y, x)
		close("Apply", 0)
		if dw, dd := g.ApplyDots(y, x, b); dw != linop.NewHost(m.Rows, pool).Dot(y, b) || dd != linop.NewHost(m.Rows, pool).Dot(y, y) || dw != g.ApplyDot(y, x, b) {
			t.Errorf("%s: inner products are not those of the product", c.kind)
		}
		g.Residual(y, b, x)
		for i := range want {
			want[i] = b[i] - want[i]
		}
		close("Residual", 0)
		if kernels.AbsMax(want) == 0 {
			t.Fatal("nothing was compared")
		}
	}
}

// TestGradedThreads: products have the same bits for any number of threads.
func TestGradedThreads(t *testing.T) {
	var want []float64
	for _, threads := range []int{1, 2, 5} {
		pool := parallel.New(threads)
		m, g := newGraded(t, "solid3d", generate.Params{"n": 8, "decades": 8, "seed": 1}, pool, 0x1p-10, 0x1p-24, 0x1p-53)
		x, y := slices.Repeat([]float64{1.7}, m.Cols), make([]float64, m.Rows)
		g.ApplyWithin(1e-6, y, x)
		if pool.Close(); want == nil {
			want = y
		}
		if !slices.Equal(y, want) {
			t.Errorf("%d threads: other bits", threads)
		}
	}
}

// TestGradedFaults: a matrix of zeros has no parts, nor has one without accuracies.
func TestGradedFaults(t *testing.T) {
	pool := parallel.New(1)
	defer pool.Close()
	zero := &csr.Matrix{Rows: 2, Cols: 2, RowPtr: []int64{0, 0, 0}}
	one := &csr.Matrix{Rows: 1, Cols: 1, RowPtr: []int64{0, 1}, Col: []int32{0}, Val: []float64{1}}
	if _, err := BuildGraded(zero, []float64{0.1}, Spec{}, pool); err == nil {
		t.Error("a matrix of zeros has parts")
	}
	if _, err := BuildGraded(one, nil, Spec{}, pool); err == nil {
		t.Error("no part is enough")
	}
}
