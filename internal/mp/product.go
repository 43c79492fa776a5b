package mp

import "github.com/mpsolve/mpsolve/internal/kernels"

// upper holds Lanes sums of products by kernels.MulLimbs or DotLimbs of numbers in the form of offset.
type upper struct {
	kernels *kernels.Set
	size    int
	s       []uint64
	sum     sum      // room for one of the sums
	m       []uint64 // and for its words
}

func newUpper(size int) *upper {
	limbs := size + 3
	return &upper{kernels.Default(), size, make([]uint64, lanes*(size+2)), make(sum, limbs), make([]uint64, packed(limbs))}
}

// product is kernels.MulLimbs or kernels.DotLimbs, with the number of words of b for each of the products.
type product struct {
	call  func(k *kernels.Set, size int, s, a []uint64, step int, b []uint64, count int)
	words int
}

func mul(size int) product { return product{(*kernels.Set).MulLimbs, size} }
func dot(size int) product { return product{(*kernels.Set).DotLimbs, lanes * size} }

// add adds products to the sums, and carries.
func (u *upper) add(p product, a []uint64, step int, b []uint64, count int) {
	most := (kernels.MaxLimbTerms - 1) / (2 * u.size)
	for count > 0 {
		n := min(count, most)
		p.call(u.kernels, u.size, u.s, a, step, b, n)
		carryLanes(u.s)
		if count -= n; count > 0 {
			a, b = a[n*step:], b[n*p.words:]
		}
	}
}

// lane returns the sum of lane l in limbs, beginning with limb size-1; it is valid until the next call.
func (u *upper) lane(l int) sum {
	clear(u.sum)
	u.sum.add(0, u.s[l:], lanes)
	return u.sum
}

// total returns the sum of all lanes; it is valid until the next call.
func (u *upper) total() sum {
	clear(u.sum)
	for l := range lanes {
		u.sum.add(0, u.s[l:], lanes)
	}
	u.sum.carry()
	return u.sum
}

// finish converts s, the sum of n products (a + h)(x + h) with h = 2^(52 size - 1) from limb size-1 on, to twice the
// sum of the products a x: 2 s - 2h (sum of a + h) - 2h (sum of x + h) + 2 n h^2. Its lowest limb has the weight of
// limb size-1 of a product.
func (s sum) finish(size, n int, a, x []uint64) {
	for k := range s {
		s[k] *= 2
	}
	for k := range a {
		s[k+1] -= int64(a[k]) + int64(x[k])
	}
	s[size] += int64(n&1) << (limbBits - 1)
	s[size+1] += int64(n >> 1)
}

// unit returns the exponent of the unit of finish, for a in units of 2^(ea - 52 size + 1) and x of 2^(ex - 52 size +
// 1).
func unit(size, ea, ex int) int {
	return limbBits*(size-1) + ea + ex - 2*(limbBits*size-1) - 1
}

// put settles s and sets element i to s 2^unit. m is room for packed(len(s)) words.
func (s sum) put(v *Vec, i, unit int, m []uint64) {
	neg := s.settle()
	s.pack(m)
	v.put(i, neg, m, unit+64*len(m), false)
}
