package gputest

import (
	"math"
	"math/big"
	"strings"
)

// resultType and operandType return the types of an opcode's result and first operand.
func resultType(name string) string {
	parts := strings.Split(name, ".")
	switch {
	case parts[0] == "setp":
		return "pred"
	case parts[0] == "cvt":
		return parts[len(parts)-2]
	case parts[0] == "popc" || parts[0] == "clz":
		return "u32"
	}
	return parts[len(parts)-1]
}

func operandType(name string) string { return name[strings.LastIndex(name, ".")+1:] }

// predicateThird reports whether the third operand is a predicate.
func predicateThird(name string) bool { return strings.HasPrefix(name, "selp.") }

// exactInteger returns the number of a type in a register's low bits.
func exactInteger(typ string, v uint64) *big.Int {
	t, ok := types[typ]
	if !ok || t.bytes == 0 {
		return new(big.Int).SetUint64(v & 1)
	}
	n := new(big.Int).SetUint64(v)
	n.And(n, mask(8*t.bytes))
	if t.signed && n.Bit(int(8*t.bytes-1)) == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*t.bytes)))
	}
	return n
}

func mask(bits uint64) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	return n.Sub(n, big.NewInt(1))
}

// reference returns a function for an opcode, written differently from the interpreter's, and the number of bits of
// its result. known is false where PTX leaves the result open.
func reference(name string) (f func(a, b, c uint64) (want uint64, known bool), size uint64) {
	typ := operandType(name)
	size = 8 * types[resultType(name)].bytes
	if size == 0 {
		size = 1
	}
	parts := strings.Split(name, ".")
	switch {
	case parts[0] == "cvt":
		return conversion(parts), size
	case parts[0] == "mov" || parts[0] == "cvta":
		return func(a, _, _ uint64) (uint64, bool) { return a, true }, size
	case parts[0] == "selp":
		return func(a, b, c uint64) (uint64, bool) {
			if c == 1 {
				return a, true
			}
			return b, true
		}, size
	case typ == "f32" || typ == "f64":
		return floatReference(parts), size
	}
	if strings.Contains(name, ".wide.") {
		size *= 2
	}
	return func(a, b, c uint64) (uint64, bool) {
		third := typ
		if strings.Contains(name, ".wide.") {
			third = "u64"
		}
		v := exactOperation(parts, exactInteger(typ, a), exactInteger(typ, b), exactInteger(third, c), uint32(b), uint32(c))
		if v == nil {
			return 0, false
		}
		return new(big.Int).And(v, mask(64)).Uint64(), true
	}, size
}

