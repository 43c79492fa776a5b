//go:build !purego

package kernels

import (
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

// roundRoom is the number of words that the kernel needs for its intermediate results.
const roundRoom = Lanes * (2*38 + MostSumLimbs + 28)

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
	var room [roundRoom]uint64
	for at := 0; at < len(y.Exp); at += Lanes {
		n := min(Lanes, len(y.Exp)-at)
		c := roundCall{&to, at, n, &sums[stride*at], stride, limbs, &units[at], &room[0]}
		if simd.RoundLimbsOct(unsafe.Pointer(&c)) != 0 { // an exponent is out of range
			roundLimbs(y.Part(at, at+n), sums[stride*at:], stride, limbs, units[at:])
		}
	}
}
