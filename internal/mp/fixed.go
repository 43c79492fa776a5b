package mp

import "github.com/mpsolve/mpsolve/internal/kernels"

const (
	limbBits = kernels.LimbBits
	limbMask = kernels.LimbMask
	lanes    = kernels.Lanes
)

// magnitude writes floor(|x_i| 2^(n-e)) to limbs that are `step` words apart; e is at least the exponent of x_i.
func (v *Vec) magnitude(limbs []uint64, step, size, i, n, e int) {
	m := v.at(i)
	at := 64*v.words - n + e - int(v.exp[i])
	if v.zero(i) {
		at = 64 * v.words
	}
	for k := range size {
		limbs[step*k] = bitsFrom(m, at+limbBits*k) & limbMask
	}
}

// bitsFrom returns the 64 bits of m from bit `at` on, with zeros around m.
func bitsFrom(m []uint64, at int) (w uint64) {
	t, shift := at>>6, uint(at&63)
	if t >= 0 && t < len(m) {
		w = m[t] >> shift
	}
	if t++; t >= 0 && t < len(m) {
		w |= m[t] << (64 - shift)
	}
	return w
}

// half is the top limb of 2^(52 size - 1), which is added to integers to make them positive.
const half = 1 << (limbBits - 1)

// offset writes x_i as an integer of size limbs: in units of 2^(e - 52 size + 1), truncated, plus 2^(52 size - 1).
func (v *Vec) offset(limbs []uint64, step, size, i, e int) {
	v.magnitude(limbs, step, size, i, limbBits*size-1, e)
	top := step * (size - 1)
	if !v.neg[i] {
		limbs[top] |= half
		return
	}
	var borrow uint64
	for k := 0; k <= top; k += step {
		a := -limbs[k] - borrow
		if k == top {
			a += half
		}
		limbs[k], borrow = a&limbMask, a>>63
	}
}

// sum is an integer in limbs to which limbs can be added.
type sum []int64

// add adds limbs, which are `step` words apart, from limb `at` on.
func (s sum) add(at int, limbs []uint64, step int) {
	for k := 0; k < len(limbs); k += step {
		s[at] += int64(limbs[k])
		at++
	}
}

// carry reduces all limbs but the highest to 52 bits.
func (s sum) carry() {
	var c int64
	for k := range s[:len(s)-1] {
		a := s[k] + c
		s[k], c = a&limbMask, a>>limbBits
	}
	s[len(s)-1] += c
}

// settle replaces s by its absolute value in limbs of 52 bits, in which it must fit, and reports whether s was
// negative.
func (s sum) settle() (neg bool) {
	s.carry()
	if neg = s[len(s)-1] < 0; neg {
		for k := range s {
			s[k] = -s[k]
		}
		s.carry()
	}
	return neg
}

// pack writes a settled sum to packed(len(s)) words.
func (s sum) pack(m []uint64) {
	var w uint64
	used, k := uint(0), 0
	for _, limb := range s {
		w |= uint64(limb) << used
		if used += limbBits; used >= 64 {
			m[k] = w
			k++
			used -= 64
			w = uint64(limb) >> (limbBits - used)
		}
	}
	m[k] = w
}

// packed returns the number of words for a sum of so many limbs.
func packed(limbs int) int { return limbBits*limbs/64 + 1 }

// carryLanes reduces all limbs but the highest of the sums of a kernel, Lanes numbers of `limbs` limbs, to 52 bits.
func carryLanes(s []uint64) {
	for k := lanes; k < len(s); k++ {
		s[k] += s[k-lanes] >> limbBits
		s[k-lanes] &= limbMask
	}
}
