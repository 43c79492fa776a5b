package mp

import (
	"math/big"
	"time"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// ResidueMatrix is a dense matrix of numbers of MPRES-BLAS, by columns.
type ResidueMatrix struct {
	*ResidueArray
	rows, cols int
}

// NewMatrix returns a matrix of zeros.
func (b *ResidueBase) NewMatrix(rows, cols int) *ResidueMatrix {
	return &ResidueMatrix{b.NewArray(rows * cols), rows, cols}
}

// Set sets an element to x, truncated.
func (a *ResidueMatrix) Set(i, j int, x *big.Float) { a.ResidueArray.Set(i+a.rows*j, x) }

// ResidueForm is a way to compute a product with a matrix.
type ResidueForm int

const (
	// Rearranged computes first the signs, exponents and interval evaluations of the products of a row, then their
	// residues, then rounds them, and then adds them up: Algorithm 1 of [Isupov20], here with arrays for one row at a
	// time.
	Rearranged ResidueForm = iota
	// ByNumber computes and adds one product after the other: the paper's basic implementation.
	ByNumber
)

// ResidueSteps holds the time of each step of Algorithm 1, summed over all threads.
type ResidueSteps struct {
	Scaling  time.Duration // 1 and 2: d = alpha x and beta y
	Bounds   time.Duration // 3: signs, exponents and interval evaluations of B = A D
	Digits   time.Duration // 3: residues
	Rounding time.Duration // 3
	Sums     time.Duration // 4: sums of the rows of B, and beta y
}

// Total returns the sum of all steps.
func (s ResidueSteps) Total() time.Duration {
	return s.Scaling + s.Bounds + s.Digits + s.Rounding + s.Sums
}

// add adds the steps of another part.
func (s *ResidueSteps) add(t ResidueSteps) {
	s.Scaling += t.Scaling
	s.Bounds += t.Bounds
	s.Digits += t.Digits
	s.Rounding += t.Rounding
	s.Sums += t.Sums
}

// GEMV computes y = alpha A x + beta y and returns the time of its steps. The form ByNumber does not separate steps:
// all time is in Sums.
func (a *ResidueMatrix) GEMV(form ResidueForm, alpha *ResidueNumber, x *ResidueArray, beta *ResidueNumber, y *ResidueArray, pool *parallel.Pool) ResidueSteps {
	return a.gemv(form, alpha, x, beta, y, a.rows, a.cols, 1, a.rows, pool)
}

// GEMVTransposed computes y = alpha A^T x + beta y.
func (a *ResidueMatrix) GEMVTransposed(form ResidueForm, alpha *ResidueNumber, x *ResidueArray, beta *ResidueNumber, y *ResidueArray, pool *parallel.Pool) ResidueSteps {
	return a.gemv(form, alpha, x, beta, y, a.cols, a.rows, a.rows, 1, pool)
}

// gemv computes rows elements of y, which are inner products of so many terms; the distance between elements of A is
// down for the next element of y and along for the next of x.
func (a *ResidueMatrix) gemv(form ResidueForm, alpha *ResidueNumber, x *ResidueArray, beta *ResidueNumber, y *ResidueArray, rows, terms, down, along int, pool *parallel.Pool) ResidueSteps {
	start := time.Now()
	d := a.base.NewArray(terms)
	for j := range terms {
		z := d.at(j)
		d.put(j, z.Mul(alpha, x.at(j)))
	}
	for i := range rows {
		z := y.at(i)
		y.put(i, z.Mul(beta, y.at(i)))
	}
	total := ResidueSteps{Scaling: time.Since(start)}
	parts := make([]ResidueSteps, rows)
	pool.Each(rows, func(i int) {
		z := y.at(i)
		if form == ByNumber {
			start := time.Now()
			t, s := a.base.NewNumber(), a.base.NewNumber()
			for j := range terms {
				s.Add(s, t.Mul(a.at(i*down+j*along), d.at(j)))
			}
			z.Add(z, s)
			parts[i].Sums = time.Since(start)
		} else {
			b := a.base.NewArray(terms)
			parts[i] = b.products(a, i*down, along, d)
			start := time.Now()
			s := a.base.NewNumber()
			for j := range terms {
				s.Add(s, b.at(j))
			}
			z.Add(z, s)
			parts[i].Sums = time.Since(start)
		}
		y.put(i, z)
	})
	for _, p := range parts {
		total.add(p)
	}
	return total
}

// products sets b to the products of a row of A, whose elements begin at first and are along apart, with the elements
// of d: one part of the arithmetic for all of them after the other.
func (b *ResidueArray) products(a *ResidueMatrix, first, along int, d *ResidueArray) (s ResidueSteps) {
	start := time.Now()
	for j := range b.exp {
		k := first + j*along
		b.negative[j] = a.negative[k] != d.negative[j]
		b.exp[j] = a.exp[k] + d.exp[j]
		b.bounds[j] = b.base.product(a.bounds[k], d.bounds[j])
	}
	s.Bounds = time.Since(start)

	start = time.Now()
	moduli := b.base.moduli
	n := len(moduli)
	for j := range b.exp {
		z, u, v := b.digits[j*n:][:n], a.digits[(first+j*along)*n:][:n], d.digits[j*n:][:n]
		for i := range moduli {
			z[i] = moduli[i].mul(u[i], v[i])
		}
	}
	s.Digits = time.Since(start)

	start = time.Now()
	for j := range b.exp {
		z := b.at(j)
		b.put(j, z.round())
	}
	s.Rounding = time.Since(start)
	return s
}

// UnitRoundoff returns 4/sqrt(M), an upper bound of the relative error of an operation with numbers of the base, eq.
// (6) of [Isupov20].
func (b *ResidueBase) UnitRoundoff() *big.Float {
	root := new(big.Float).SetPrec(64).SetInt(b.m)
	return root.Quo(big.NewFloat(4), root.Sqrt(root))
}

// GEMVBound returns the bound of || y* - y ||_1 for the product y = alpha A x + beta y with a matrix of n rows and
// columns, eq. (18) of [Isupov20]:
//
//	(n+2) u / (1 - (n+2) u) (|alpha| ||A||_1 ||x||_1 + |beta| ||y||_1)
//
// where size is the expression in the last parentheses.
func (b *ResidueBase) GEMVBound(n int, size *big.Float) *big.Float {
	u := b.UnitRoundoff()
	u.Mul(u, big.NewFloat(float64(n+2)))
	rest := new(big.Float).Sub(big.NewFloat(1), u)
	return u.Mul(u.Quo(u, rest), size)
}
