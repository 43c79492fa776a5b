package mp

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// The precisions that a Vec can have.
const (
	MinBits = 53
	MaxBits = kernels.LimbBits*kernels.MaxLimbs - guardBits // 1696
)

// guardBits is the least number of bits that the fixed-point form in products has beyond the precision of a vector.
const guardBits = 20

// CheckBits returns an error in one line if vectors cannot have that precision.
func CheckBits(bits int) error {
	if bits < MinBits || bits > MaxBits {
		return fmt.Errorf("%d bits: not between %d and %d", bits, MinBits, MaxBits)
	}
	return nil
}

// sizeOf returns the number of limbs of fixed-point numbers for vectors of that precision.
func sizeOf(bits int) int { return kernels.LimbSize(bits + guardBits) }

// Vec is a vector of floating-point numbers with a significand of Bits bits. Exponents have 32 bits: smaller numbers
// become 0, and larger ones cause a panic, as do infinities and NaN, which a Vec cannot hold.
type Vec struct {
	bits, words int
	exp         []int32
	neg         []bool
	mant        []uint64 // words for each number, the lowest first: ±0.mant 2^exp, the highest bit 1, or all 0
}

// New returns a zero vector of n numbers. It panics if the precision is invalid; see CheckBits.
func New(n, bits int) *Vec {
	if err := CheckBits(bits); err != nil {
		panic("mp: " + err.Error())
	}
	words := wordsOf(bits)
	return &Vec{bits: bits, words: words, exp: make([]int32, n), neg: make([]bool, n), mant: make([]uint64, n*words)}
}

func wordsOf(bits int) int { return (bits + 63) / 64 }

// Bytes returns the bytes of memory that New allocates.
func Bytes(n, bits int) int64 { return int64(n) * int64(5+8*wordsOf(bits)) }

// Len returns the number of elements.
func (v *Vec) Len() int { return len(v.exp) }

// Bits returns the precision.
func (v *Vec) Bits() int { return v.bits }

// Copy sets v = x, each element rounded to the precision of v.
func (v *Vec) Copy(x *Vec) {
	m := make([]uint64, x.words)
	for i := range x.exp {
		copy(m, x.at(i))
		v.put(i, x.neg[i], m, int(x.exp[i]), false)
	}
}

// at returns the significand of element i.
func (v *Vec) at(i int) []uint64 { return v.mant[i*v.words : (i+1)*v.words : (i+1)*v.words] }

// zero reports whether element i is 0.
func (v *Vec) zero(i int) bool { return v.mant[(i+1)*v.words-1] == 0 }

// Number returns element i as ±0.m 2^e, the lowest word of m first. The highest bit of m is 1, or m is 0 for zero. m
// shares the memory of v.
func (v *Vec) Number(i int) (neg bool, m []uint64, e int) { return v.neg[i], v.at(i), int(v.exp[i]) }

// At returns element i exactly.
func (v *Vec) At(i int) *big.Float {
	words := make([]big.Word, v.words)
	for k, w := range v.at(i) {
		words[k] = big.Word(w)
	}
	a := new(big.Float).SetPrec(uint(v.bits)).SetInt(new(big.Int).SetBits(words))
	if v.neg[i] {
		a.Neg(a)
	}
	if a.Sign() != 0 {
		a.SetMantExp(a, int(v.exp[i])-64*v.words)
	}
	return a
}

// Set sets element i to a, rounded to nearest, ties to even.
func (v *Vec) Set(i int, a *big.Float) {
	neg, m, e := wordsOfFloat(a)
	v.put(i, neg, m, e+64*len(m), false)
}

// wordsOfFloat returns a = ±m 2^e with an integer m, the lowest word first.
func wordsOfFloat(a *big.Float) (neg bool, m []uint64, e int) {
	if a.IsInf() {
		panic("mp: an infinity")
	}
	n := int(a.MinPrec())
	e = a.MantExp(nil) - n
	integer, _ := new(big.Float).SetMantExp(a, -e).Int(nil)
	m = make([]uint64, max(1, wordsOf(n)))
	for k, w := range integer.Bits() {
		m[k] = uint64(w)
	}
	return a.Signbit(), m, e
}

// SetFloat64s sets v = x.
func (v *Vec) SetFloat64s(x []float64) {
	for i, a := range x {
		m, e, neg := split(a)
		v.put(i, neg, []uint64{m}, e+64, false)
	}
}

// split returns a = ±m 2^e with an integer m < 2^53.
func split(a float64) (m uint64, e int, neg bool) {
	b := math.Float64bits(a)
	m, e = b&(1<<52-1), int(b>>52&0x7ff)
	switch e {
	case 0x7ff:
		panic("mp: not a finite number")
	case 0:
		e = 1
	default:
		m |= 1 << 52
	}
	return m, e - 1075, b>>63 != 0
}

