package testsupport

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Small returns a dense system of up to 24 unknowns, with condition numbers up to beyond 1e16; every fifth seed gives
// an exactly singular one.
func Small(seed uint64) (name string, m *csr.Matrix, b []float64) {
	rng := rand.New(rand.NewPCG(seed, 21))
	n := 2 + rng.IntN(23)
	kind := ""
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
		for j := range a[i] {
			a[i][j] = rng.NormFloat64()
		}
	}
	switch seed % 5 {
	case 0:
		kind = "random"
	case 1:
		kind = "Hilbert"
		for i := range a {
			for j := range a[i] {
				a[i][j] = 1 / float64(i+j+1)
			}
		}
	case 2:
		kind = "graded"
		for i := range a {
			for j := range a[i] {
				a[i][j] *= math.Pow(10, 6*(math.Sin(float64(3*i))+math.Cos(float64(5*j))))
			}
		}
	case 3:
		kind = "singular"
		for j := range n { // a sum of integers, which is exact
			sum := 0.0
			for i := range n - 1 {
				a[i][j] = math.Round(8 * a[i][j])
				sum += a[i][j]
			}
			a[n-1][j] = sum
		}
	case 4:
		kind = "nearly singular"
		eps := math.Pow(10, -16*rng.Float64())
		for j := range n {
			a[n-1][j] = a[0][j] + eps*a[n-1][j]
		}
	}
	b = make([]float64, n)
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	m = Entries(n, func(add func(i, j int, v float64)) {
		for i, row := range a {
			for j, v := range row {
				add(i, j, v)
			}
		}
	})
	if seed%5 == 3 && seed%2 == 0 { // consistent
		x := make([]float64, n)
		for j := range x {
			x[j] = math.Round(8 * rng.NormFloat64())
		}
		m.MulVec(b, x)
	}
	return fmt.Sprintf("%d: %s, n = %d", seed, kind, n), m, b
}

// Echelon returns multiples of the rows of (A, b) in row echelon form, by Gaussian elimination in integers without fractions,
// which divides exactly; the first rank rows are those that are nonzero in A, the sum of m and the lower parts.
func Echelon(m *csr.Matrix, b []float64, lower ...*csr.Matrix) (a [][]*big.Int, rank int) {
	n := m.Rows
	for i := range n {
		row := make([]*big.Rat, n+1)
		for j := range n {
			row[j] = new(big.Rat).SetFloat64(m.At(i, j))
			for _, part := range lower {
				row[j].Add(row[j], new(big.Rat).SetFloat64(part.At(i, j)))
			}
		}
		row[n] = new(big.Rat).SetFloat64(b[i])
		a = append(a, integers(row))
	}
	before, product := big.NewInt(1), new(big.Int) // the pivot before
	for j := range n {
		p := rank
		for p < n && a[p][j].Sign() == 0 {
			p++
		}
		if p == n {
			continue
		}
		a[rank], a[p] = a[p], a[rank]
		pivot := a[rank][j]
		for _, row := range a[rank+1:] {
			for k := j + 1; k <= n; k++ {
				row[k].Mul(row[k], pivot)
				row[k].Sub(row[k], product.Mul(row[j], a[rank][k]))
				row[k].Quo(row[k], before)
			}
			row[j].SetInt64(0)
		}
		before = pivot
		rank++
	}
	return a, rank
}

// integers returns numbers whose denominators are powers of two, times the largest denominator.
func integers(row []*big.Rat) []*big.Int {
	most := big.NewInt(1)
	for _, v := range row {
		if v.Denom().Cmp(most) > 0 {
			most = v.Denom()
		}
	}
	whole := make([]*big.Int, len(row))
	for k, v := range row {
		whole[k] = new(big.Int).Mul(v.Num(), new(big.Int).Quo(most, v.Denom()))
	}
	return whole
}

// SolveRationally solves by Gaussian elimination in exact arithmetic; nil if A is singular.
func SolveRationally(m *csr.Matrix, b []float64, lower ...*csr.Matrix) []*big.Rat {
	n := m.Rows
	a, rank := Echelon(m, b, lower...)
	if rank < n {
		return nil
	}
	x, multiples := make([]*big.Rat, n), make([]*big.Int, n) // of x, by the determinant, which are integers
	product := new(big.Int)
	for i := n - 1; i >= 0; i-- {
		s := new(big.Int).Mul(a[n-1][n-1], a[i][n])
		for j := i + 1; j < n; j++ {
			s.Sub(s, product.Mul(a[i][j], multiples[j]))
		}
		multiples[i] = s.Quo(s, a[i][i])
		x[i] = new(big.Rat).SetFrac(multiples[i], a[n-1][n-1])
	}
	return x
}
