package gcnemu

import (
	"cmp"
	"math"
	"math/bits"
)

// An opcode is an operation of each lane, and the types of its operands, see reader.signature.
type opcode struct {
	types string
	f     operation
	bit   operation // of a result that is a mask
}

// vectors has the operations on vector registers by name.
var vectors = map[string]opcode{
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
	"v_mad_u64_u32":      {types: "lm:iil", f: func(a, b, c uint64) uint64 { return a*b + c }, bit: func(a, b, c uint64) uint64 { return truth(a*b+c < c) }},
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

// leadingZeros is how many bits are above the first one, and -1 if there is none.
func leadingZeros(a, _, _ uint64) uint64 {
	if low(a) == 0 {
		return math.MaxUint32
	}
	return uint64(bits.LeadingZeros32(uint32(a)))
}

func low24(a uint64) uint64 { return a & (1<<24 - 1) }

// below is how many bits of a are below that of a lane.
func below(a, lane uint64) uint64 { return uint64(bits.OnesCount64(a & (1<<lane - 1))) }

func chosen(a, b, second uint64) uint64 {
	if second != 0 {
		return b
	}
	return a
}

// fieldSigned is the field of n bits from a place on, a number with a sign.
func fieldSigned(a, at, n uint64) uint64 {
	if n &= 31; n == 0 {
		return 0
	}
	field := a >> (at & 31) << (64 - n)
	return uint64(int64(field) >> (64 - n))
}

// carried is an operation on 32 bits and the carry, or borrow, out of them.
func carried(types string, f operation) opcode {
	return opcode{types, f, func(a, b, c uint64) uint64 { return f(a, b, c) >> 32 & 1 }}
}

// order is 0, 1 or 2 for a smaller, the same or a larger number.
func order[T cmp.Ordered](a, b T) int { return cmp.Compare(a, b) + 1 }

func init() {
	comparisons := map[string]operation{}
	types := map[string]string{"u32": "ii", "i32": "ii", "u64": "ll", "i64": "ll", "f64": "dd", "f32": "ff"}
	for name, is := range orders {
		comparisons[name+"_u32"] = func(a, b, _ uint64) uint64 { return truth(is[order(a, b)]) }
		comparisons[name+"_u64"] = comparisons[name+"_u32"]
		comparisons[name+"_i32"] = func(a, b, _ uint64) uint64 { return truth(is[order(int32(a), int32(b))]) }
		comparisons[name+"_i64"] = func(a, b, _ uint64) uint64 { return truth(is[order(int64(a), int64(b))]) }
		if name == "ne" { // of numbers neq, which is true of NaN
			continue
		}
		numbers := func(a, b, _ uint64) uint64 { return truth(!unordered(a, b) && is[order(of(a), of(b))]) }
		comparisons[name+"_f64"] = numbers
		not := "n" + name
		comparisons[not+"_f64"] = func(a, b, _ uint64) uint64 { return numbers(a, b, 0) ^ 1 }
	}
	comparisons["u_f64"] = func(a, b, _ uint64) uint64 { return truth(unordered(a, b)) }
	comparisons["o_f64"] = func(a, b, _ uint64) uint64 { return truth(!unordered(a, b)) }
	for name, f := range comparisons {
		operands := types[name[len(name)-3:]]
		vectors["v_cmp_"+name] = opcode{types: "m:" + operands, bit: f}
		vectors["v_cmpx_"+name] = opcode{types: "x:" + operands, bit: f}
	}
}

// unordered says that one of two numbers is NaN.
func unordered(a, b uint64) bool { return of(a) != of(a) || of(b) != of(b) }