// Float64s sets x = v, each element rounded to nearest, ties to even.
func (v *Vec) Float64s(x []float64) {
	for i := range x {
		m := v.at(i)
		x[i] = float64of(v.neg[i], lead(m, v.words-1, 0), int(v.exp[i]))
	}
}

// lead returns the 64 bits of m from bit 63-shift of word t down; the lowest is 1 if any bit below is 1, which is
// enough to round by.
func lead(m []uint64, t int, shift uint) uint64 {
	top := shifted(m, t, shift)
	below := shifted(m, t-1, shift)
	for k := t - 2; k >= 0; k-- {
		below |= m[k]
	}
	if below != 0 {
		top |= 1
	}
	return top
}

// shifted returns word t of m, shifted left.
func shifted(m []uint64, t int, shift uint) (w uint64) {
	if t >= 0 {
		w = m[t] << shift
	}
	if t > 0 {
		w |= m[t-1] >> (64 - shift)
	}
	return w
}

// float64of returns ±0.m 2^e, rounded to nearest, ties to even. The highest bit of m is 1 unless m = 0.
func float64of(neg bool, m uint64, e int) float64 {
	if m == 0 {
		return 0
	}
	n := min(53, e+1074) // bits to keep: fewer for subnormal numbers
	var a float64
	switch {
	case n < 0:
	case n == 0:
		if m > 1<<63 {
			a = math.SmallestNonzeroFloat64
		}
	default:
		drop := uint(64 - n)
		half := uint64(1) << (drop - 1)
		q, r := m>>drop, m&(half<<1-1)
		if r > half || r == half && q&1 != 0 {
			q++
		}
		a = math.Ldexp(float64(q), e-n)
	}
	if neg {
		return -a
	}
	return a
}

// put sets element i to ±0.m 2^e, rounded to nearest, ties to even. rest says that there are bits below m, in which
// case the highest bits of m are not all 0.
func (v *Vec) put(i int, neg bool, m []uint64, e int, rest bool) {
	dst := v.at(i)
	t := len(m) - 1
	for t >= 0 && m[t] == 0 {
		t--
	}
	if t < 0 {
		clear(dst)
		v.exp[i], v.neg[i] = 0, false
		return
	}
	shift := uint(bits.LeadingZeros64(m[t]))
	e -= 64*(len(m)-1-t) + int(shift)
	for k := range dst {
		dst[len(dst)-1-k] = shifted(m, t-k, shift)
	}
	// The bits below, as a word whose highest bit is half a unit: the rest of the lowest word and what follows.
	low := uint(64*v.words - v.bits)
	below := shifted(m, t-v.words, shift)
	for k := t - v.words - 1; k >= 0 && !rest; k-- {
		rest = m[k] != 0
	}
	if low > 0 {
		rest = rest || below != 0
		below = dst[0] << (64 - low)
		dst[0] = dst[0] >> low << low
	}
	const half = 1 << 63
	if below > half || below == half && (rest || dst[0]>>low&1 != 0) {
		carry := uint64(1) << low
		for k := range dst {
			dst[k], carry = bits.Add64(dst[k], carry, 0)
		}
		if carry != 0 {
			dst[len(dst)-1], e = half, e+1
		}
	}
	if e > math.MaxInt32 {
		panic("mp: a number is too large")
	}
	if e < math.MinInt32 {
		clear(dst)
		e, neg = 0, false
	}
	v.exp[i], v.neg[i] = int32(e), neg
}

// top returns the largest exponent, and whether any number is not 0.
func (v *Vec) top() (e int, any bool) {
	for i := range v.exp {
		if !v.zero(i) && (!any || int(v.exp[i]) > e) {
			e, any = int(v.exp[i]), true
		}
	}
	return e, any
}

// stored is the form of a Vec for encoding/gob.
type stored struct {
	Bits int
	Exp  []int32
	Neg  []bool
	Mant []uint64
}

// GobEncode implements gob.GobEncoder: checkpoints and messages between ranks contain vectors.
func (v *Vec) GobEncode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(stored{v.bits, v.exp, v.neg, v.mant})
	return b.Bytes(), err
}

// GobDecode is the inverse of GobEncode. It returns an error for bytes that no Vec encodes to.
func (v *Vec) GobDecode(b []byte) error {
	var s stored
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&s); err != nil {
		return err
	}
	if err := CheckBits(s.Bits); err != nil {
		return err
	}
	words := wordsOf(s.Bits)
	if len(s.Neg) != len(s.Exp) || len(s.Mant) != len(s.Exp)*words {
		return errors.New("mp: the parts of a vector differ in length")
	}
	for i := range s.Exp {
		m := s.Mant[i*words : (i+1)*words]
		if m[words-1]>>63 == 0 && slices.ContainsFunc(m, func(w uint64) bool { return w != 0 }) {
			return errors.New("mp: a number is not normalised")
		}
	}
	v.bits, v.words, v.exp, v.neg, v.mant = s.Bits, words, s.Exp, s.Neg, s.Mant
	return nil
}
