package kernels

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/dd"
)

// ddNum and ddVec are struct dd_num and struct dd_vec of c/dd.h, which also explains the functions below.
type (
	ddNum = dd.DD
	ddVec = dd.Vec
)

// ddProd returns a x, not renormalised.
func ddProd(a, x dd.DD) dd.DD {
	p, e := dd.TwoProd(a.Hi, x.Hi)
	return dd.DD{Hi: p, Lo: math.FMA(a.Hi, x.Lo, math.FMA(a.Lo, x.Hi, e))}
}

// dProd is ddProd for a float64 a.
func dProd(a float64, x dd.DD) dd.DD {
	p, e := dd.TwoProd(a, x.Hi)
	return dd.DD{Hi: p, Lo: math.FMA(a, x.Lo, e)}
}

// ddAccumulate returns s + p, with the errors of the high parts summed in Lo.
func ddAccumulate(s, p dd.DD) dd.DD {
	t, e := dd.TwoSum(s.Hi, p.Hi)
	return dd.DD{Hi: t, Lo: s.Lo + (e + p.Lo)}
}

// ddRenormalise returns s as a number with |Lo| at most half an ulp of Hi, if |Hi| >= |Lo|.
func ddRenormalise(s dd.DD) dd.DD { return dd.FastTwoSum(s.Hi, s.Lo) }
