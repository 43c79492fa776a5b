package main

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"time"

	"github.com/mpsolve/mpsolve/internal/testmatrix"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/mp"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// generated solves small systems of known solutions.
func (t *tally) generated(count int, limit time.Duration) {
	for seed := range count {
		name, m, b := smallSystem(uint64(seed))
		r, _, err := solveOnce(m, b, t.digits, limit)
		if err != nil {
			continue // such as a row of zeros
		}
		t.systems++
		x := solveRationally(m, b)
		switch {
		case x == nil && (r.Reason == krylov.Converged || r.Precise != nil && r.Precise.Believed > 0):
			fmt.Printf("%s: singular, and called %v WRONG\n", name, r.Reason)
			t.failed++
		case x == nil || r.Precise == nil:
		default:
			right := rightDigits(r.Precise.X, func(j int) *big.Float { return new(big.Float).SetPrec(2 * solve.MaxBits).SetRat(x[j]) })
			if said := r.Precise.Believed; right < float64(said) && right < float64(said-1) || right < float64(r.Precise.Proved) {
				fmt.Printf("%s: believed %d, proved %d, right %.1f WRONG\n", name, said, r.Precise.Proved, right)
				t.failed++
			}
		}
	}
}

// smallSystem is one of up to 24 unknowns, of a condition up to beyond 1e16.
func smallSystem(seed uint64) (name string, m *csr.Matrix, b []float64) {
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
	m = testmatrix.Entries(n, func(add func(i, j int, v float64)) {
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

// solveRationally solves by Gaussian elimination in rational arithmetic; nil if A is singular.
func solveRationally(m *csr.Matrix, b []float64) []*big.Rat {
	n := m.Rows
	a := make([][]*big.Rat, n)
	for i := range a {
		a[i] = make([]*big.Rat, n+1)
		for j := range n {
			a[i][j] = new(big.Rat).SetFloat64(m.At(i, j))
		}
		a[i][n] = new(big.Rat).SetFloat64(b[i])
	}
	for k := range n {
		p := k
		for p < n && a[p][k].Sign() == 0 {
			p++
		}
		if p == n {
			return nil
		}
		a[k], a[p] = a[p], a[k]
		for i := k + 1; i < n; i++ {
			if a[i][k].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Quo(a[i][k], a[k][k])
			for j := k; j <= n; j++ {
				a[i][j].Sub(a[i][j], new(big.Rat).Mul(f, a[k][j]))
			}
		}
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

// rightDigits is -log10 of the error of x relative to the true one, in the maximum norm.
func rightDigits(x *mp.Vec, truth func(j int) *big.Float) float64 {
	var size, wrong big.Float
	for j := range x.Len() {
		exact := truth(j)
		d := new(big.Float).SetPrec(2*solve.MaxBits).Sub(x.At(j), exact)
		if d.Abs(d).Cmp(&wrong) > 0 {
			wrong.Set(d)
		}
		if exact = new(big.Float).Abs(exact); exact.Cmp(&size) > 0 {
			size.Set(exact)
		}
	}
	if wrong.Sign() == 0 {
		return 2 * solve.MaxPreciseDigits
	}
	q := new(big.Float).Quo(&wrong, &size)
	significand := new(big.Float)
	e := q.MantExp(significand)
	v, _ := significand.Float64()
	return -(math.Log10(v) + float64(e)*math.Log10(2))
}
