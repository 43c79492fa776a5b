package gputest

import (
	"math"
	"math/bits"
	"strings"
	"unsafe"
)

// An opcode is an operation and the number of its operands.
type opcode struct {
	operands int
	f        operation
}

// opcodes maps the name with type of every computation to its operation; the name lacks the rounding .rn of
// arithmetic that is always rounded to nearest.
var opcodes = map[string]opcode{}

// pack is mov.b64 of two halves.
var pack = opcode{2, func(a, b, _ uint64) uint64 { return uint64(uint32(a)) | b<<32 }}

func move(a, _, _ uint64) uint64 { return a }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func init() {
	integers[uint16]("u16", "b16")
	integers[int16]("s16")
	integers[uint32]("u32", "b32")
	integers[int32]("s32")
	integers[uint64]("u64", "b64")
	integers[int64]("s64")
	wide[uint32, uint64]("u32")
	wide[int32, int64]("s32")
	wide[uint16, uint32]("u16")
	wide[int16, int32]("s16")
	floats[float32]("f32")
	floats[float64]("f64")
	conversions()

	opcodes["mad.wide.u32"] = opcode{3, func(a, b, c uint64) uint64 { return uint64(uint32(a))*uint64(uint32(b)) + c }}
	opcodes["mad.wide.s32"] = opcode{3, func(a, b, c uint64) uint64 { return uint64(int64(int32(a))*int64(int32(b))) + c }}
	opcodes["mul.hi.u64"] = opcode{2, func(a, b, _ uint64) uint64 { h, _ := bits.Mul64(a, b); return h }}
	opcodes["mul.hi.s64"] = opcode{2, func(a, b, _ uint64) uint64 {
		h, _ := bits.Mul64(a, b)
		return h - a&uint64(int64(b)>>63) - b&uint64(int64(a)>>63)
	}}
	opcodes["bfe.u32"] = opcode{3, func(a, at, n uint64) uint64 { return extract(uint64(uint32(a)), at, n) }}
	opcodes["bfe.u64"] = opcode{3, extract}
	opcodes["bfe.s32"] = opcode{3, func(a, at, n uint64) uint64 { return extractSigned(uint64(int64(int32(a))), at, n) }}
	opcodes["bfe.s64"] = opcode{3, extractSigned}
	opcodes["shf.l.wrap.b32"] = opcode{3, func(lo, hi, n uint64) uint64 { return (hi<<32 | uint64(uint32(lo))) << (n & 31) >> 32 }}
	opcodes["shf.r.wrap.b32"] = opcode{3, func(lo, hi, n uint64) uint64 { return (hi<<32 | uint64(uint32(lo))) >> (n & 31) }}
	opcodes["shf.l.clamp.b32"] = opcode{3, func(lo, hi, n uint64) uint64 { return (hi<<32 | uint64(uint32(lo))) << min(uint32(n), 32) >> 32 }}
	opcodes["shf.r.clamp.b32"] = opcode{3, func(lo, hi, n uint64) uint64 { return (hi<<32 | uint64(uint32(lo))) >> min(uint32(n), 32) }}
	opcodes["prmt.b32"] = opcode{3, permute}
	opcodes["popc.b32"] = opcode{1, func(a, _, _ uint64) uint64 { return uint64(bits.OnesCount32(uint32(a))) }}
	opcodes["popc.b64"] = opcode{1, func(a, _, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) }}
	opcodes["clz.b32"] = opcode{1, func(a, _, _ uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a))) }}
	opcodes["clz.b64"] = opcode{1, func(a, _, _ uint64) uint64 { return uint64(bits.LeadingZeros64(a)) }}
	opcodes["brev.b32"] = opcode{1, func(a, _, _ uint64) uint64 { return uint64(bits.Reverse32(uint32(a))) }}
	opcodes["brev.b64"] = opcode{1, func(a, _, _ uint64) uint64 { return bits.Reverse64(a) }}
	for _, way := range []string{"cvta", "cvta.to"} { // addresses are the same in all spaces
		opcodes[way+".global.u64"] = opcode{1, move}
	}

	opcodes["mov.pred"] = opcode{1, move}
	opcodes["and.pred"] = opcode{2, func(a, b, _ uint64) uint64 { return a & b }}
	opcodes["or.pred"] = opcode{2, func(a, b, _ uint64) uint64 { return a | b }}
	opcodes["xor.pred"] = opcode{2, func(a, b, _ uint64) uint64 { return a ^ b }}
	opcodes["not.pred"] = opcode{1, func(a, _, _ uint64) uint64 { return a ^ 1 }}
}

