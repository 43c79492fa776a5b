package lab

import (
	"math"
	"math/big"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// unit is the exponent of the least nonzero product of two float64: all products are multiples of 2^-unit.
const unit = 2 * 1074

// stressSum is an exact sum of products of float64.
type stressSum struct {
	whole   float64 // the sum of products of whole numbers since the last flush, below 2^53
	v, term big.Int // of the others, in units of 2^-unit
}

// parts returns the whole number m and the exponent e with v = m 2^e. v is finite.
func parts(v float64) (m int64, e int) {
	f, e := math.Frexp(v)
	return int64(math.Ldexp(f, 53)), e - 53
}

// add adds a b.
func (s *stressSum) add(a, b float64) {
	if a == 0 || b == 0 {
		return
	}
	if sum := s.whole + a*b; math.Trunc(a) == a && math.Trunc(b) == b && math.Abs(a*b) < 1<<53 && math.Abs(sum) < 1<<53 {
		s.whole = sum
		return
	}
	s.addWide(a, b)
}

// addWide adds a b, whatever their sizes.
func (s *stressSum) addWide(a, b float64) {
	ma, ea := parts(a)
	mb, eb := parts(b)
	s.term.SetInt64(ma)
	s.term.Mul(&s.term, new(big.Int).SetInt64(mb))
	shift := ea + eb + unit
	if shift < 0 { // a subnormal number, whose last bits are zeros
		s.term.Rsh(&s.term, uint(-shift))
	} else {
		s.term.Lsh(&s.term, uint(shift))
	}
	s.v.Add(&s.v, &s.term)
}

// flush moves the sum of whole numbers to the others.
func (s *stressSum) flush() {
	if whole := s.whole; whole != 0 {
		s.whole = 0
		s.addWide(whole, 1)
	}
}

// float returns the sum, rounded to 128 bits.
func (s *stressSum) float() *big.Float {
	s.flush()
	f := new(big.Float).SetPrec(128).SetInt(&s.v)
	return f.SetMantExp(f, -unit)
}

func (s *stressSum) zero() bool {
	s.flush()
	return s.v.Sign() == 0
}

// wide returns v with 128 bits and an unbounded exponent.
func wide(v float64) *big.Float { return new(big.Float).SetPrec(128).SetFloat64(v) }

func larger(a, b *big.Float) *big.Float {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// quotient returns a/b as a float64, with 0/0 = 0, for a, b >= 0.
func quotient(a, b *big.Float) float64 {
	switch {
	case a.Sign() == 0:
		return 0
	case b.Sign() == 0:
		return math.Inf(1)
	}
	q, _ := new(big.Float).SetPrec(128).Quo(a, b).Float64()
	return q
}

// equation holds the terms of a row of b - A x: |r_i|, T_i = Σ|a_ij|, (|A||x|)_i and |b_i|.
type equation struct{ residual, rowSum, product, rhs *big.Float }

// equations computes the terms of each row, exactly but for one rounding to 128 bits at the end.
func equations(m *csr.Matrix, x, b []float64) []equation {
	rows := make([]equation, m.Rows)
	for i := range rows {
		cols, vals := m.Row(i)
		var r, t, p stressSum
		r.add(b[i], 1)
		for k, j := range cols {
			r.add(-vals[k], x[j])
			t.add(math.Abs(vals[k]), 1)
			p.add(math.Abs(vals[k]), math.Abs(x[j]))
		}
		rows[i] = equation{new(big.Float).Abs(r.float()), t.float(), p.float(), wide(math.Abs(b[i]))}
	}
	return rows
}

// measures holds the four error measures of an x.
type measures struct{ row, normwise, componentwise, relative float64 }

// measure computes the four error measures.
func measure(rows []equation, xmax float64) (e measures) {
	r, t, b := new(big.Float), new(big.Float), new(big.Float)
	rr, bb := wide(0), wide(0)
	size := wide(xmax)
	for _, q := range rows {
		e.row = max(e.row, quotient(q.residual, plus(times(q.rowSum, size), q.rhs)))
		e.componentwise = max(e.componentwise, quotient(q.residual, plus(q.product, q.rhs)))
		r, t, b = larger(r, q.residual), larger(t, q.rowSum), larger(b, q.rhs)
		rr = plus(rr, times(q.residual, q.residual))
		bb = plus(bb, times(q.rhs, q.rhs))
	}
	e.normwise = quotient(r, plus(times(t, size), b))
	e.relative = quotient(rr.Sqrt(rr), bb.Sqrt(bb))
	return e
}

func plus(a, b *big.Float) *big.Float  { return new(big.Float).SetPrec(128).Add(a, b) }
func times(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(128).Mul(a, b) }

// unexplained returns max |r_i|/T_i over max |b_i|/T_i of the rows listed, the share of b that x leaves unexplained,
// whatever the size of x. It is 0 if b is 0.
func unexplained(rows []equation, list []int) float64 {
	r, b := new(big.Float), new(big.Float)
	for _, i := range list {
		q := rows[i]
		if q.rowSum.Sign() != 0 {
			r = larger(r, new(big.Float).Quo(q.residual, q.rowSum))
			b = larger(b, new(big.Float).Quo(q.rhs, q.rowSum))
		}
	}
	if b.Sign() == 0 {
		return 0
	}
	return quotient(r, b)
}

func stressMaxAbs(x []float64) (m float64) {
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}

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
