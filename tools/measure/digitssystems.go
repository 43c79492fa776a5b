package main

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// realSystems returns systems of a real matrix with three right-hand sides: the default of mpsolve solve, the product
// with a random x, and a random one of the size of the rows.
func realSystems(name string, m *csr.Matrix) []system {
	usual, _ := generate.DefaultRHS(m)
	random, rough := make([]float64, m.Rows), testsupport.Random(4, m.Rows)
	m.MulVec(random, testsupport.Random(3, m.Cols))
	for i, t := range m.RowSums(nil) {
		rough[i] *= t
	}
	var list []system
	for _, c := range []struct {
		rhs string
		b   []float64
	}{{"usual b", usual}, {"random x", random}, {"random b", rough}} {
		list = append(list, system{name: name + ", " + c.rhs, m: m, b: c.b, truth: func() ([]float64, bool) { return refined(m, c.b) }})
	}
	return list
}

// refined solves in double-double arithmetic: it rounds the x that it returns from an x that steps change by less
// than 1e-19.
func refined(m *csr.Matrix, b []float64) ([]float64, bool) {
	s, err := solver.New(context.Background(), m, solve.Options{Accuracy: solve.Accuracy{Digits: solve.NoDigits, Tol: 1e-14}})
	if err != nil {
		return nil, false
	}
	defer s.Close()
	x := make([]dd.DD, len(b))
	r := make([]float64, len(b))
	last := math.Inf(1)
	for range 60 {
		for i := range r {
			v := dd.From(b[i])
			cols, vals := m.Row(i)
			for k, j := range cols {
				v = v.Sub(dd.From(vals[k]).Mul(x[j]))
			}
			r[i] = v.Float()
		}
		step, err := s.Solve(context.Background(), r, nil)
		if err != nil {
			return nil, false
		}
		size, change := 0.0, 0.0
		for j, d := range step.X {
			x[j] = x[j].Add(dd.From(d))
			size, change = max(size, math.Abs(x[j].Hi)), max(change, math.Abs(d))
		}
		if change <= 1e-19*size {
			out := make([]float64, len(b))
			for j, v := range x {
				out[j] = v.Float()
			}
			return out, true
		}
		if !(change < 0.9*last) {
			return nil, false
		}
		last = change
	}
	return nil, false
}

// generated returns a system with a known x, of up to 60 unknowns and one of several kinds, with a condition number
// up to beyond 1e16.
func generated(seed uint64) system {
	rng := rand.New(rand.NewPCG(seed, 16))
	n := 3 + rng.IntN(58)
	normal := func() float64 { return rng.NormFloat64() }
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
	}
	var kind string
	switch seed % 8 {
	case 0:
		kind = "sparse"
		for i := range n {
			a[i][i] = normal()
			for range 4 {
				a[i][rng.IntN(n)] = normal()
			}
		}
	case 1:
		kind = "singular values"
		conditioned(rng, a, math.Pow(10, -18*rng.Float64()), false)
	case 2:
		kind = "symmetric, eigenvalues"
		conditioned(rng, a, math.Pow(10, -18*rng.Float64()), true)
	case 3:
		kind = "graded rows and columns"
		d := 12 * rng.Float64()
		for i := range n {
			for range 5 {
				j := rng.IntN(n)
				a[i][j] = normal() * math.Pow(10, d*(math.Sin(float64(3*i))+math.Cos(float64(5*j))))
			}
			a[i][i] = normal() * math.Pow(10, d*(math.Sin(float64(3*i))+math.Cos(float64(5*i))))
		}
	case 4:
		kind = "rows nearly a sum"
		for i := range n {
			for j := range n {
				a[i][j] = normal()
			}
		}
		eps := math.Pow(10, -17*rng.Float64())
		for j := range n {
			a[n-1][j] = a[0][j] + a[1][j] + eps*normal()
		}
	case 5:
		kind = "diffusion, coefficients jump"
		jump := math.Pow(10, 8*rng.Float64())
		for i := range n {
			c := 1.0
			if i > n/2 {
				c = jump
			}
			if i > 0 {
				a[i][i] += c
				a[i-1][i-1] += c
				a[i][i-1], a[i-1][i] = -c, -c
			}
		}
		a[0][0] += math.Pow(10, -12*rng.Float64())
	case 6:
		kind = "Hilbert"
		a = a[:min(n, 2+rng.IntN(13))]
		n = len(a)
		for i := range a {
			a[i] = a[i][:n]
			for j := range a[i] {
				a[i][j] = 1 / float64(i+j+1)
			}
		}
	case 7:
		kind = "saddle point"
		k := max(1, n/3)
		for i := range n - k {
			a[i][i] = math.Pow(10, 6*rng.Float64()-3)
		}
		for i := n - k; i < n; i++ {
			for range 3 {
				j := rng.IntN(n - k)
				a[i][j] = normal()
				a[j][i] = a[i][j]
			}
		}
	}
	return known(fmt.Sprintf("%d: %s, n = %d", seed, kind, n), rng, a)
}