// exactOperation computes with integers of any size; n and m are the second and third operand as numbers of bits. It
// returns nil if PTX leaves the result open.
func exactOperation(parts []string, a, b, c *big.Int, n, m uint32) *big.Int {
	bits := uint(8 * types[parts[len(parts)-1]].bytes)
	v := new(big.Int)
	truth := func(b bool) *big.Int {
		if b {
			return big.NewInt(1)
		}
		return new(big.Int)
	}
	shift := func(n uint32) uint { return uint(min(n, 200)) }
	low := new(big.Int).And(a, mask(uint64(bits))) // a without a sign
	switch strings.Join(parts[:len(parts)-1], ".") {
	case "add":
		return v.Add(a, b)
	case "sub":
		return v.Sub(a, b)
	case "neg":
		return v.Neg(a)
	case "abs":
		return v.Abs(a)
	case "mul.lo", "mul.wide":
		return v.Mul(a, b)
	case "mul.hi":
		return v.Rsh(v.Mul(a, b), bits)
	case "mad.lo", "mad.wide":
		return v.Add(v.Mul(a, b), c)
	case "min":
		return map[bool]*big.Int{true: a, false: b}[a.Cmp(b) < 0]
	case "max":
		return map[bool]*big.Int{true: a, false: b}[a.Cmp(b) > 0]
	case "and":
		return v.And(a, b)
	case "or":
		return v.Or(a, b)
	case "xor":
		return v.Xor(a, b)
	case "not":
		return v.Not(a)
	case "shl":
		return v.Lsh(a, shift(n))
	case "shr":
		return v.Rsh(a, shift(n))
	case "div":
		if b.Sign() == 0 {
			return nil
		}
		return v.Quo(a, b)
	case "rem":
		if b.Sign() == 0 {
			return nil
		}
		return v.Rem(a, b)
	case "setp.eq":
		return truth(a.Cmp(b) == 0)
	case "setp.ne":
		return truth(a.Cmp(b) != 0)
	case "setp.lt":
		return truth(a.Cmp(b) < 0)
	case "setp.le":
		return truth(a.Cmp(b) <= 0)
	case "setp.gt":
		return truth(a.Cmp(b) > 0)
	case "setp.ge":
		return truth(a.Cmp(b) >= 0)
	case "bfe":
		return field(a, uint(n&255), uint(m&255), types[parts[1]].signed, int(bits))
	case "popc":
		count := int64(0)
		for i := range low.BitLen() {
			count += int64(low.Bit(i))
		}
		return v.SetInt64(count)
	case "clz":
		return v.SetInt64(int64(bits) - int64(low.BitLen()))
	case "brev":
		for i := range int(bits) {
			v.SetBit(v, i, low.Bit(int(bits)-1-i))
		}
		return v
	case "shf.l.wrap", "shf.l.clamp", "shf.r.wrap", "shf.r.clamp":
		by := uint(m % 32)
		if parts[2] == "clamp" {
			by = uint(min(m, 32))
		}
		v.Or(v.Lsh(b, 32), a)
		if parts[1] == "l" {
			return v.Rsh(v.Lsh(v, by), 32)
		}
		return v.Rsh(v, by)
	case "prmt":
		v.Or(v.Lsh(b, 32), a)
		out := new(big.Int)
		for i := range 4 {
			pick := m >> (4 * i)
			for j := range 8 {
				from := int(8 * (pick & 7))
				if pick&8 != 0 {
					from += 7
				} else {
					from += j
				}
				out.SetBit(out, 8*i+j, v.Bit(from))
			}
		}
		return out
	}
	return nil
}

// field is bfe, bit by bit as in the manual.
func field(a *big.Int, at, n uint, signed bool, bits int) *big.Int {
	v := new(big.Int)
	bit := func(i uint) uint { return new(big.Int).And(a, mask(uint64(bits))).Bit(int(i)) }
	sign := uint(0)
	if signed && n > 0 {
		sign = bit(min(at+n-1, uint(bits)-1))
	}
	for i := range uint(bits) {
		if i < n && at+i < uint(bits) {
			v.SetBit(v, int(i), bit(at+i))
		} else {
			v.SetBit(v, int(i), sign)
		}
	}
	return v
}

