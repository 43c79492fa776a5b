package lab

import (
	"math"
	"math/big"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// wholeNumbers returns the augmented matrix (A b) in whole numbers, and the exponents c with x_j = 2^c_j z_j for the
// unknowns z of the scaled system. Rows and columns are multiplied by powers of two that make all entries whole and
// nearly as small as possible.
func wholeNumbers(m *csr.Matrix, b []float64) (rows [][]*big.Int, c []int) {
	n := m.Rows
	low := func(v float64) int { // the exponent of the lowest bit that is set
		mant, e := parts(v)
		for mant&1 == 0 {
			mant >>= 1
			e++
		}
		return e
	}
	c = make([]int, n)
	r := make([]int, n)
	for pass := range 2 {
		for i := range n {
			least := math.MaxInt32
			cols, vals := m.Row(i)
			for k, j := range cols {
				if vals[k] != 0 {
					least = min(least, low(vals[k])+c[j])
				}
			}
			if pass == 1 && b[i] != 0 {
				least = min(least, low(b[i]))
			}
			if least != math.MaxInt32 {
				r[i] = -least
			}
		}
		if pass == 1 {
			break
		}
		for j := range c {
			c[j] = math.MinInt32
		}
		for i := range n {
			cols, vals := m.Row(i)
			for k, j := range cols {
				if vals[k] != 0 {
					c[j] = max(c[j], -low(vals[k])-r[i])
				}
			}
		}
		for j := range c {
			if c[j] == math.MinInt32 { // a column of zeros
				c[j] = 0
			}
		}
	}
	rows = make([][]*big.Int, n)
	for i := range rows {
		rows[i] = make([]*big.Int, n+1)
		for j := range rows[i] {
			rows[i][j] = new(big.Int)
		}
		cols, vals := m.Row(i)
		for k, j := range cols {
			setShifted(rows[i][j], vals[k], r[i]+c[j])
		}
		setShifted(rows[i][n], b[i], r[i])
	}
	return rows, c
}

// setShifted sets z = v 2^e, which must be a whole number.
func setShifted(z *big.Int, v float64, e int) {
	if v == 0 {
		return
	}
	m, ev := parts(v)
	z.SetInt64(m)
	if e += ev; e >= 0 {
		z.Lsh(z, uint(e))
	} else {
		z.Rsh(z, uint(-e))
	}
}

// Nature says whether a system has no, one or many solutions in exact arithmetic.
type Nature int

// The natures of systems.
const (
	Unknown      Nature = iota // not decided: too large
	Regular                    // one solution
	Consistent                 // many solutions
	Inconsistent               // none
)

func (k Nature) String() string {
	return [...]string{"unknown", "regular", "singular", "inconsistent"}[k]
}

// eliminate determines the nature of A x = b by fraction-free elimination ([Bareiss68]) in whole numbers. It returns
// the solution of a regular system, rounded to 200 bits.
func eliminate(m *csr.Matrix, b []float64) (Nature, []*big.Float) {
	rows, c := wholeNumbers(m, b)
	n := m.Rows
	last := big.NewInt(1)
	rank := 0
	t := new(big.Int)
	for j := 0; j < n && rank < n; j++ {
		p := rank
		for p < n && rows[p][j].Sign() == 0 {
			p++
		}
		if p == n {
			continue
		}
		rows[p], rows[rank] = rows[rank], rows[p]
		pivot := rows[rank]
		for i := rank + 1; i < n; i++ {
			f := new(big.Int).Set(rows[i][j])
			for k := j; k <= n; k++ {
				e := rows[i][k]
				e.Mul(e, pivot[j])
				t.Mul(f, pivot[k])
				e.Sub(e, t)
				e.Quo(e, last)
			}
		}
		last = new(big.Int).Set(pivot[j])
		rank++
	}
	for i := rank; i < n; i++ {
		if rows[i][n].Sign() != 0 {
			return Inconsistent, nil
		}
	}
	if rank < n {
		return Consistent, nil
	}
	return Regular, backSubstitute(rows, c)
}

// backSubstitute solves the triangular system in rational numbers.
func backSubstitute(rows [][]*big.Int, c []int) []*big.Float {
	n := len(rows)
	z := make([]*big.Rat, n)
	x := make([]*big.Float, n)
	for i := n - 1; i >= 0; i-- {
		s := new(big.Rat).SetInt(rows[i][n])
		for j := i + 1; j < n; j++ {
			if rows[i][j].Sign() != 0 {
				s.Sub(s, new(big.Rat).Mul(new(big.Rat).SetInt(rows[i][j]), z[j]))
			}
		}
		z[i] = s.Quo(s, new(big.Rat).SetInt(rows[i][i]))
		x[i] = new(big.Float).SetPrec(200).SetRat(z[i])
		if x[i].Sign() != 0 {
			x[i].SetMantExp(x[i], c[i])
		}
	}
	return x
}
