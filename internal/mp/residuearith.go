package mp

// Mul sets z = x y, rounded, and returns z.
func (z *ResidueNumber) Mul(x, y *ResidueNumber) *ResidueNumber {
	z.mulBounds(x, y)
	z.mulDigits(x, y)
	return z.round()
}

// mulBounds computes sign, exponent and interval evaluation of x y, which need no residues.
func (z *ResidueNumber) mulBounds(x, y *ResidueNumber) {
	z.negative = x.negative != y.negative
	z.exp = x.exp + y.exp
	z.interval = z.base.product(x.interval, y.interval)
}

// mulDigits computes the residues of x y.
func (z *ResidueNumber) mulDigits(x, y *ResidueNumber) {
	moduli := z.base.moduli
	zd, xd, yd := z.digits[:len(moduli)], x.digits[:len(moduli)], y.digits[:len(moduli)]
	for i := range moduli {
		zd[i] = moduli[i].mul(xd[i], yd[i])
	}
}

// round truncates the significand to p+1 bits if it has more, and returns z.
func (z *ResidueNumber) round() *ResidueNumber {
	if k := z.bits(z.base) - (z.base.precision + 1); k > 0 {
		z.scaleDown(k)
	}
	return z
}

// scaleDown divides the significand by 2^k and truncates, a part of k at a time: the Chinese remainder theorem modulo
// 2^64 gives X modulo 2^j, which is subtracted, and the difference is multiplied by the inverse of 2^j.
func (z *ResidueNumber) scaleDown(k int) {
	b := z.base
	z.exp += k
	for k > 0 {
		j := min(k, 63)
		fraction, low := 0.0, uint64(0)
		for i, d := range z.digits {
			q := &b.moduli[i]
			t := q.mul(d, q.weight)
			fraction += float64(t) * q.inverse
			low += uint64(t) * q.cofactor64
		}
		rank := uint64(fraction - z.lo.float() + 0.5)
		low = (low - rank*b.mod64) & (1<<j - 1)
		for i, d := range z.digits {
			q := &b.moduli[i]
			z.digits[i] = q.mul(d+q.m-q.reduce(low), q.halves[j])
		}
		z.interval = z.shifted(-j)
		k -= j
	}
	z.interval, _ = b.evaluate(z.digits)
}

// scaleUp multiplies the significand by 2^k.
func (z *ResidueNumber) scaleUp(k int) {
	z.exp -= k
	z.interval = z.shifted(k)
	for ; k > 0; k -= 63 {
		j := min(k, 63)
		for i, d := range z.digits {
			q := &z.base.moduli[i]
			z.digits[i] = q.mul(d, q.twos[j])
		}
	}
}

// Add sets z = x + y, rounded, and returns z, which may be x or y.
func (z *ResidueNumber) Add(x, y *ResidueNumber) *ResidueNumber { return z.sum(x, y).round() }

// sum sets z = x + y, without the bits that are lost when the exponents are made equal.
func (z *ResidueNumber) sum(x, y *ResidueNumber) *ResidueNumber {
	switch {
	case y.up.f == 0:
		z.copy(x)
		return z
	case x.up.f == 0:
		z.copy(y)
		return z
	}
	if x.exp < y.exp {
		x, y = y, x
	}
	if y == z {
		y = z.base.NewNumber()
		y.copy(z)
	}
	x, y = z.align(x, y)
	z.addAligned(x, y)
	return z
}

// align copies x, the number with the larger exponent, to z and changes its exponent to y's, or as near as M allows;
// then y loses its last bits. It returns z, and y or a copy of it.
func (z *ResidueNumber) align(x, y *ResidueNumber) (*ResidueNumber, *ResidueNumber) {
	distance := x.exp - y.exp
	room := -3 - x.up.e // 2^room X < M/8
	if z != x {
		z.copy(x)
	}
	z.scaleUp(min(distance, room))
	if distance > room {
		short := y.base.NewNumber()
		short.exp = y.exp + distance - room
		if cut := distance - room; y.bits(y.base) > cut {
			short.copy(y)
			short.scaleDown(cut)
		}
		y = short
	}
	return z, y
}

// addAligned adds numbers of the same exponent; x is z.
func (z *ResidueNumber) addAligned(x, y *ResidueNumber) {
	b := z.base
	z.exp = x.exp
	if x.negative == y.negative {
		for i, d := range y.digits {
			q := &b.moduli[i]
			s := x.digits[i] + d
			if s >= q.m {
				s -= q.m
			}
			z.digits[i] = s
		}
		z.interval = interval{x.lo.plus(y.lo).down(), x.up.plus(y.up).up()}
		return
	}
	swapped := x.up.less(y.lo)
	for i, d := range y.digits {
		z.digits[i] = b.moduli[i].sub(x.digits[i], d, swapped)
	}
	if swapped {
		x, y = y, x
	}
	negative := x.negative
	difference := interval{x.lo.minus(y.up).down(), x.up.minus(y.lo).up()}
	// If cancellation makes the bounds too wide, they are computed from the residues.
	if lo := difference.lo; lo.f <= 0 || lo.e < difference.up.e-1 || lo.e < max(x.up.e, y.up.e)-10 {
		below := false
		if difference, below = b.evaluate(z.digits); below {
			negative = !negative
			for i, d := range z.digits {
				z.digits[i] = b.moduli[i].sub(0, d, false)
			}
		}
	}
	z.negative, z.interval = negative, difference
}

// sub returns x - y modulo m, or y - x if swapped.
func (q *modulus) sub(x, y uint32, swapped bool) uint32 {
	if swapped {
		x, y = y, x
	}
	if x < y {
		x += q.m
	}
	return x - y
}
