package mp

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// guard is the number of bits of fixed point in addition to those requested.
const guard = 10

// exactBase returns the base in which sums of so many products of integers of precision+guard bits are exact, with M
// four times as large.
func exactBase(precision, terms int) (*ResidueBase, error) {
	sum := 2*(precision+guard) + bits.Len(uint(terms)) + 3
	b, err := NewResidueBase(max(2, (sum+digitBits-1)/digitBits))
	if err == nil && b.m.BitLen() <= sum { // primes are slightly below 2^28
		b, err = NewResidueBase(len(b.moduli) + 1)
	}
	if err != nil {
		return nil, fmt.Errorf("mp: products of %d bits: %w", precision, err)
	}
	return b, nil
}

// fixedInt sets m to x 2^-e, truncated.
func fixedInt(m *big.Int, f, x *big.Float, e int) *big.Int {
	if x.Sign() == 0 {
		return m.SetInt64(0)
	}
	m, _ = f.SetMantExp(x, -e).Int(m)
	return m
}

// ResidueDense is a matrix of integers times a power of two for each row, by residues: elements are truncated to multiples
// of 2^-(bits+10) of the power of two above the largest of their row.
type ResidueDense struct {
	base       *ResidueBase
	rows, cols int
	bits       int
	width      int // cols, padded with zeros
	exp        []int
	digits     []uint32 // by rows, in a row by moduli, for each modulus the elements
}

// ResidueDenseBytes returns the bytes of a matrix of that size.
func ResidueDenseBytes(rows, cols, bits int) int64 {
	b, err := exactBase(bits, cols)
	if err != nil {
		return 0
	}
	return 4 * int64(rows) * int64(padded(cols)) * int64(b.Moduli())
}

// NewResidueDense returns the matrix with the rows that `row` returns, which is called once for each row, on the threads of
// the pool.
func NewResidueDense(rows, cols, bits int, row func(i int) []big.Float, pool *parallel.Pool) (*ResidueDense, error) {
	b, err := exactBase(bits, cols)
	if err != nil {
		return nil, err
	}
	a := &ResidueDense{base: b, rows: rows, cols: cols, bits: bits, width: padded(cols), exp: make([]int, rows)}
	a.digits = make([]uint32, rows*b.Moduli()*a.width)
	pool.Each(rows, func(i int) {
		v := row(i)
		of := func(j int) *big.Float { return &v[j] }
		a.exp[i] = fixedExponent(cols, bits, of)
		b.spread(a.digits[i*b.Moduli()*a.width:], a.width, a.exp[i], 0, cols, of)
	})
	return a, nil
}

// fixedExponent returns the exponent of the last bit of n numbers in fixed point: bits+guard below the exponent of
// the largest.
func fixedExponent(n, bits int, at func(j int) *big.Float) int {
	e, found := 0, false
	for i := range n {
		if f := at(i); f.Sign() != 0 {
			if k := f.MantExp(nil); !found || k > e {
				e, found = k, true
			}
		}
	}
	return e - bits - guard
}

// spread writes the residues of numbers in units of 2^e; those of modulus k begin at k width.
func (b *ResidueBase) spread(digits []uint32, width, e, begin, end int, at func(j int) *big.Float) {
	c := b.converter()
	var m big.Int
	var f big.Float
	r := make([]uint32, b.Moduli())
	for j := begin; j < end; j++ {
		c.residues(r, fixedInt(&m, &f, at(j), e))
		for k, d := range r {
			digits[k*width+j] = d
		}
	}
}

// Moduli returns the number of moduli.
func (a *ResidueDense) Moduli() int { return a.base.Moduli() }

// Bytes returns the bytes of the residues.
func (a *ResidueDense) Bytes() int64 { return 4 * int64(len(a.digits)) }

// MulVec sets y = A x. Except for the truncation of A and x to fixed point, each element is exact, and rounded once:
//
//	|y*_i - y_i| <= FixedBound(bits, n, max_j |a_ij|, max_j |x_j|)
//
// x must be finite.
func (a *ResidueDense) MulVec(y, x []big.Float, pool *parallel.Pool) {
	n := a.base.Moduli()
	v := make([]uint32, n*a.width)
	at := func(j int) *big.Float { return &x[j] }
	e := fixedExponent(a.cols, a.bits, at)
	parts := pool.Threads()
	pool.Each(parts, func(k int) {
		a.base.spread(v, a.width, e, k*a.cols/parts, (k+1)*a.cols/parts, at)
	})
	const panel = 16 // rows that share work space
	pool.Each((a.rows+panel-1)/panel, func(p int) {
		c := a.base.converter()
		sums := make([]uint64, 2*n)
		r := make([]uint32, n)
		var z big.Int
		for i := p * panel; i < min((p+1)*panel, a.rows); i++ {
			kernels.Default().DotResidues(sums, a.digits[i*n*a.width:], v, a.width, a.width)
			for k := range r {
				r[k] = a.base.moduli[k].sum(sums[2*k:])
			}
			c.integer(&z, r)
			a.base.element(&y[i], &z, e+a.exp[i], a.bits)
		}
	})
}

// element sets y = z 2^e, rounded.
func (b *ResidueBase) element(y *big.Float, z *big.Int, e, bits int) {
	y.SetPrec(uint(bits + guard)).SetInt(z)
	if z.Sign() != 0 {
		y.SetMantExp(y, e)
	}
}

// FixedBound returns the bound of the error of an element of a product of n terms in fixed point with so many bits, 8
// n 2^-(bits+10) max|a| max|x|: in both factors a number is truncated at 2^-(bits+10) of the power of two above the
// largest, which is at most twice the largest, and the sum is rounded.
func FixedBound(bits, n int, maxA, maxX *big.Float) *big.Float {
	u := new(big.Float).SetMantExp(big.NewFloat(8*math.Max(1, float64(n))), -(bits + guard))
	return u.Mul(u, new(big.Float).Mul(maxA, maxX))
}