type integer interface {
	~uint16 | ~int16 | ~uint32 | ~int32 | ~uint64 | ~int64
}

// integers adds the operations of an integer type, which may have two names.
func integers[T integer](names ...string) {
	for _, name := range names {
		set := func(op string, operands int, f operation) { opcodes[op+"."+name] = opcode{operands, f} }
		set("mov", 1, move)
		set("add", 2, func(a, b, _ uint64) uint64 { return uint64(T(a) + T(b)) })
		set("sub", 2, func(a, b, _ uint64) uint64 { return uint64(T(a) - T(b)) })
		set("neg", 1, func(a, _, _ uint64) uint64 { return uint64(-T(a)) })
		if name[0] == 's' {
			set("abs", 1, func(a, _, _ uint64) uint64 { return uint64(max(T(a), -T(a))) })
		}
		set("mul.lo", 2, func(a, b, _ uint64) uint64 { return uint64(T(a) * T(b)) })
		set("mad.lo", 3, func(a, b, c uint64) uint64 { return uint64(T(a)*T(b) + T(c)) })
		set("min", 2, func(a, b, _ uint64) uint64 { return uint64(min(T(a), T(b))) })
		set("max", 2, func(a, b, _ uint64) uint64 { return uint64(max(T(a), T(b))) })
		set("and", 2, func(a, b, _ uint64) uint64 { return a & b })
		set("or", 2, func(a, b, _ uint64) uint64 { return a | b })
		set("xor", 2, func(a, b, _ uint64) uint64 { return a ^ b })
		set("not", 1, func(a, _, _ uint64) uint64 { return ^a })
		set("shl", 2, func(a, n, _ uint64) uint64 { return uint64(T(a) << uint32(n)) })
		set("shr", 2, func(a, n, _ uint64) uint64 { return uint64(T(a) >> uint32(n)) })
		set("div", 2, func(a, b, _ uint64) uint64 {
			if T(b) == 0 {
				return ^uint64(0) // the manual leaves this open
			}
			return uint64(T(a) / T(b))
		})
		set("rem", 2, func(a, b, _ uint64) uint64 {
			if T(b) == 0 {
				return a // as above
			}
			return uint64(T(a) % T(b))
		})
		set("selp", 3, func(a, b, p uint64) uint64 {
			if p != 0 {
				return a
			}
			return b
		})
		set("setp.eq", 2, func(a, b, _ uint64) uint64 { return truth(T(a) == T(b)) })
		set("setp.ne", 2, func(a, b, _ uint64) uint64 { return truth(T(a) != T(b)) })
		set("setp.lt", 2, func(a, b, _ uint64) uint64 { return truth(T(a) < T(b)) })
		set("setp.le", 2, func(a, b, _ uint64) uint64 { return truth(T(a) <= T(b)) })
		set("setp.gt", 2, func(a, b, _ uint64) uint64 { return truth(T(a) > T(b)) })
		set("setp.ge", 2, func(a, b, _ uint64) uint64 { return truth(T(a) >= T(b)) })
	}
}

// wide adds products of integers of type T in the type W of twice their size.
func wide[T, W integer](name string) {
	size := types[name].bytes * 8
	opcodes["mul.wide."+name] = opcode{2, func(a, b, _ uint64) uint64 { return uint64(W(T(a)) * W(T(b))) }}
	opcodes["mul.hi."+name] = opcode{2, func(a, b, _ uint64) uint64 { return uint64(W(T(a)) * W(T(b)) >> size) }}
}

// extract returns the field of n bits from bit at on; there are zeros beyond the end.
func extract(a, at, n uint64) uint64 { return a >> (at & 255) & (1<<(n&255) - 1) }

