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

// Echelon returns the rows of (A, b) in row echelon form, by Gaussian elimination in rational arithmetic; the first
// rank rows are those that are nonzero in A, the sum of m and the lower parts.
func Echelon(m *csr.Matrix, b []float64, lower ...*csr.Matrix) (rows [][]*big.Rat, rank int) {
	n := m.Rows
	a := make([][]*big.Rat, n)
	for i := range a {
		a[i] = make([]*big.Rat, n+1)
		for j := range n {
			a[i][j] = new(big.Rat).SetFloat64(m.At(i, j))
			for _, part := range lower {
				a[i][j].Add(a[i][j], new(big.Rat).SetFloat64(part.At(i, j)))
			}
		}
		a[i][n] = new(big.Rat).SetFloat64(b[i])
	}
	for j := range n {
		p := rank
		for p < n && a[p][j].Sign() == 0 {
			p++
		}
		if p == n {
			continue
		}
		a[rank], a[p] = a[p], a[rank]
		for i := rank + 1; i < n; i++ {
			if a[i][j].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Quo(a[i][j], a[rank][j])
			for k := j; k <= n; k++ {
				a[i][k].Sub(a[i][k], new(big.Rat).Mul(f, a[rank][k]))
			}
		}
		rank++
	}
	return a, rank
}

// SolveRationally solves by Gaussian elimination in rational arithmetic; nil if A is singular.
func SolveRationally(m *csr.Matrix, b []float64, lower ...*csr.Matrix) []*big.Rat {
	n := m.Rows
	a, rank := Echelon(m, b, lower...)
	if rank < n {
		return nil
	}
	x := make([]*big.Rat, n)
	for i := n - 1; i >= 0; i-- {
		s := new(big.Rat).Set(a[i][n])
		for j := i + 1; j < n; j++ {
			s.Sub(s, new(big.Rat).Mul(a[i][j], x[j]))
		}
		x[i] = s.Quo(s, a[i][i])
	}
	return x
}
