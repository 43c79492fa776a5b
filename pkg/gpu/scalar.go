package gpu

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Scalar is a number on the device: a factor that the host knows times quotients of sums
// that a kernel has left there,
//
//	scale * n0/d0 * n1/d1,
//
// evaluated by the kernel that uses it. Products and quotients of scalars stay there as
// far as they have that form; other arithmetic, and Float, waits for the device, unless
// the sums have been fetched. A sum is gone when 65535 later ones have been made.
//
// On the device a quotient by zero, or one that is not finite, counts as 0 and is a fault,
// see [Space.Await].
type Scalar struct {
	pad   *pad // nil if the host knows the number
	scale float64
	q     [2]quotient
}

var _ linop.Scalar[Scalar] = Scalar{}

// quotient is n/d.
type quotient struct{ n, d factor }

// factor is a sum, by 1 + its number, or the number 1.
type factor struct {
	sum uint64
	how uint32
}

// same tells whether f and g are the same sum, or its root.
func (f factor) same(g factor) bool {
	return f.sum != 0 && f.sum == g.sum && (f.how^g.how)&isRoot == 0
}

func (q quotient) one() bool { return q == quotient{} }

// Mul returns a b.
func (a Scalar) Mul(b Scalar) Scalar {
	if p, ok := a.product(b.q[0], b.q[1], b.pad); ok {
		p.scale *= b.scale
		return p
	}
	return known(a.Float() * b.Float())
}

// Div returns a / b.
func (a Scalar) Div(b Scalar) Scalar {
	if b.scale != 0 {
		if p, ok := a.product(b.q[0].inverse(), b.q[1].inverse(), b.pad); ok {
			p.scale /= b.scale
			return p
		}
	}
	return known(a.Float() / b.Float())
}

func (q quotient) inverse() quotient { return quotient{q.d, q.n} }

// product is a times two quotients, if that has the form of a Scalar.
func (a Scalar) product(q, r quotient, p *pad) (Scalar, bool) {
	if a.pad == nil {
		a.pad = p
	}
	for _, by := range [...]quotient{q, r} {
		if !a.multiply(by) {
			return a, false
		}
	}
	return a, true
}

// multiply multiplies a by a quotient, cancelling sums that are above and below.
func (a *Scalar) multiply(by quotient) bool {
	for k := range a.q {
		if by.n.same(a.q[k].d) {
			by.n, a.q[k].d = factor{}, factor{}
		}
		if by.d.same(a.q[k].n) {
			by.d, a.q[k].n = factor{}, factor{}
		}
	}
	for k := range a.q {
		at := &a.q[k]
		if by.n.sum != 0 && at.n.sum == 0 {
			at.n, by.n = by.n, factor{}
		}
		if by.d.sum != 0 && at.d.sum == 0 {
			at.d, by.d = by.d, factor{}
		}
	}
	return by.one()
}

// Neg returns -a.
func (a Scalar) Neg() Scalar {
	a.scale = -a.scale
	return a
}

// Sqrt returns the square root of a.
func (a Scalar) Sqrt() Scalar {
	if s, ok := a.single(); ok && s.how&isRoot == 0 {
		a.q[0].n.how |= isRoot
		return a
	}
	return known(math.Sqrt(a.Float()))
}

// single returns the sum that a is, if it is one.
func (a Scalar) single() (factor, bool) {
	q := a.q[0]
	return q.n, a.scale == 1 && q.n.sum != 0 && q.d.sum == 0 && a.q[1].one()
}

// Add returns a + b.
func (a Scalar) Add(b Scalar) Scalar { return known(a.Float() + b.Float()) }

// Sub returns a - b.
func (a Scalar) Sub(b Scalar) Scalar { return known(a.Float() - b.Float()) }

// Float returns a as it is, infinities and NaN included.
func (a Scalar) Float() float64 {
	v := a.scale
	for _, q := range a.q {
		if !q.one() {
			v *= a.value(q.n) / a.value(q.d)
		}
	}
	return v
}

func (a Scalar) value(f factor) float64 {
	if f.sum == 0 {
		return 1
	}
	v := a.pad.value(f.sum - 1)
	if f.how&isRoot != 0 {
		v = math.Sqrt(v)
	}
	return v
}

func known(v float64) Scalar { return Scalar{scale: v} }

// coefficient is a as an argument of a kernel. The sums that the kernel adds up are known
// to be added up after settle.
func (a Scalar) coefficient() coefficient {
	return coefficient{a.scale, a.sum(a.q[0].n), a.sum(a.q[0].d), a.sum(a.q[1].n), a.sum(a.q[1].d)}
}

func (a Scalar) sum(f factor) sum {
	if f.sum == 0 {
		return sum{slot: noSlot}
	}
	slot := a.pad.slot(f.sum - 1)
	return sum{uint32(slot), uint32(a.pad.area[slot]), uint32(a.pad.raw[slot]), f.how}
}

// settle takes note that a kernel has added up the sums of a.
func (a Scalar) settle() {
	for _, q := range a.q {
		for _, f := range [...]factor{q.n, q.d} {
			if f.sum != 0 {
				a.pad.settle(a.pad.slot(f.sum - 1))
			}
		}
	}
}
