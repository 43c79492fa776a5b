package krylov

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// hessenberg is a random upper Hessenberg matrix of n columns and n+1 rows.
func hessenberg(rng *rand.Rand, n int, scale float64) *mat.Dense {
	h := mat.NewDense(n+1, n, nil)
	for i := range n + 1 {
		for j := max(0, i-1); j < n; j++ {
			h.Set(i, j, scale*rng.NormFloat64())
		}
	}
	return h
}

// The minimiser and its residual against gonum's QR, at every size that the
// solver passes through, one object used for all.
func TestLeastSquaresAgainstQR(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	l := newLeastSquares(linop.Float64(1), 0x1p-53)
	for _, n := range []int{1, 7, 3, 12} {
		for _, scale := range []float64{1, 1e200, 1e-200} {
			t.Run(fmt.Sprint(n, scale), func(t *testing.T) {
				h, beta := hessenberg(rng, n, scale), 2.5*scale
				l.begin(linop.Float64(beta))
				for j := range n {
					col, size := make([]linop.Float64, j+1), 0.0
					for i := range col {
						col[i] = linop.Float64(h.At(i, j))
						size += math.Abs(h.At(i, j))
					}
					size += math.Abs(h.At(j+1, j))
					if got := l.add(col, linop.Float64(h.At(j+1, j))); math.Abs(got-size) > 1e-14*size {
						t.Errorf("size of column %d is %g, want %g", j, got, size)
					}
					checkLeastSquares(t, &l, h.Slice(0, j+2, 0, j+1), scale, beta)
				}
			})
		}
	}
}

func checkLeastSquares(t *testing.T, l *leastSquares[linop.Float64], h mat.Matrix, scale, beta float64) {
	t.Helper()
	rows, cols := h.Dims()
	hs, rhs := mat.NewDense(rows, cols, nil), mat.NewVecDense(rows, nil)
	hs.Scale(1/scale, h)
	rhs.SetVec(0, beta/scale)
	var want, r mat.VecDense
	if err := want.SolveVec(hs, rhs); err != nil {
		t.Fatal(err)
	}
	r.MulVec(hs, &want)
	r.SubVec(rhs, &r)
	if got, norm := l.residual()/scale, mat.Norm(&r, 2); math.Abs(got-norm) > 1e-12 {
		t.Errorf("%d columns: residual %g, want %g", cols, got, norm)
	}
	y := l.solve()
	if len(y) != cols {
		t.Fatalf("%d coefficients for %d columns", len(y), cols)
	}
	for i, v := range y {
		if math.Abs(v.Float()-want.AtVec(i)) > 1e-9*mat.Norm(&want, 2) {
			t.Errorf("%d columns: y_%d = %v, want %v", cols, i, v, want.AtVec(i))
		}
	}
}

// The columns from a zero pivot on have no coefficient.
func TestLeastSquaresStopsAtZeroPivot(t *testing.T) {
	l := newLeastSquares(linop.Float64(1), 0x1p-53)
	l.begin(3)
	l.add([]linop.Float64{2}, 0)
	l.add([]linop.Float64{5, 0}, 0)
	if y := l.solve(); len(y) != 1 || y[0] != 1.5 {
		t.Errorf("y = %v, want [1.5]", y)
	}
	if l.begin(7); len(l.solve()) != 0 || l.residual() != 7 {
		t.Error("no columns, but a solution")
	}
	if l.add([]linop.Float64{0}, 0); l.residual() != 7 {
		t.Errorf("a zero column reduces the residual to %v", l.residual())
	}
}
