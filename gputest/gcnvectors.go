package gputest

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
)

// A gcnOpcode is an operation of each lane, and the types of its operands, see gcnReader.signature.
type gcnOpcode struct {
	types string
	f     gcnOperation
	bit   gcnOperation // for a result that is a mask
}

// vectors has the operations on vector registers by name.
var vectors = map[string]gcnOpcode{
	"v_mov_b32":           {types: "i:i", f: one},
	"v_mov_b64":           {types: "l:l", f: one},
	"v_readfirstlane_b32": {types: "i:i", f: one},
	"v_pk_mov_b32":        {types: "p:pp", f: func(a, b, _ uint64) uint64 { return low(a) | b>>32<<32 }},
	"v_not_b32":           {types: "i:i", f: func(a, _, _ uint64) uint64 { return ^a }},
	"v_and_b32":           {types: "i:ii", f: func(a, b, _ uint64) uint64 { return a & b }},
	"v_or_b32":            {types: "i:ii", f: func(a, b, _ uint64) uint64 { return a | b }},
	"v_xor_b32":           {types: "i:ii", f: func(a, b, _ uint64) uint64 { return a ^ b }},
	"v_and_or_b32":        {types: "i:iii", f: func(a, b, c uint64) uint64 { return a&b | c }},
	"v_lshl_or_b32":       {types: "i:iii", f: func(a, b, c uint64) uint64 { return a<<(b&31) | c }},
	"v_lshl_add_u32":      {types: "i:iii", f: func(a, b, c uint64) uint64 { return a<<(b&31) + c }},
	"v_lshl_add_u64":      {types: "l:lil", f: func(a, b, c uint64) uint64 { return a<<(b&7) + c }},
	"v_add_lshl_u32":      {types: "i:iii", f: func(a, b, c uint64) uint64 { return (a + b) << (c & 31) }},
	"v_add3_u32":          {types: "i:iii", f: func(a, b, c uint64) uint64 { return a + b + c }},
	"v_lshlrev_b32":       {types: "i:ii", f: func(n, a, _ uint64) uint64 { return a << (n & 31) }},
	"v_lshrrev_b32":       {types: "i:ii", f: func(n, a, _ uint64) uint64 { return a >> (n & 31) }},
	"v_ashrrev_i32":       {types: "i:ii", f: func(n, a, _ uint64) uint64 { return uint64(int32(a) >> (n & 31)) }},
	"v_lshlrev_b64":       {types: "l:il", f: func(n, a, _ uint64) uint64 { return a << (n & 63) }},
	"v_lshrrev_b64":       {types: "l:il", f: func(n, a, _ uint64) uint64 { return a >> (n & 63) }},
	"v_ashrrev_i64":       {types: "l:il", f: func(n, a, _ uint64) uint64 { return uint64(int64(a) >> (n & 63)) }},
	"v_alignbit_b32":      {types: "i:iii", f: func(h, l, n uint64) uint64 { return (h<<32 | l) >> (n & 31) }},
	"v_ffbh_u32":          {types: "i:i", f: leadingZeros},
	"v_bfe_u32":           {types: "i:iii", f: func(a, at, n uint64) uint64 { return a >> (at & 31) & (1<<(n&31) - 1) }},
	"v_bfe_i32":           {types: "i:iii", f: fieldSigned},

	"v_add_u32":          {types: "i:ii", f: func(a, b, _ uint64) uint64 { return a + b }},
	"v_sub_u32":          {types: "i:ii", f: func(a, b, _ uint64) uint64 { return a - b }},
	"v_subrev_u32":       {types: "i:ii", f: func(a, b, _ uint64) uint64 { return b - a }},
	"v_add_co_u32":       carried("im:ii", func(a, b, _ uint64) uint64 { return a + b }),
	"v_addc_co_u32":      carried("im:iim", func(a, b, c uint64) uint64 { return a + b + c }),
	"v_sub_co_u32":       carried("im:ii", func(a, b, _ uint64) uint64 { return a - b }),
	"v_subb_co_u32":      carried("im:iim", func(a, b, c uint64) uint64 { return a - b - c }),
	"v_subbrev_co_u32":   carried("im:iim", func(a, b, c uint64) uint64 { return b - a - c }),
	"v_min_u32":          {types: "i:ii", f: func(a, b, _ uint64) uint64 { return min(a, b) }},
	"v_max_u32":          {types: "i:ii", f: func(a, b, _ uint64) uint64 { return max(a, b) }},
	"v_mul_lo_u32":       {types: "i:ii", f: func(a, b, _ uint64) uint64 { return a * b }},
	"v_mul_hi_u32":       {types: "i:ii", f: func(a, b, _ uint64) uint64 { return a * b >> 32 }},
	"v_mul_u32_u24":      {types: "i:ii", f: func(a, b, _ uint64) uint64 { return low24(a) * low24(b) }},
	"v_mul_hi_u32_u24":   {types: "i:ii", f: func(a, b, _ uint64) uint64 { return low24(a) * low24(b) >> 32 }},
	"v_mad_u32_u24":      {types: "i:iii", f: func(a, b, c uint64) uint64 { return low24(a)*low24(b) + c }},
	"v_mad_u64_u32":      {types: "lm:iil", f: func(a, b, c uint64) uint64 { return a*b + c }, bit: func(a, b, c uint64) uint64 { return gcnTruth(a*b+c < c) }},
	"v_cndmask_b32":      {types: "i:iim", f: chosen},
	"v_mbcnt_lo_u32_b32": {types: "i:ii#", f: func(a, b, lane uint64) uint64 { return below(a, lane) + b }},
	"v_mbcnt_hi_u32_b32": {types: "i:ii#", f: func(a, b, lane uint64) uint64 { return below(a<<32, lane) + b }},
	"ds_bpermute_b32":    {types: "i:ii"},

	"v_add_f64":       {types: "d:dd", f: func(a, b, _ uint64) uint64 { return bitsOf(of(a) + of(b)) }},
	"v_mul_f64":       {types: "d:dd", f: func(a, b, _ uint64) uint64 { return bitsOf(of(a) * of(b)) }},
	"v_fma_f64":       {types: "d:ddd", f: fma},
	"v_fmac_f64":      {types: "d:dd+", f: fma},
	"v_ldexp_f64":     {types: "d:di", f: func(a, n, _ uint64) uint64 { return bitsOf(math.Ldexp(of(a), int(int32(n)))) }},
	"v_rcp_f64":       {types: "d:d", f: func(a, _, _ uint64) uint64 { return rough(1 / of(a)) }},
	"v_rsq_f64":       {types: "d:d", f: func(a, _, _ uint64) uint64 { return rough(1 / math.Sqrt(of(a))) }},
	"v_div_scale_f64": {types: "dm:ddd", f: divideScale, bit: divideScaled},
	"v_div_fmas_f64":  {types: "d:ddd", f: fma, bit: divideFMA},
	"v_div_fixup_f64": {types: "d:ddd", f: divideFixup},
	"v_cmp_class_f64": {types: "m:di", bit: class},
	"v_mul_f32":       {types: "f:ff", f: func(a, b, _ uint64) uint64 { return float32Bits(float32Of(a) * float32Of(b)) }},
	"v_rcp_iflag_f32": {types: "f:f", f: func(a, _, _ uint64) uint64 { return rough32(1 / float32Of(a)) }},
	"v_cvt_f64_f32":   {types: "d:f", f: func(a, _, _ uint64) uint64 { return bitsOf(float64(float32Of(a))) }},
	"v_cvt_f64_i32":   {types: "d:i", f: func(a, _, _ uint64) uint64 { return bitsOf(float64(int32(a))) }},
	"v_cvt_f64_u32":   {types: "d:i", f: func(a, _, _ uint64) uint64 { return bitsOf(float64(uint32(a))) }},
	"v_cvt_f32_i32":   {types: "f:i", f: func(a, _, _ uint64) uint64 { return float32Bits(float32(int32(a))) }},
	"v_cvt_f32_u32":   {types: "f:i", f: func(a, _, _ uint64) uint64 { return float32Bits(float32(uint32(a))) }},
	"v_cvt_f32_f64":   {types: "f:d", f: func(a, _, _ uint64) uint64 { return float32Bits(float32(of(a))) }},
	"v_cvt_u32_f32":   {types: "i:f", f: func(a, _, _ uint64) uint64 { return unsigned32(float64(float32Of(a))) }},
	"v_cvt_i32_f64":   {types: "i:d", f: func(a, _, _ uint64) uint64 { return signed32(of(a)) }},
}

