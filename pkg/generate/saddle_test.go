package generate

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestKKTBlocks: H + D is positive definite, J has full rank, and the last block is
// -delta I; without nonconvex terms.
func TestKKTBlocks(t *testing.T) {
	for _, p := range []Params{
		{"n": 60},
		{"n": 60, "constraints": 0.9, "window": 3, "mean": 6, "dense": 5},
		{"n": 60, "regularisation": 1e-4, "decades": 12},
	} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			_, v := checked(t, "kkt", p)
			q, a := newQuadratic(v), dense(mustGenerate(t, "kkt", p))
			h := mat.NewSymDense(q.n, nil)
			smallest, largest := math.Inf(1), 0.0
			for i := range q.n {
				for j := range i + 1 {
					h.SetSym(i, j, a.At(i, j)/math.Sqrt(a.At(i, i)*a.At(j, j)))
				}
				smallest, largest = min(smallest, a.At(i, i)), max(largest, a.At(i, i))
			}
			var chol mat.Cholesky
			if !chol.Factorize(h) {
				t.Error("H + D is not positive definite")
			}
			if largest < 1e3*smallest {
				t.Errorf("diagonal from %g to %g", smallest, largest)
			}
			var svd mat.SVD
			if !svd.Factorize(a.Slice(q.n, q.n+q.m, 0, q.n), mat.SVDNone) || svd.Values(nil)[q.m-1] < 0.5 {
				t.Errorf("singular values of J: %v", svd.Values(nil))
			}
			for i := range q.m {
				for j := range q.m {
					want := 0.0
					if i == j {
						want = -q.delta
					}
					if got := a.At(q.n+i, q.n+j); got != want {
						t.Fatalf("entry (%d, %d) of the last block is %g, want %g", i, j, got, want)
					}
				}
			}
		})
	}
}

// TestNonconvex: with negative terms H + D has negative eigenvalues if D is small.
func TestNonconvex(t *testing.T) {
	m := mustGenerate(t, "kkt", Params{"n": 60, "constraints": 0, "nonconvex": 1, "decades": 12})
	a := mat.NewSymDense(60, nil)
	m.DoNonZero(func(i, j int, v float64) { a.SetSym(i, j, v) })
	var eigen mat.EigenSym
	if !eigen.Factorize(a, false) || eigen.Values(nil)[0] > -0.1 {
		t.Errorf("eigenvalues %v", eigen.Values(nil))
	}
}

// TestLevelling: equal heights differ nowhere; only the first observation and the
// constraints see them.
func TestLevelling(t *testing.T) {
	p := Params{"n": 7, "fixed": 5, "decades": 10}
	_, v := checked(t, "leastsquares", p)
	l, m := newLevelling(v), mustGenerate(t, "leastsquares", p)
	heights := make([]float64, m.Rows)
	for i := range l.points() {
		heights[l.observations()+i] = 1
	}
	checkProduct(t, m, heights, func(row int) float64 {
		if row == 0 || row >= l.observations()+l.points() {
			return 1
		}
		return 0
	})
}

// TestMixedDarcyIsExactForUniformFlow: a flux of 1 from left to right in rock of
// permeability 1 has a pressure that falls by 1 a cell, and no flux is left over.
func TestMixedDarcyIsExactForUniformFlow(t *testing.T) {
	const n = 6
	m := mustGenerate(t, "mixeddarcy2d", Params{"n": n, "decades": 0})
	x := make([]float64, m.Rows)
	for i := range n * (n + 1) {
		x[i] = 1
	}
	for i := range n * n {
		x[2*n*n+i] = n - 0.5 - float64(i%n)
	}
	checkProduct(t, m, x, func(row int) float64 {
		if row < n*(n+1) && row%(n+1) == 0 {
			return n // the pressure on the left
		}
		return 0
	})
}

// TestStokesNullVector: enclosed, a constant pressure drives nothing; with an open side it
// pushes at the outflow.
func TestStokesNullVector(t *testing.T) {
	const n = 5
	for enclosed := range 2 {
		m := mustGenerate(t, "stokes2d", Params{"n": n, "enclosed": float64(enclosed)})
		x := make([]float64, m.Rows)
		for i := m.Rows - n*n; i < m.Rows; i++ {
			x[i] = 1
		}
		checkProduct(t, m, x, func(row int) float64 {
			if enclosed == 0 && row < n*n && row%n == n-1 {
				return -1
			}
			return 0
		})
	}
}

// TestStokesIsExactForPlaneFlow: u = y (n - y), v = 0 between two walls has the force
// -mu u” = 2 mu in every cell, far from the ends, and no divergence.
func TestStokesIsExactForPlaneFlow(t *testing.T) {
	const n = 8
	m := mustGenerate(t, "stokes2d", Params{"n": n, "decades": 0})
	x := make([]float64, m.Rows)
	for y := range n {
		for i := range n {
			h := float64(y) + 0.5
			x[y*n+i] = h * (n - h)
		}
	}
	got := make([]float64, m.Rows)
	m.MulVec(got, x)
	for y := 1; y < n-1; y++ { // the walls are half a cell away, where the formula is not exact
		for i := 1; i < n-1; i++ {
			if math.Abs(got[y*n+i]-2) > 1e-12 {
				t.Errorf("force %g at (%d, %d), want 2", got[y*n+i], i, y)
			}
			if cell := m.Rows - n*n + y*n + i; math.Abs(got[cell]) > 1e-12 {
				t.Errorf("divergence %g at (%d, %d)", got[cell], i, y)
			}
		}
	}
}
