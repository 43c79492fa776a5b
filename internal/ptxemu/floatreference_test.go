package ptxemu

import (
	"math"
	"math/big"
	"strings"
)

// number is a float in a register.
func number(typ string, v uint64) float64 {
	if typ == "f32" {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// rounded is the nearest number of a type to x.
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

// floatReference rounds exact results; of what is infinite, NaN or a zero it is Go's.
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

// exact0 compares numbers, of which none is NaN.
func exact0(a, b float64) int { return big.NewFloat(a).Cmp(big.NewFloat(b)) }

// extreme is math.Min or math.Max, but that a number wins over NaN.
func extreme(a, b float64, f func(a, b float64) float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return f(a, b)
}

// conversion is cvt, of "cvt", perhaps a rounding, and the types to and from.
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

// toInteger rounds v in a direction, to what the type has.
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