// extractSigned returns the same field sign-extended.
func extractSigned(a, at, n uint64) uint64 {
	if n &= 255; n == 0 {
		return 0
	}
	above := 64 - min(n, 64)
	return uint64(int64(a) >> (at & 255) << above >> above)
}

// permute picks four of the eight bytes of two registers.
func permute(a, b, how uint64) (v uint64) {
	all := uint64(uint32(a)) | b<<32
	for i := range 4 {
		pick := how >> (4 * i) & 15
		one := all >> (8 * (pick & 7)) & 255
		if pick&8 != 0 { // its sign instead
			one = one >> 7 * 255
		}
		v |= one << (8 * i)
	}
	return v
}

type float interface{ float32 | float64 }

// value is the number in a register.
func value[T float](bits uint64) T {
	if unsafe.Sizeof(T(0)) == 4 {
		return T(math.Float32frombits(uint32(bits)))
	}
	return T(math.Float64frombits(bits))
}

// pattern returns the bits of a number in a register.
func pattern[T float](v T) uint64 {
	if unsafe.Sizeof(v) == 4 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(float64(v))
}

// floats adds the operations of a floating-point type, rounded to nearest.
func floats[T float](name string) {
	set := func(op string, operands int, f operation) { opcodes[op+"."+name] = opcode{operands, f} }
	sign := uint64(1) << (8*unsafe.Sizeof(T(0)) - 1)
	set("mov", 1, move)
	set("add", 2, func(a, b, _ uint64) uint64 { return pattern(value[T](a) + value[T](b)) })
	set("sub", 2, func(a, b, _ uint64) uint64 { return pattern(value[T](a) - value[T](b)) })
	set("mul", 2, func(a, b, _ uint64) uint64 { return pattern(value[T](a) * value[T](b)) })
	set("div", 2, func(a, b, _ uint64) uint64 { return pattern(value[T](a) / value[T](b)) })
	set("sqrt", 1, func(a, _, _ uint64) uint64 { return pattern(T(math.Sqrt(float64(value[T](a))))) })
	set("neg", 1, func(a, _, _ uint64) uint64 { return a ^ sign })
	set("abs", 1, func(a, _, _ uint64) uint64 { return a &^ sign })
	set("min", 2, func(a, b, _ uint64) uint64 { return pattern(smaller(value[T](a), value[T](b))) })
	set("max", 2, func(a, b, _ uint64) uint64 { return pattern(-smaller(-value[T](a), -value[T](b))) })
	set("selp", 3, func(a, b, p uint64) uint64 {
		if p != 0 {
			return a
		}
		return b
	})
	compare := func(op string, f func(a, b T) bool) {
		set("setp."+op, 2, func(a, b, _ uint64) uint64 { return truth(f(value[T](a), value[T](b))) })
	}
	ordered := func(a, b T) bool { return a == a && b == b }
	compare("eq", func(a, b T) bool { return a == b })
	compare("ne", func(a, b T) bool { return a != b && ordered(a, b) })
	compare("lt", func(a, b T) bool { return a < b })
	compare("le", func(a, b T) bool { return a <= b })
	compare("gt", func(a, b T) bool { return a > b })
	compare("ge", func(a, b T) bool { return a >= b })
	compare("equ", func(a, b T) bool { return a == b || !ordered(a, b) })
	compare("neu", func(a, b T) bool { return a != b })
	compare("ltu", func(a, b T) bool { return !(a >= b) })
	compare("leu", func(a, b T) bool { return !(a > b) })
	compare("gtu", func(a, b T) bool { return !(a <= b) })
	compare("geu", func(a, b T) bool { return !(a < b) })
	compare("num", ordered)
	compare("nan", func(a, b T) bool { return !ordered(a, b) })
}

// smaller returns the smaller number; -0 is smaller than +0, and the result is NaN only if both operands are.
func smaller[T float](a, b T) T {
	switch {
	case a != a:
		return b
	case b != b || a < b || a == 0 && b == 0 && math.Signbit(float64(a)):
		return a
	}
	return b
}

