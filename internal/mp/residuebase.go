package mp

import (
	"fmt"
	"math"
	"math/big"
	"sync"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// digitBits is the size of moduli and of the digits of integers that are converted: 64 bits hold the sum of 256
// products.
const digitBits = kernels.ResidueBits

// MaxModuli is the size of the largest base: M of 7168 bits.
const MaxModuli = 256

// ResidueBase is a set of moduli, the largest primes below a power of two in decreasing order, with the constants that
// follow from them. M is the product of the moduli.
type ResidueBase struct {
	moduli []modulus
	m      *big.Int // M
	mod64  uint64   // M modulo 2^64
	asFloat,
	unit scaled // M and 1/M, rounded
	precision int

	width  int      // length of the rows of powers and of cofactors: the moduli, padded with zeros
	powers []uint32 // for modulus i the residues of 2^(28 w)
	// cofactors are the digits of M/m_i; for digit w those of all moduli.
	cofactors []uint32
	digits    []uint32 // of M
}

// modulus is a modulus of a base with its constants.
type modulus struct {
	m          uint32
	reciprocal uint64  // floor(2^64 / m)
	inverse    float64 // 1/m
	weight     uint32  // inverse of M/m modulo m
	cofactor64 uint64  // M/m modulo 2^64
	twos       [64]uint32
	halves     [64]uint32 // inverses of powers of two
}

// reduce returns x modulo m, by Barrett's reduction.
func (q *modulus) reduce(x uint64) uint32 {
	high, _ := mul64(x, q.reciprocal)
	r := x - high*uint64(q.m)
	if r >= uint64(q.m) {
		r -= uint64(q.m)
	}
	return uint32(r)
}

// mul returns x y modulo m.
func (q *modulus) mul(x, y uint32) uint32 { return q.reduce(uint64(x) * uint64(y)) }

// bases are computed once for each number of moduli.
var bases struct {
	sync.Mutex
	of [MaxModuli + 1]*ResidueBase
}

// NewResidueBase returns the base of the n largest primes below 2^28.
func NewResidueBase(n int) (*ResidueBase, error) {
	if n < 2 || n > MaxModuli {
		return nil, fmt.Errorf("mp: %d moduli: want 2 to %d", n, MaxModuli)
	}
	bases.Lock()
	defer bases.Unlock()
	if bases.of[n] == nil {
		bases.of[n] = newBase(primesBelow(1<<digitBits, n))
	}
	return bases.of[n], nil
}

// ResidueBaseFor returns the smallest base with at least so many bits of precision.
func ResidueBaseFor(bits int) (*ResidueBase, error) {
	n := (2*(bits+1) + digitBits - 1) / digitBits
	b, err := NewResidueBase(max(n, 2))
	if err == nil && b.precision < bits {
		b, err = NewResidueBase(n + 1)
	}
	return b, err
}

// primesBelow returns the n largest primes below a limit.
func primesBelow(limit uint32, n int) (list []uint32) {
	for p := limit - 1; len(list) < n; p-- {
		if new(big.Int).SetUint64(uint64(p)).ProbablyPrime(0) { // exact below 2^64
			list = append(list, p)
		}
	}
	return list
}

// newBase computes the constants of moduli that are primes below 2^28.
func newBase(primes []uint32) *ResidueBase {
	n := len(primes)
	b := &ResidueBase{moduli: make([]modulus, n), m: big.NewInt(1), width: padded(n)}
	for _, p := range primes {
		b.m.Mul(b.m, new(big.Int).SetUint64(uint64(p)))
	}
	b.mod64 = low64(b.m)
	b.asFloat = scaledInt(b.m)
	b.unit = scaled{1, 0}.over(b.asFloat)
	b.precision = precisionOf(b.m)
	b.powers = make([]uint32, n*b.width)
	b.cofactors = make([]uint32, n*b.width)
	b.digits = digitsOf(b.m, n)
	for i, p := range primes {
		q := &b.moduli[i]
		q.m, q.reciprocal, q.inverse = p, math.MaxUint64/uint64(p), 1/float64(p)
		prime := new(big.Int).SetUint64(uint64(p))
		cofactor := new(big.Int).Quo(b.m, prime)
		q.cofactor64 = low64(cofactor)
		q.weight = uint32(new(big.Int).ModInverse(cofactor, prime).Uint64())
		half := (p + 1) / 2
		q.twos[0], q.halves[0] = 1, 1
		for k := 1; k < len(q.twos); k++ {
			q.twos[k], q.halves[k] = q.mul(q.twos[k-1], 2), q.mul(q.halves[k-1], half)
		}
		power := uint32(1)
		for w := range n {
			b.powers[i*b.width+w] = power
			power = q.mul(power, q.twos[digitBits])
		}
		for w, d := range digitsOf(cofactor, n) {
			b.cofactors[w*b.width+i] = d
		}
	}
	return b
}

// precisionOf returns floor(log2 sqrt M) - 1; products of two significands below 2^(p+1) are then below 7/8 M.
func precisionOf(m *big.Int) int {
	p := (m.BitLen()-1)/2 - 1
	most := new(big.Int).Lsh(big.NewInt(8), uint(2*p+2))
	if most.Cmp(new(big.Int).Mul(m, big.NewInt(7))) > 0 {
		p--
	}
	return p
}

// Moduli returns the number of moduli.
func (b *ResidueBase) Moduli() int { return len(b.moduli) }

// Range returns M.
func (b *ResidueBase) Range() *big.Int { return new(big.Int).Set(b.m) }

// Precision returns the bits of a significand, floor(log2 sqrt M) - 1.
func (b *ResidueBase) Precision() int { return b.precision }

// padded returns a length that kernels accept.
func padded(n int) int {
	return (n + kernels.ResidueGroup - 1) / kernels.ResidueGroup * kernels.ResidueGroup
}

// low64 returns x modulo 2^64 for x >= 0.
func low64(x *big.Int) uint64 {
	return new(big.Int).And(x, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}
