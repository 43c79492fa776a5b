package backend

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Scaling by powers of two gives the bits of dd.Ldexp, whatever the exponents and the
// shift, and the norms and the row error of scaled vectors are those of vectors that are
// made.
func TestHostPowers(t *testing.T) {
	const n = 70_000
	rng := rand.New(rand.NewPCG(41, 42))
	pool := parallel.New(3)
	defer pool.Close()
	h := NewHost(&csr.Matrix{Rows: n, Cols: n, RowPtr: make([]int64, n+1)}, pool)
	x, z, weights, b := testsupport.Random(1, n), testsupport.Random(2, n), testsupport.Random(3, n), testsupport.Random(4, n)
	for i := range n {
		weights[i] = math.Abs(weights[i])
	}
	z[5], z[77], weights[9], weights[10], b[10] = 0, 0x1p-1060, math.MaxFloat64, 0, 0
	for _, width := range []int{0, 90, 1000} {
		e := make([]int, n)
		for i := range e {
			e[i] = rng.IntN(2*width+1) - width
		}
		for _, sign := range []int{1, -1} {
			d := h.Powers(e, sign).(hostPowers)
			if (d.power == nil) != (width == 1000) {
				t.Fatalf("exponents to %d: %d powers", width, len(d.power))
			}
			for _, shift := range []int{0, -20, 800, -1000} {
				scaled, sum := h.New(), h.New()
				d.Ldexp(scaled, z, -1, shift)
				d.AddLdexp(sum, x, z, shift)
				for i := range n {
					v := dd.Ldexp(z[i], sign*e[i]+shift)
					if scaled[i] != -v || sum[i] != x[i]+v {
						t.Fatalf("element %d, 2^%d 2^%d: %v and %v, want %v and %v", i, sign*e[i], shift, scaled[i], sum[i], -v, x[i]+v)
					}
				}
				normSum, normZ, ok := d.sumNorms(x, z, shift)
				rowError, also := d.rowError(z, shift, weights, 3, b)
				if ok != also || ok != (width < 1000 && shift > -1000) {
					t.Errorf("exponents to %d, shift %d: ok %v, %v", width, shift, ok, also)
				}
				if !ok {
					continue
				}
				want := 0.0
				for i := range n {
					want = max(want, Quotient(math.Abs(scaled[i]), weights[i], 3, math.Abs(b[i])))
				}
				if normSum != h.AbsMax(sum) || normZ != h.AbsMax(z) || math.Abs(rowError-want) > 1e-15*want || h.RowError(scaled, weights, 3, b) != rowError {
					t.Errorf("exponents to %d, shift %d: norms %v, %v, row error %v, want %v", width, shift, normSum, normZ, rowError, want)
				}
			}
		}
	}
	d := h.Powers(make([]int, n), 1).(hostPowers)
	z[n-1] = math.NaN()
	_, normZ, _ := d.sumNorms(x, z, 0)
	if e, _ := d.rowError(z, 0, weights, 1, b); e == e || normZ == normZ {
		t.Errorf("row error %v, norm %v of a vector with NaN", e, normZ)
	}
}

func TestTimedCountsAndPassesOn(t *testing.T) {
	m := testsupport.Grid(7, 0, 0)
	a := linop.NewCSR(m, nil)
	timed := &Timed[[]float64, linop.Float64]{Operator: a}
	x, b := testsupport.Random(1, 49), testsupport.Random(2, 49)
	trace := func(a linop.Operator[[]float64, linop.Float64]) []float64 {
		y, z, r := make([]float64, 49), make([]float64, 49), make([]float64, 49)
		a.Apply(y, x)
		dot := a.ApplyDot(z, x, b).Float()
		a.Residual(r, b, x)
		rows, cols := a.Dims()
		return slices.Concat(y, z, r, []float64{dot, float64(rows), float64(cols)})
	}
	if !testsupport.SameBits(trace(timed), trace(a)) || timed.Count != 3 || timed.Elapsed <= 0 {
		t.Errorf("Count = %d, Elapsed = %v after three products, or they differ", timed.Count, timed.Elapsed)
	}
}