// fma32 rounds once: the product is exact in float64, and the sum is rounded to odd in float64, so that the second
// rounding knows what was lost.
func fma32(a, b, c uint64) uint64 {
	p, z := float64(value[float32](a))*float64(value[float32](b)), float64(value[float32](c))
	s := p + z
	d := s - p
	if lost := (p - (s - d)) + (z - d); lost != 0 && lost == lost && math.Float64bits(s)&1 == 0 {
		if lost > 0 == (s > 0) {
			s = math.Float64frombits(math.Float64bits(s) + 1)
		} else {
			s = math.Float64frombits(math.Float64bits(s) - 1)
		}
	}
	return pattern(float32(s))
}

// conversions adds cvt between all types, and fma.
func conversions() {
	opcodes["fma.f64"] = opcode{3, func(a, b, c uint64) uint64 {
		return pattern(math.FMA(value[float64](a), value[float64](b), value[float64](c)))
	}}
	opcodes["fma.f32"] = opcode{3, fma32}
	opcodes["cvt.f64.f32"] = opcode{1, func(a, _, _ uint64) uint64 { return pattern(float64(value[float32](a))) }}
	opcodes["cvt.f32.f64"] = opcode{1, func(a, _, _ uint64) uint64 { return pattern(float32(value[float64](a))) }}
	for from, t := range types {
		if from[0] != 'u' && from[0] != 's' {
			continue
		}
		extended := extension(t)
		for to := range types {
			if to[0] == 'u' || to[0] == 's' {
				opcodes["cvt."+to+"."+from] = opcode{1, extended}
			}
		}
		if t.signed {
			opcodes["cvt.f64."+from] = opcode{1, func(a, _, _ uint64) uint64 { return pattern(float64(int64(extended(a, 0, 0)))) }}
			opcodes["cvt.f32."+from] = opcode{1, func(a, _, _ uint64) uint64 { return pattern(float32(int64(extended(a, 0, 0)))) }}
		} else {
			opcodes["cvt.f64."+from] = opcode{1, func(a, _, _ uint64) uint64 { return pattern(float64(extended(a, 0, 0))) }}
			opcodes["cvt.f32."+from] = opcode{1, func(a, _, _ uint64) uint64 { return pattern(float32(extended(a, 0, 0))) }}
		}
		for mode, round := range map[string]func(float64) float64{"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil} {
			opcodes["cvt."+mode+"."+from+".f64"] = opcode{1, func(a, _, _ uint64) uint64 { return saturated(round(value[float64](a)), t) }}
			opcodes["cvt."+mode+"."+from+".f32"] = opcode{1, func(a, _, _ uint64) uint64 { return saturated(round(float64(value[float32](a))), t) }}
		}
	}
}

// extension returns the operation that extends a number of a type to 64 bits, by its sign or by zeros.
func extension(t dataType) operation {
	switch above := 64 - 8*t.bytes; {
	case t == types["u32"]:
		return func(a, _, _ uint64) uint64 { return uint64(uint32(a)) } // a frequent case
	case t.signed:
		return func(a, _, _ uint64) uint64 { return uint64(int64(a) << above >> above) }
	default:
		return func(a, _, _ uint64) uint64 { return a << above >> above }
	}
}

// saturated converts an integral number to an integer type, to the nearest value of the type; NaN gives 0, in 64 bits
// the sign bit alone.
func saturated(v float64, t dataType) uint64 {
	size := 8 * t.bytes
	least, beyond := 0.0, math.Ldexp(1, int(size))
	if t.signed {
		least, beyond = -beyond/2, beyond/2
	}
	switch {
	case v != v && t.bytes == 8:
		return 1 << 63
	case v != v:
		return 0
	case v < least:
		return uint64(int64(least))
	case v >= beyond && t.signed:
		return 1<<(size-1) - 1
	case v >= beyond:
		return 1<<size - 1
	case t.signed:
		return uint64(int64(v))
	}
	return uint64(v)
}

// lookup finds a computation by its opcode.
func lookup(name string) (opcode, bool) {
	if op, ok := opcodes[name]; ok {
		return op, true
	}
	for _, rounded := range []string{"add", "sub", "mul", "div", "sqrt", "fma", "cvt"} {
		if rest, ok := strings.CutPrefix(name, rounded+".rn."); ok {
			op, ok := opcodes[rounded+"."+rest]
			return op, ok && strings.Contains(rest, "f")
		}
	}
	return opcode{}, false
}
