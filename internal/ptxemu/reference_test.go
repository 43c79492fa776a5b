package ptxemu

import (
	"math/big"
	"strings"
)

// resultType and operandType are the types of an opcode's result and first operand.
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

// predicateThird says that the third operand is a predicate.
func predicateThird(name string) bool { return strings.HasPrefix(name, "selp.") }

// integer is the number of a type that a register's low bits are.
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

// reference returns what an opcode computes, written in another way than the interpreter's,
// and how many bits its result has. known is false where PTX leaves the result open.
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

// exactOperation computes with integers of any size; n and m are the second and third operand
// as numbers of bits. nil if PTX leaves the result open.
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

// field is bfe, bit by bit as the manual has it.
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