// number returns the float in a register.
func number(typ string, v uint64) float64 {
	if typ == "f32" {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// rounded returns the number of a type nearest to x.
func rounded(typ string, x *big.Float) uint64 {
	if typ == "f32" {
		f, _ := x.Float32()
		return uint64(math.Float32bits(f))
	}
	f, _ := x.Float64()
	return math.Float64bits(f)
}

func finite(vs ...float64) bool {
	for _, v := range vs {
		if v-v != 0 {
			return false
		}
	}
	return true
}

func exact(v float64) *big.Float { return new(big.Float).SetPrec(3000).SetFloat64(v) }

// floatReference rounds exact results; it uses Go's results for infinities, NaN and zeros.
func floatReference(parts []string) func(a, b, c uint64) (uint64, bool) {
	typ := parts[len(parts)-1]
	bits := func(v float64) uint64 {
		if typ == "f32" {
			return uint64(math.Float32bits(float32(v)))
		}
		return math.Float64bits(v)
	}
	truth := func(b bool) uint64 { return map[bool]uint64{true: 1}[b] }
	return func(p, q, r uint64) (uint64, bool) {
		a, b, c := number(typ, p), number(typ, q), number(typ, r)
		v := exact(0)
		ordered := a == a && b == b
		switch parts[0] {
		case "add":
			if !finite(a, b) || a+b == 0 {
				return bits(a + b), true
			}
			return rounded(typ, v.Add(exact(a), exact(b))), true
		case "sub":
			if !finite(a, b) || a-b == 0 {
				return bits(a - b), true
			}
			return rounded(typ, v.Sub(exact(a), exact(b))), true
		case "mul":
			if !finite(a, b) || a == 0 || b == 0 {
				return bits(a * b), true
			}
			return rounded(typ, v.Mul(exact(a), exact(b))), true
		case "div":
			if !finite(a, b) || a == 0 || b == 0 {
				return bits(a / b), true
			}
			return rounded(typ, v.Quo(exact(a), exact(b))), true
		case "sqrt":
			if !finite(a) || a <= 0 {
				return bits(math.Sqrt(a)), true
			}
			return rounded(typ, v.Sqrt(exact(a))), true
		case "fma":
			if !finite(a, b, c) || a == 0 || b == 0 {
				return bits(a*b + c), true
			}
			if v.Add(v.Mul(exact(a), exact(b)), exact(c)); v.Sign() == 0 {
				return 0, true
			}
			return rounded(typ, v), true
		case "neg":
			return bits(-a), true
		case "abs":
			return bits(math.Abs(a)), true
		case "min":
			return bits(extreme(a, b, math.Min)), true
		case "max":
			return bits(extreme(a, b, math.Max)), true
		case "setp":
			less, equal := ordered && exact0(a, b) < 0, ordered && exact0(a, b) == 0
			relation := map[string]bool{
				"eq": equal, "ne": ordered && !equal, "lt": less, "le": less || equal, "gt": ordered && !less && !equal, "ge": ordered && !less,
			}
			if v, ok := relation[parts[1]]; ok {
				return truth(v), true
			}
			if parts[1] == "num" {
				return truth(ordered), true
			}
			if parts[1] == "nan" {
				return truth(!ordered), true
			}
			v, ok := relation[strings.TrimSuffix(parts[1], "u")]
			return truth(v || !ordered), ok
		}
		return 0, false
	}
}

// exact0 compares numbers, none of which is NaN.
func exact0(a, b float64) int { return big.NewFloat(a).Cmp(big.NewFloat(b)) }

// extreme is math.Min or math.Max, except that a number wins over NaN.
func extreme(a, b float64, f func(a, b float64) float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return f(a, b)
}

// conversion is cvt, given "cvt", perhaps a rounding, and the types to and from.
func conversion(parts []string) func(a, b, c uint64) (uint64, bool) {
	from, to := parts[len(parts)-1], parts[len(parts)-2]
	switch {
	case from[0] == 'f' && to[0] == 'f':
		return func(a, _, _ uint64) (uint64, bool) {
			v := number(from, a)
			if !finite(v) || v == 0 {
				if to == "f32" {
					return uint64(math.Float32bits(float32(v))), true
				}
				return math.Float64bits(v), true
			}
			return rounded(to, exact(v)), true
		}
	case from[0] == 'f':
		return func(a, _, _ uint64) (uint64, bool) { return toInteger(parts[1], number(from, a), to), true }
	case to[0] == 'f':
		return func(a, _, _ uint64) (uint64, bool) {
			return rounded(to, new(big.Float).SetInt(exactInteger(from, a))), true
		}
	}
	return func(a, _, _ uint64) (uint64, bool) {
		return new(big.Int).And(exactInteger(from, a), mask(64)).Uint64(), true
	}
}

// toInteger rounds v in a direction, to a value of the type.
func toInteger(mode string, v float64, to string) uint64 {
	t := types[to]
	least, most := new(big.Int), mask(8*t.bytes)
	if t.signed {
		most = mask(8*t.bytes - 1)
		least.Not(most)
	}
	var n *big.Int
	switch {
	case v != v && t.bytes == 8:
		return 1 << 63
	case v != v:
		return 0
	case math.IsInf(v, 1):
		n = most
	case math.IsInf(v, -1):
		n = least
	default:
		below, _ := exact(v).Int(nil) // towards zero
		n = new(big.Int).Set(below)
		rest := new(big.Float).Sub(exact(v), exact(0).SetInt(below))
		half := rest.Cmp(big.NewFloat(0.5)) == 0 || rest.Cmp(big.NewFloat(-0.5)) == 0
		beyond := rest.Cmp(big.NewFloat(0.5)) > 0 || rest.Cmp(big.NewFloat(-0.5)) < 0
		if mode == "rmi" && rest.Sign() < 0 || mode == "rpi" && rest.Sign() > 0 || mode == "rni" && (beyond || half && below.Bit(0) == 1) {
			n.Add(n, big.NewInt(int64(rest.Sign())))
		}
	}
	if n.Cmp(most) > 0 {
		n = most
	}
	if n.Cmp(least) < 0 {
		n = least
	}
	return new(big.Int).And(n, mask(64)).Uint64()
}
