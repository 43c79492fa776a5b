// Package mp is vectors of floating-point numbers of 106 to 1696 bits, and products with them.
package mp

import (
	"math/big"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Vec is a vector of numbers with a significand of Bits bits at least.
type Vec struct {
	bits int
	x    []big.Float // TODO: limbs
}

// New returns a zero vector of n numbers.
func New(n, bits int) *Vec {
	v := &Vec{bits: bits, x: make([]big.Float, n)}
	for i := range v.x {
		v.x[i].SetPrec(uint(bits))
	}
	return v
}

// Len returns the number of elements.
func (v *Vec) Len() int { return len(v.x) }

// Bits returns the precision.
func (v *Vec) Bits() int { return v.bits }

// At returns element i exactly.
func (v *Vec) At(i int) *big.Float { return new(big.Float).Copy(&v.x[i]) }

// Set sets element i to a, rounded to nearest.
func (v *Vec) Set(i int, a *big.Float) { v.x[i].Set(a) }

// SetFloat64s sets v = x.
func (v *Vec) SetFloat64s(x []float64) {
	for i, a := range x {
		v.x[i].SetFloat64(a)
	}
}

// Float64s sets x = v, each element rounded to nearest.
func (v *Vec) Float64s(x []float64) {
	for i := range x {
		x[i], _ = v.x[i].Float64()
	}
}

// AddScaled computes v += 2^e d, each element rounded once.
func (v *Vec) AddScaled(d []float64, e int) {
	for i, a := range d {
		b := new(big.Float).SetFloat64(a)
		v.x[i].Add(&v.x[i], b.SetMantExp(b, e))
	}
}

// Matrix is a sparse matrix, the exact sum of matrices of float64: one for a matrix of float64, more for a matrix
// that was read with more digits.
type Matrix struct {
	parts []*csr.Matrix
	pool  *parallel.Pool
}

// NewMatrix returns the sum of the parts, which have the same dimensions and are not copied.
func NewMatrix(pool *parallel.Pool, parts ...*csr.Matrix) *Matrix {
	return &Matrix{parts: parts, pool: pool}
}

// Residual sets r, in units of 2^e, to b - A x, for an e by which the largest |r_i| is between 1/2 and 1 (0 if r = 0). The
// error of an element is at most one rounding to float64 and 2^-Bits ||x||_inf sum_j |a_ij|. b is the sum of its parts.
func (a *Matrix) Residual(r []float64, x *Vec, b ...[]float64) (e int) {
	sums := make([]big.Float, len(r))
	a.pool.Run(len(r), parallel.Func(func(i int) {
		s := &sums[i]
		s.SetPrec(uint(2*x.bits + 256))
		for _, part := range b {
			s.Add(s, new(big.Float).SetFloat64(part[i]))
		}
		for _, m := range a.parts {
			cols, vals := m.Row(i)
			for k, j := range cols {
				t := new(big.Float).SetPrec(s.Prec())
				s.Sub(s, t.Mul(new(big.Float).SetFloat64(vals[k]), &x.x[j]))
			}
		}
	}))
	first := true
	for i := range sums {
		if sums[i].Sign() != 0 {
			if m := sums[i].MantExp(nil); first || m > e {
				e, first = m, false
			}
		}
	}
	for i := range r {
		r[i], _ = sums[i].SetMantExp(&sums[i], -e).Float64()
	}
	return e
}
