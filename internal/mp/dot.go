package mp

import (
	"math/big"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// byLanes is a vector in fixed point, Lanes numbers at a time: limb k of number Lanes c + l is limb[Lanes (size c + k) + l].
// Numbers after the last one are 0.
type byLanes struct {
	chunks int
	limb   []uint64
	sums   []uint64 // size + 1 limbs of the sum of all numbers
}

// fixLanes rounds x_i to fixed point relative to 2^tops[i].
func fixLanes(pool *parallel.Pool, x *Vec, size int, tops []int) *byLanes {
	f := &byLanes{chunks: (x.Len() + lanes - 1) / lanes}
	f.limb = make([]uint64, f.chunks*lanes*size)
	bounds := blocks(pool, f.chunks)
	parts := make([]sum, len(bounds)-1)
	pool.RunRanges(bounds, func(k, lo, hi int) {
		t := newTotal(size)
		for c := lo; c < hi; c += together(size) {
			from, to := lanes*c, min(lanes*min(c+together(size), hi), x.Len())
			t.fix(f.limb[from*size:], x, from, to, 0, tops[from:to])
		}
		parts[k] = t.all()
	})
	f.sums = totalOf(size, parts)
	return f
}

// together is a number of chunks that are converted to limbs at a time: the limbs of two vectors stay in the first cache, and sums of
// so many limbs need no carries.
func together(size int) int { return max(4, 100/size) }

// mostTerms is so small that the sum of so many limbs in all lanes, and a carry, stay below 2^63.
const mostTerms = kernels.MaxLimbTerms / (2 * lanes)

// total adds up numbers in the form of kernels.FixLanes.
type total struct {
	size  int
	lanes []uint64 // the sum of each lane, without carries
	terms int      // of a lane
	sum   sum      // of the terms before
}

func newTotal(size int) *total {
	return &total{size: size, lanes: make([]uint64, lanes*size), sum: make(sum, size+1)}
}

// fix converts elements lo to hi-1 of x, of at most together(size) chunks.
func (t *total) fix(to []uint64, x *Vec, lo, hi, top int, tops []int) {
	if t.terms += together(t.size); t.terms > mostTerms {
		t.all()
		t.terms = together(t.size)
	}
	kernels.Default().FixLanes(to, t.lanes, t.size, x.numbers(lo, hi), top, tops)
}

// all returns the sum of all terms.
func (t *total) all() sum {
	for l := range lanes {
		t.sum.add(0, t.lanes[l:], lanes)
	}
	t.sum.carry()
	clear(t.lanes)
	return t.sum
}

// totalOf returns the sum of the parts, in size + 1 limbs.
func totalOf(size int, parts []sum) []uint64 {
	all, limbs := make(sum, size+1), make([]uint64, size+1)
	for _, s := range parts {
		for k := range s {
			all[k] += s[k]
		}
		all.carry()
	}
	for k := range all {
		limbs[k] = uint64(all[k])
	}
	return limbs
}

// blocks divides n into ranges for the threads of a pool, a few for each; sums over the ranges are exact, so that results do not
// depend on them.
func blocks(pool *parallel.Pool, n int) []int {
	parts := min(n, 4*pool.Threads())
	bounds := make([]int, 0, parts+1)
	for k := range parts {
		bounds = append(bounds, n*k/parts)
	}
	return append(bounds, n)
}

// Dot returns x·y with the precision of x, rounded once. The vectors, of the same length and precision, are rounded
// to fixed point relative to their largest elements, and the sum is exact except for the lowest bits of products. See
// DotBound.
func Dot(pool *parallel.Pool, x, y *Vec) *big.Float {
	if x.Len() != y.Len() || x.bits != y.bits {
		panic("mp: an inner product of vectors that do not match")
	}
	result := New(1, x.bits)
	ex, some := x.topBy(pool)
	ey, others := y.topBy(pool)
	if !some || !others {
		return result.At(0)
	}
	size, chunks := sizeOf(x.bits), (x.Len()+lanes-1)/lanes
	bounds := blocks(pool, chunks)
	parts, xs, ys := make([]sum, len(bounds)-1), make([]sum, len(bounds)-1), make([]sum, len(bounds)-1)
	pool.RunRanges(bounds, func(k, lo, hi int) {
		u, a, b, step := newUpper(size), newTotal(size), newTotal(size), lanes*size
		many := together(size)
		words := blockRooms.get(2 * many * step)
		defer blockRooms.put(words)
		room := *words
		for c := lo; c < hi; c += many {
			n := min(many, hi-c)
			from, to := lanes*c, min(lanes*(c+n), x.Len())
			a.fix(room, x, from, to, ex, nil)
			b.fix(room[n*step:], y, from, to, ey, nil)
			u.add(dot(size), room[:n*step], step, room[n*step:], n)
		}
		parts[k], xs[k], ys[k] = u.total(), a.all(), b.all()
	})
	s := make(sum, size+3)
	for _, part := range parts {
		for k := range s {
			s[k] += part[k]
		}
		s.carry()
	}
	s.finish(size, lanes*chunks, totalOf(size, xs), totalOf(size, ys))
	s.put(result, 0, unit(size, ex, ey), make([]uint64, packed(len(s))))
	return result.At(0)
}

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

// boundPrec is the precision of bounds, which are rounded up by slightly more than necessary.
const boundPrec = 64

// bound returns 2^(-52 size) factor, for vectors of the given precision.
func bound(bits int, factor *big.Float) *big.Float {
	f := new(big.Float).SetPrec(boundPrec).SetMode(big.ToPositiveInf).Set(factor)
	return f.SetMantExp(f, -limbBits*sizeOf(bits))
}

func product3(n int64, x, y *big.Float) *big.Float {
	f := new(big.Float).SetPrec(boundPrec).SetMode(big.ToPositiveInf).SetInt64(n)
	return f.Mul(f.Mul(f, x), y)
}

// DotBound bounds the difference between the sum of n products of Dot and x·y, before the sum is rounded to nearest,
// which adds a relative error of up to 2^-Bits. With L limbs of fixed-point numbers, 52 L >= Bits + 20, it is
//
//	17 n 2^(-52 L) ||x||_inf ||y||_inf
//
// Each vector is truncated by at most 4 2^(-52 L) of its norm, each product by (2 L - 2) 2^(-52 L - 48).
func DotBound(bits, n int, x, y *big.Float) *big.Float {
	return bound(bits, product3(17*int64(n), x, y))
}

// MulBound bounds the same difference for an element of Dense.MulVec with n columns, where x is the norm of the
// vector and a the largest element of the row, both in the infinity norm. For MulVecT, n is the number of rows, a is
// 1, and x is the largest product of an element of x and the largest element of its row.
func MulBound(bits, n int, a, x *big.Float) *big.Float { return DotBound(bits, n, a, x) }

// MatrixBound bounds the same difference for a row of Matrix.MulVec and Residual with n nonzeros, of which most is
// the largest absolute value and sum the sum of the absolute values:
//
//	2^(-52 L) ||x||_inf (2 sum + 4 n most) <= 2^-Bits ||x||_inf sum    for n < 2^18
//
// The first term comes from the truncation of x, the second from products with nonzeros that are smaller than the
// largest by 2^51; all other products are exact.
func MatrixBound(bits, n int, sum, most, x *big.Float) *big.Float {
	f := product3(4*int64(n), most, x)
	return bound(bits, f.Add(f, product3(2, sum, x)))
}