func one(a, _, _ uint64) uint64 { return a }

// leadingZeros returns the number of zero bits above the highest one, or -1 if there is no one.
func leadingZeros(a, _, _ uint64) uint64 {
	if low(a) == 0 {
		return math.MaxUint32
	}
	return uint64(bits.LeadingZeros32(uint32(a)))
}

func low24(a uint64) uint64 { return a & (1<<24 - 1) }

// below returns the number of ones in a below the bit of a lane.
func below(a, lane uint64) uint64 { return uint64(bits.OnesCount64(a & (1<<lane - 1))) }

func chosen(a, b, second uint64) uint64 {
	if second != 0 {
		return b
	}
	return a
}

// fieldSigned returns the field of n bits from bit at on, sign-extended.
func fieldSigned(a, at, n uint64) uint64 {
	if n &= 31; n == 0 {
		return 0
	}
	field := a >> (at & 31) << (64 - n)
	return uint64(int64(field) >> (64 - n))
}

// carried is a 32-bit operation with carry, or borrow, out.
func carried(types string, f gcnOperation) gcnOpcode {
	return gcnOpcode{types, f, func(a, b, c uint64) uint64 { return f(a, b, c) >> 32 & 1 }}
}

// order returns 0, 1 or 2 if a is smaller than, equal to or larger than b.
func order[T cmp.Ordered](a, b T) int { return cmp.Compare(a, b) + 1 }

