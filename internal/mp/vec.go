package mp

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
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
	if v.bits == x.bits {
		copy(v.exp[:len(x.exp)], x.exp)
		copy(v.neg[:len(x.neg)], x.neg)
		copy(v.mant[:len(x.mant)], x.mant)
		return
	}
	m := make([]uint64, x.words)
	for i := range x.exp {
		copy(m, x.at(i))
		v.put(i, x.neg[i], m, int(x.exp[i]), false)
	}
}

// Ranges returns a copy of the elements of some ranges, each from its first number to the one before its second, one after the other.
func (v *Vec) Ranges(ranges [][2]int) *Vec {
	part := &Vec{bits: v.bits, words: v.words}
	for _, r := range ranges {
		part.exp, part.neg = append(part.exp, v.exp[r[0]:r[1]]...), append(part.neg, v.neg[r[0]:r[1]]...)
		part.mant = append(part.mant, v.mant[r[0]*v.words:r[1]*v.words]...)
	}
	return part
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
		x[i] = float64of(v.neg[i], kernels.Leading(m, v.words-1, 0), int(v.exp[i]))
	}
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
	v.exp[i], v.neg[i] = kernels.RoundWords(v.at(i), v.bits, neg, m, e, rest)
}

// top returns the largest exponent, and whether any number is not 0.
func (v *Vec) top() (e int, any bool) { return v.topOf(0, v.Len()) }

// topOf is top for elements lo to hi-1.
func (v *Vec) topOf(lo, hi int) (e int, any bool) {
	most := int32(math.MinInt32)
	for i, exp := range v.exp[lo:hi] {
		if (exp > most || !any) && !v.zero(lo+i) {
			most, any = exp, true
		}
	}
	if !any {
		return 0, false
	}
	return int(most), true
}

// seenSooner is a number of exponents that one thread looks at sooner than another one wakes up.
const seenSooner = 1 << 15

// topBy is top, by the threads of the pool.
func (v *Vec) topBy(pool *parallel.Pool) (e int, any bool) {
	if v.Len() < seenSooner {
		return v.top()
	}
	bounds := blocks(pool, v.Len())
	tops, some := make([]int, len(bounds)), make([]bool, len(bounds))
	pool.RunRanges(bounds, func(k, lo, hi int) { tops[k], some[k] = v.topOf(lo, hi) })
	for k, t := range tops {
		if some[k] && (!any || t > e) {
			e, any = t, true
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
