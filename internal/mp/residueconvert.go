package mp

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// mul64 returns both halves of a product.
func mul64(x, y uint64) (high, low uint64) { return bits.Mul64(x, y) }

// digitsOf returns the n lowest digits of |x|, of 28 bits each.
func digitsOf(x *big.Int, n int) []uint32 {
	d := make([]uint32, n)
	setDigits(d, x)
	return d
}

// setDigits sets d to the lowest digits of |x|.
func setDigits(d []uint32, x *big.Int) {
	const mask = 1<<digitBits - 1
	var carry uint64 // bits that no digit has yet
	have, k := 0, 0
	for _, word := range x.Bits() {
		for w, left := uint64(word), bits.UintSize; left > 0; left -= 32 {
			carry |= w & math.MaxUint32 << have
			w >>= 32
			for have += 32; have >= digitBits; have -= digitBits {
				if k < len(d) {
					d[k] = uint32(carry & mask)
				}
				carry >>= digitBits
				k++
			}
		}
	}
	for ; k < len(d); k++ {
		d[k] = uint32(carry & mask)
		carry >>= digitBits
	}
}

// converter converts between integers and residues; it has the work space of one goroutine.
type converter struct {
	*ResidueBase
	digits []uint32 // of an integer, or the factors of its residues; zeros up to the width
	sums   []uint64
	words  []big.Word
	t      big.Int
}

func (b *ResidueBase) converter() *converter {
	return &converter{ResidueBase: b, digits: make([]uint32, b.width), sums: make([]uint64, 2*len(b.moduli))}
}

// residues sets r to the residues of x, |x| < M, by a product of the digits with the residues of powers of two.
func (c *converter) residues(r []uint32, x *big.Int) {
	n := len(c.moduli)
	setDigits(c.digits[:n], x)
	kernels.Default().DotResidues(c.sums, c.powers, c.digits, c.width, 0)
	for i := range c.moduli {
		q := &c.moduli[i]
		r[i] = q.sum(c.sums[2*i:])
		if x.Sign() < 0 && r[i] > 0 {
			r[i] = q.m - r[i]
		}
	}
}

// sum returns a sum of the kernel modulo m.
func (q *modulus) sum(s []uint64) uint32 {
	return q.reduce(uint64(q.reduce(s[1]))<<32 | s[0])
}

// integer sets x to the integer with these residues, -M/2 < x < M/2, by the Chinese remainder theorem:
//
//	x = sum_i M/m_i |r_i w_i| - rank M
//
// where the rank is the integer nearest to sum_i |r_i w_i| / m_i. x must not be within n 2^-45 of M/2.
func (c *converter) integer(x *big.Int, r []uint32) {
	n := len(c.moduli)
	fraction := 0.0
	for i := range c.moduli {
		q := &c.moduli[i]
		t := q.mul(r[i], q.weight)
		c.digits[i] = t
		fraction += float64(t) * q.inverse
	}
	rank := uint64(math.RoundToEven(fraction))
	kernels.Default().DotResidues(c.sums, c.cofactors, c.digits, c.width, 0)

	// Digits with carries become words; the highest carry is the sign.
	c.words = c.words[:0]
	var word uint64
	var carry int64
	have := 0
	const mask = 1<<digitBits - 1
	for w := range n {
		low, high := c.sums[2*w], c.sums[2*w+1]
		s := carry + int64(low) - int64(rank*uint64(c.ResidueBase.digits[w]))
		digit := uint64(s) & mask
		carry = s>>digitBits + int64(high<<(32-digitBits))
		word |= digit << have
		if have += digitBits; have >= bits.UintSize {
			c.words = append(c.words, big.Word(word))
			have -= bits.UintSize
			word = digit >> (digitBits - have)
		}
	}
	c.words = append(c.words, big.Word(word))
	x.SetBits(c.words)
	if carry < 0 { // x is modulo 2^(28 n)
		c.t.SetBit(c.t.SetInt64(0), n*digitBits, 1)
		x.Sub(x, &c.t)
	}
}

// Residues returns the residues of x, |x| < M/2.
func (b *ResidueBase) Residues(x *big.Int) []uint32 {
	r := make([]uint32, len(b.moduli))
	b.converter().residues(r, x)
	return r
}

// Integer returns the integer between -M/2 and M/2 with these residues.
func (b *ResidueBase) Integer(r []uint32) *big.Int {
	x := new(big.Int)
	b.converter().integer(x, r)
	return new(big.Int).Set(x)
}
