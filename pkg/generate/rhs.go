package generate

import "github.com/mpsolve/mpsolve/pkg/csr"

// roundingNoise is the size of b_i, relative to the sum of magnitudes in row i, below
// which b = A·ones is rounding noise.
const roundingNoise = 1e-12

// DefaultRHS returns the right-hand side for a matrix that comes without one: A·ones, or
// A·x with the x of RandomVector and seed 1 where A·ones is only rounding noise; ones says
// which.
func DefaultRHS(m *csr.Matrix) (b []float64, ones bool) {
	b = make([]float64, m.Rows)
	for i := range b {
		_, vals := m.Row(i)
		sum, ok := rowSum(vals)
		b[i] = sum
		ones = ones || ok
	}
	if !ones {
		b = RandomRHS(m, 1)
	}
	return b, ones
}

// rowSum returns the sum of a row, and whether it is more than rounding noise.
func rowSum(vals []float64) (sum float64, ok bool) {
	var t float64
	for _, v := range vals {
		sum += v
		t += max(v, -v)
	}
	return sum, max(sum, -sum) > roundingNoise*t
}

// RandomRHS returns A·x for the x of RandomVector.
func RandomRHS(m *csr.Matrix, seed uint64) []float64 {
	b := make([]float64, m.Rows)
	m.MulVec(b, RandomVector(m.Cols, seed))
	return b
}

// RandomVector returns n numbers uniform in [-1, 1).
func RandomVector(n int, seed uint64) []float64 {
	x := make([]float64, n)
	fill(x, seed, 0)
	return x
}
