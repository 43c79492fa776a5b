package reproduce

import "github.com/mpsolve/mpsolve/pkg/linop"

// scaleRows multiplies a vector by the factors of the rows, if the rows are scaled outside of the matrix.
func (s *system) scaleRows(v vector) {
	for i, f := range s.factors {
		v[i] *= f
	}
}

// scaled returns an operator with the rows scaled outside of it.
func (s *system) scaled(a linop.Operator[vector, scalar]) linop.Operator[vector, scalar] {
	if s.factors == nil {
		return a
	}
	return rowScaled{a, s}
}

// rowScaled is D^-1 A for an operator A; the factors D^-1 belong to the system.
type rowScaled struct {
	linop.Operator[vector, scalar]
	*system
}

func (a rowScaled) Apply(dst, src vector) {
	a.Operator.Apply(dst, src)
	a.scaleRows(dst)
}

func (a rowScaled) ApplyDot(dst, src, w vector) scalar {
	a.Apply(dst, src)
	return a.host.Dot(dst, w)
}

func (a rowScaled) ApplyDots(dst, src, w vector) (dw, dd scalar) {
	a.Apply(dst, src)
	return a.host.Dot(dst, w), a.host.Dot(dst, dst)
}

// Residual computes r = b - D^-1 A x, where b is scaled already.
func (a rowScaled) Residual(r, b, x vector) {
	a.Apply(r, x)
	a.host.Xpay(b, -1, r)
}
