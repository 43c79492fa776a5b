package precond

import (
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// indefinites are symmetric matrices that are not definite.
func indefinites(t *testing.T) map[string]*csr.Matrix {
	return map[string]*csr.Matrix{
		"flow":       generated(t, "stokes2d", generate.Params{"n": 14}),
		"rock":       generated(t, "mixeddarcy2d", generate.Params{"n": 14}),
		"levelling":  generated(t, "leastsquares", generate.Params{"n": 12}),
		"program":    generated(t, "kkt", generate.Params{"n": 300}),
		"random":     withoutDiagonal(t, randomSparse(t, 301, 4, true, 5)),
		"quasi":      quasiDefinite(200, 90, 3),
		"two by two": withoutDiagonal(t, randomSparse(t, 2, 4, true, 5)),
	}
}

// withoutDiagonal sets every other diagonal element to zero, and couples neighbours.
func withoutDiagonal(t *testing.T, m *csr.Matrix) *csr.Matrix {
	return sparse(t, m.Rows, func(add func(i, j int, v float64)) {
		for i := range m.Rows {
			cols, vals := m.Row(i)
			for k, j := range cols {
				if int(j) != i || i%2 == 1 {
					add(i, int(j), vals[k])
				}
			}
			if other := i ^ 1; other < m.Rows {
				add(i, other, 1)
			}
		}
	})
}

// Factors with pairs solve to their bound, and have the same bits for any number of threads.
func TestPairedPivotsThreads(t *testing.T) {
	for name, m := range indefinites(t) {
		b := random(m.Rows, 3)
		var want []float64
		for _, threads := range []int{1, 2, 3, 8} {
			s := newSetup(t.Context(), m, Options{}, newPool(t, threads))
			c, err := s.pairedPivots()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if c == nil {
				t.Fatalf("%s: pairs do not suffice", name)
			}
			x := make([]float64, m.Rows)
			c.Apply(x, b)
			if want == nil {
				want = x
				if e := rowwise(m, refined(m, c, b), b); !(e < 1e-13) {
					t.Errorf("%s: error %g with %v", name, e, c)
				}
			}
			if !slices.Equal(x, want) {
				t.Errorf("%s: %d threads give other bits", name, threads)
			}
		}
	}
}

// L D L^T solves systems whose pivots may stay on the diagonal, and says that it does not solve the others.
func TestDiagonalPivots(t *testing.T) {
	for name, suffices := range map[string]bool{"quasi": true, "random": false} {
		m := indefinites(t)[name]
		s := setupOf(m, Options{})
		c, err := s.diagonalPivots()
		if err != nil {
			t.Fatal(err)
		}
		if c == nil && suffices {
			t.Errorf("%s: pivots on the diagonal do not suffice", name)
		}
		if c != nil {
			b := random(m.Rows, 3)
			if e := rowwise(m, refined(m, c, b), b); !(e < 1e-13) {
				t.Errorf("%s: error %g with %v", name, e, c)
			}
		}
	}
}

// Pairs are of two; rows without a pair have a diagonal entry unless the cycle is odd. Both of a pair have the same neighbours, and
// the matrix is as before but for zeros.
func TestPairs(t *testing.T) {
	for name, m := range indefinites(t) {
		match, _, err := transversal(t.Context(), m, nil)
		if err != nil {
			t.Fatal(err)
		}
		partner := pairs(match, m.Diagonal(nil))
		p := padded(m, partner)
		for i, j := range partner {
			if partner[j] != int32(i) {
				t.Fatalf("%s: the partner of %d is %d, whose is %d", name, i, j, partner[j])
			}
			a, _ := p.Row(i)
			b, _ := p.Row(int(j))
			if !slices.Equal(a, b) {
				t.Fatalf("%s: rows %d and %d have the columns %v and %v", name, i, j, a, b)
			}
			for _, k := range a {
				if p.At(i, int(k)) != m.At(i, int(k)) || p.At(int(k), i) != p.At(i, int(k)) {
					t.Fatalf("%s: element (%d, %d) is %g, was %g", name, i, k, p.At(i, int(k)), m.At(i, int(k)))
				}
			}
		}
		x, y, z := random(m.Cols, 1), make([]float64, m.Rows), make([]float64, m.Rows)
		m.MulVec(y, x)
		p.MulVec(z, x)
		for i := range y {
			if !(math.Abs(y[i]-z[i]) <= 1e-12*(1+math.Abs(y[i]))) {
				t.Fatalf("%s: row %d of the product is %g, was %g", name, i, z[i], y[i])
			}
		}
	}
}