func init() {
	comparisons := map[string]gcnOperation{}
	types := map[string]string{"u32": "ii", "i32": "ii", "u64": "ll", "i64": "ll", "f64": "dd", "f32": "ff"}
	for name, is := range orders {
		comparisons[name+"_u32"] = func(a, b, _ uint64) uint64 { return gcnTruth(is[order(a, b)]) }
		comparisons[name+"_u64"] = comparisons[name+"_u32"]
		comparisons[name+"_i32"] = func(a, b, _ uint64) uint64 { return gcnTruth(is[order(int32(a), int32(b))]) }
		comparisons[name+"_i64"] = func(a, b, _ uint64) uint64 { return gcnTruth(is[order(int64(a), int64(b))]) }
		if name == "ne" { // for floats neq, which is true for NaN
			continue
		}
		numbers := func(a, b, _ uint64) uint64 { return gcnTruth(!unordered(a, b) && is[order(of(a), of(b))]) }
		comparisons[name+"_f64"] = numbers
		not := "n" + name
		comparisons[not+"_f64"] = func(a, b, _ uint64) uint64 { return numbers(a, b, 0) ^ 1 }
	}
	comparisons["u_f64"] = func(a, b, _ uint64) uint64 { return gcnTruth(unordered(a, b)) }
	comparisons["o_f64"] = func(a, b, _ uint64) uint64 { return gcnTruth(!unordered(a, b)) }
	for name, f := range comparisons {
		operands := types[name[len(name)-3:]]
		vectors["v_cmp_"+name] = gcnOpcode{types: "m:" + operands, bit: f}
		vectors["v_cmpx_"+name] = gcnOpcode{types: "x:" + operands, bit: f}
	}
}

// unordered reports whether one of two numbers is NaN.
func unordered(a, b uint64) bool { return of(a) != of(a) || of(b) != of(b) }

func of(a uint64) float64                         { return math.Float64frombits(a) }
func bitsOf(v float64) uint64                     { return math.Float64bits(v) }
func float32Of(a uint64) float32                  { return math.Float32frombits(uint32(a)) }
func float32Bits(v float32) uint64                { return uint64(math.Float32bits(v)) }
func fma(a, b, c uint64) uint64                   { return bitsOf(math.FMA(of(a), of(b), of(c))) }
func gcnSaturated(v, least, most float64) float64 { return math.Trunc(max(least, min(v, most))) }

// unsigned32 and signed32 truncate and saturate; NaN becomes 0.
func unsigned32(v float64) uint64 {
	if v != v {
		return 0
	}
	return uint64(gcnSaturated(v, 0, math.MaxUint32))
}

func signed32(v float64) uint64 {
	if v != v {
		return 0
	}
	return low(uint64(int64(gcnSaturated(v, math.MinInt32, math.MaxInt32))))
}

// wrongBits is the number of bits of v_rcp_f64 and v_rsq_f64 that may be wrong, by the manuals.
const wrongBits = 29

// rough returns v with an error of up to 2^wrongBits units in the last place, which depends on the bits of v. Zeros,
// infinities and NaN are exact.
func rough(v float64) uint64 {
	b := bitsOf(v)
	if v == 0 || v-v != 0 {
		return b
	}
	wrong := int64(b*0x9e3779b97f4a7c15>>(63-wrongBits)) - 1<<wrongBits
	if w := b + uint64(wrong); w>>52 == b>>52 {
		return w
	}
	return b
}