// conditioned fills a with U diag(1 ... least) V, where U and V are products of random reflections, and V = U^T if
// symmetric.
func conditioned(rng *rand.Rand, a [][]float64, least float64, symmetric bool) {
	n := len(a)
	for i := range n {
		a[i][i] = math.Pow(least, float64(i)/float64(n-1))
	}
	for range 3 {
		u, v := unit(rng, n), unit(rng, n)
		if symmetric {
			v = u
		}
		for j := range n { // (I - 2 u u^T) A
			s := 0.0
			for i := range n {
				s += u[i] * a[i][j]
			}
			for i := range n {
				a[i][j] -= 2 * u[i] * s
			}
		}
		for i := range n { // A (I - 2 v v^T)
			s := 0.0
			for j := range n {
				s += a[i][j] * v[j]
			}
			for j := range n {
				a[i][j] -= 2 * s * v[j]
			}
		}
	}
	if symmetric {
		for i := range n {
			for j := range i {
				a[i][j] = a[j][i]
			}
		}
	}
}

func unit(rng *rand.Rand, n int) []float64 {
	v, s := make([]float64, n), 0.0
	for i := range v {
		v[i] = rng.NormFloat64()
		s += v[i] * v[i]
	}
	for i := range v {
		v[i] /= math.Sqrt(s)
	}
	return v
}

// known returns the system of a with a random b, with the b of a random x, or with the b of ones.
func known(name string, rng *rand.Rand, a [][]float64) system {
	n := len(a)
	m := testsupport.Entries(n, func(add func(i, j int, v float64)) {
		for i, row := range a {
			for j, v := range row {
				if v != 0 {
					add(i, j, v)
				}
			}
		}
	})
	x, b := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	kind := rng.IntN(3)
	if kind > 0 {
		for i := range x {
			x[i] = rng.NormFloat64()
		}
	}
	m.MulVec(b, x)
	if kind == 2 {
		copy(b, x)
	}
	return system{name: name, m: m, b: b, truth: func() ([]float64, bool) { return eliminated(m, b) }}
}

// eliminated solves by Gaussian elimination with partial pivoting in 512-bit arithmetic; it returns false if the
// matrix is singular.
func eliminated(m *csr.Matrix, b []float64) ([]float64, bool) {
	const precision = 512
	n := m.Rows
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }
	a := make([][]*big.Float, n)
	for i := range a {
		a[i] = make([]*big.Float, n+1)
		for j := range n {
			a[i][j] = num(m.At(i, j))
		}
		a[i][n] = num(b[i])
	}
	t := num(0)
	for k := range n {
		p := k
		for i := k + 1; i < n; i++ {
			if t.Abs(a[i][k]).Cmp(num(0).Abs(a[p][k])) > 0 {
				p = i
			}
		}
		if a[p][k].Sign() == 0 {
			return nil, false
		}
		a[k], a[p] = a[p], a[k]
		for i := k + 1; i < n; i++ {
			if a[i][k].Sign() == 0 {
				continue
			}
			f := num(0).Quo(a[i][k], a[k][k])
			for j := k; j <= n; j++ {
				a[i][j].Sub(a[i][j], t.Mul(f, a[k][j]))
			}
		}
	}
	x := make([]*big.Float, n)
	out := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		s := a[i][n]
		for j := i + 1; j < n; j++ {
			s.Sub(s, t.Mul(a[i][j], x[j]))
		}
		x[i] = s.Quo(s, a[i][i])
		out[i], _ = x[i].Float64()
	}
	return out, true
}
