//go:build !purego

package kernels

import (
	"sync"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/kernels/simd"
)

// numberArray is Numbers for C.
type numberArray struct {
	words, bits int
	exp         *int32
	neg         *bool
	mant        *uint64
}

func arrayOf(x Numbers) numberArray {
	n := len(x.Exp)
	_, _ = x.Neg[n-1], x.Mant[n*x.Words-1]
	return numberArray{x.Words, x.Bits, &x.Exp[0], &x.Neg[0], &x.Mant[0]}
}

// fixCall holds the arguments of c/numbers.c, fixLimbs and fixLanes.
type fixCall struct {
	from                   *numberArray
	count, size, bits, top int
	tops                   *int
	to, sums               *uint64
}

// roundCall holds the arguments of roundLimbs.
type roundCall struct {
	to            *numberArray
	at, count     int
	sums          *uint64
	stride, limbs int
	units         *int
	room          *uint64
}

// axpyCall holds the arguments of c/numbersum.c, axpyNumbers.
type axpyCall struct {
	y, x             *numberArray
	at, count, limbs int
	factor           *uint64
	exp, neg         int
	room             *uint64
}

// numberRoom holds the intermediate results of a kernel: sums of 68 limbs, which are moved, and words; and for
// axpyNumbers a product and a term as long, and a number. A call leaves its room to the next ones.
type numberRoom [Lanes * (38 + 68 + 38 + 68 + 28 + 2*68 + MaxLimbs)]uint64

var numberRooms = sync.Pool{New: func() any { return new(numberRoom) }}

func fixLimbsOct(to []uint64, size int, x Numbers, top int) {
	from := arrayOf(x)
	simd.FixLimbsOct(unsafe.Pointer(&fixCall{from: &from, count: len(x.Exp), size: size, bits: LimbBits * size, top: top, to: &to[0]}))
}

func fixLanesOct(to, sums []uint64, size int, x Numbers, top int, tops []int) {
	from, n := arrayOf(x), len(x.Exp)
	c := fixCall{from: &from, count: n, size: size, bits: LimbBits*size - 1, top: top, to: &to[0], sums: &sums[0]}
	if tops != nil {
		c.tops = &tops[:n][0]
	}
	simd.FixLanesOct(unsafe.Pointer(&c))
}

func roundLimbsOct(y Numbers, sums []uint64, stride, limbs int, units []int) {
	if limbs > MostSumLimbs {
		panic("kernels: a sum of too many limbs")
	}
	to := arrayOf(y)
	room := numberRooms.Get().(*numberRoom)
	defer numberRooms.Put(room)
	for at := 0; at < len(y.Exp); at += Lanes {
		n := min(Lanes, len(y.Exp)-at)
		c := roundCall{&to, at, n, &sums[stride*at], stride, limbs, &units[at], &room[0]}
		if simd.RoundLimbsOct(unsafe.Pointer(&c)) != 0 { // an exponent is out of range
			roundLimbs(y.Part(at, at+n), sums[stride*at:], stride, limbs, units[at:])
		}
	}
}

func addTimesOct(y, a, x Numbers) {
	if len(x.Exp) < 2*Lanes || x.Bits != y.Bits || a.Bits != y.Bits { // less than the kernel's preparations, or limbs of several sizes
		addTimes(y, a, x)
		return
	}
	size := LimbSize(x.Bits)
	var factor [MaxLimbs]uint64
	room := numberRooms.Get().(*numberRoom)
	defer numberRooms.Put(room)
	a.magnitude(factor[:size], 1, 0, LimbBits*size, int(a.Exp[0]))
	to, from := arrayOf(y), arrayOf(x)
	c := axpyCall{y: &to, x: &from, count: len(x.Exp), limbs: size, factor: &factor[0], exp: int(a.Exp[0]), room: &room[0]}
	if a.Neg[0] {
		c.neg = 1
	}
	for c.at < c.count {
		if c.at = simd.AxpyNumbersOct(unsafe.Pointer(&c)); c.at < c.count { // an exponent is out of range
			next := min(c.at+Lanes, c.count)
			addTimes(y.Part(c.at, next), a, x.Part(c.at, next))
			c.at = next
		}
	}
}