// rough32 does the same for v_rcp_iflag_f32, with an error of one unit.
func rough32(v float32) uint64 {
	b := math.Float32bits(v)
	if v == 0 || v-v != 0 {
		return uint64(b)
	}
	return uint64(b + (b*2654435761)>>30%3 - 1)
}

// exponent returns the exponent field of a number.
func exponent(a uint64) int { return int(a >> 52 & 2047) }

func subnormal(v float64) bool { return v != 0 && math.Abs(v) < 0x1p-1022 }

// A division consists of v_div_scale_f64 of both numbers, v_rcp_f64, steps of Newton's method, v_div_fmas_f64 and
// v_div_fixup_f64, which together round correctly. The exception is a power of 2 divided by a number whose fraction
// is all ones: the quotient is just above the middle of two numbers, and with FMA alone it becomes the lower one.
// Numbers near the ends of the range are scaled such that the division works; the manuals are not clear about all
// cases.

// divideScale returns the result of v_div_scale_f64 for a, which is the numerator c or the denominator b of c / b;
// divideScaled reports whether the quotient must be scaled back at the end.
func divideScale(a, b, c uint64) uint64 { v, _ := divideScales(a, b, c); return v }

func divideScaled(a, b, c uint64) uint64 { _, scaled := divideScales(a, b, c); return gcnTruth(scaled) }

func divideScales(a, b, c uint64) (v uint64, scaled bool) {
	by := func(n int) uint64 { return bitsOf(math.Ldexp(of(a), n)) }
	denominator, numerator := of(b), of(c)
	small, tiny := subnormal(1/denominator), subnormal(numerator/denominator)
	switch {
	case denominator == 0 || numerator == 0:
		return bitsOf(math.NaN()), false
	case exponent(c)-exponent(b) >= 768:
		if scaled = true; a == b {
			return by(128), true
		}
	case subnormal(denominator):
		return by(128), false
	case small && tiny:
		if scaled = true; a == b {
			return by(-128), true
		}
	case small:
		return by(-128), false
	case tiny:
		if scaled = true; a == c {
			return by(128), true
		}
	case exponent(c) <= 53:
		return by(128), false
	}
	return a, scaled
}

// divideFMA is v_div_fmas_f64 of a quotient that must be scaled back, rounded once.
func divideFMA(a, b, c uint64) uint64 {
	v := of(fma(a, b, c))
	if exponent(c) > 1023 {
		return bitsOf(math.Ldexp(v, 128))
	}
	if v-v != 0 {
		return bitsOf(v)
	}
	number := func(a uint64) *big.Float { return new(big.Float).SetPrec(5000).SetFloat64(of(a)) } // enough for exact sums
	exact := number(a)
	exact.Mul(exact, number(b)).Add(exact, number(c))
	scaled, _ := exact.SetMantExp(exact, -128).Float64()
	return bitsOf(scaled)
}

// divideFixup is v_div_fixup_f64: the quotient a of c / b, except for special cases.
func divideFixup(a, b, c uint64) uint64 {
	const sign = 1 << 63
	out := (b ^ c) & sign
	denominator, numerator := of(b), of(c)
	switch infinite := math.Inf(1); {
	case numerator != numerator:
		return c | 1<<51
	case denominator != denominator:
		return b | 1<<51
	case denominator == 0 && numerator == 0, math.Abs(denominator) == infinite && math.Abs(numerator) == infinite:
		return 0xfff8 << 48
	case denominator == 0 || math.Abs(numerator) == infinite:
		return out | bitsOf(infinite)
	case math.Abs(denominator) == infinite || numerator == 0:
		return out
	case exponent(c)-exponent(b) < -1075:
		return out
	case of(a) != of(a): // an intermediate overflow
		return out | bitsOf(infinite)
	}
	return out | a&^sign
}

// class reports whether a number belongs to one of the classes whose bits which has.
func class(a, which, _ uint64) uint64 {
	v, negative := of(a), a>>63 != 0
	at := 0
	switch {
	case v != v && a>>51&1 == 0:
		return which & 1
	case v != v:
		return which >> 1 & 1
	case math.IsInf(v, 0):
		at = 2
	case v == 0:
		at = 5
	case subnormal(v):
		at = 4
	default:
		at = 3
	}
	if !negative { // the same, mirrored
		at = 11 - at
	}
	return which >> at & 1
}
