package verify

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// ComputeComplex returns the errors of a complex x, for A x = b given as package realform does: real parts of equations and
// unknowns at even positions, imaginary parts behind them. They are the errors of Compute with the moduli of the complex numbers: with
//
//	E  an error of Compute for the real system, row-wise or normwise
//
// that of the complex system is at most 2 E, and the componentwise one at most sqrt(2) E, since moduli are at least the sum of the
// magnitudes of both parts over sqrt(2), and at most the larger magnitude times sqrt(2).
func ComputeComplex(m *csr.Matrix, x, b []float64, pool *parallel.Pool) (Errors, error) {
	s, errors, err := check(m, x, b, pool)
	if s == nil {
		return errors, err
	}
	return s.complexErrors(pool), nil
}

// complexErrors measures the errors of ComputeComplex.
func (s *system) complexErrors(pool *parallel.Pool) Errors {
	var xmax float64
	for j := 0; j+1 < len(s.x); j += 2 {
		xmax = max(xmax, math.Hypot(dd.Ldexp(s.x[j], -s.ex), dd.Ldexp(s.x[j+1], -s.ex)))
	}
	xmax = s.over.largest(xmax)
	all := gather(s, pool, func(p *complexPart, lo, hi int) {
		for i := lo / 2; i < hi/2; i++ {
			p.add(s.complexRow(i, xmax))
		}
	})
	return Errors{
		Row: all.row, Componentwise: all.componentwise,
		Normwise:         all.residual.over(all.t.times(scaled{xmax, s.ex}).plus(all.b)),
		RelativeResidual: all.rr.sqrt().over(all.bb.sqrt()),
	}
}

// pairs reports whether both parts of each complex number, rows that were given next to each other, are next to each other in the vectors of this
// rank, the first at an even position.
func pairs(a *dist.Matrix) bool {
	paired := func(at int, of func(at int) int64) bool { return at%2 == 0 && of(at)%2 == 0 && of(at+1) == of(at)+1 }
	for _, p := range a.Parts {
		if p.Below%2+p.Own%2+p.Above%2 > 0 {
			return false
		}
		for at := p.At; at < p.Next(); at += 2 {
			if own := at >= p.First() && at < p.End(); own && !paired(at, a.Given) || !own && !paired(at, a.Global) {
				return false
			}
		}
	}
	return true
}

// complexPart is the contribution of some equations to the errors.
type complexPart struct {
	row, componentwise float64
	residual, t, b     scaled // the largest ones
	rr, bb             sumSquares
}

func (p *complexPart) add(r row) {
	p.merge(complexPart{row: r.error(r.normAx), componentwise: r.error(r.absAx), residual: r.residual, t: r.t, b: r.b})
	p.rr.add(r.residual)
	p.bb.add(r.b)
}

func (p *complexPart) merge(o complexPart) {
	p.row, p.componentwise = math.Max(p.row, o.row), math.Max(p.componentwise, o.componentwise)
	p.residual, p.t, p.b = p.residual.max(o.residual), p.t.max(o.t), p.b.max(o.b)
	p.rr.merge(o.rr)
	p.bb.merge(o.bb)
}

// fields are the numbers that a complexPart consists of.
func (p *complexPart) fields() (values []*float64, exponents []*int) {
	return fields([]*float64{&p.row, &p.componentwise}, []*scaled{&p.residual, &p.t, &p.b}, []*sumSquares{&p.rr, &p.bb})
}

// complexRow is the contribution of complex equation i; xmax 2^ex is the largest modulus of x.
func (s *system) complexRow(i int, xmax float64) row {
	re, im := s.row(2*i), s.row(2*i+1)
	cols, vals := s.m.Row(2 * i)
	_, most := magnitudes(vals)
	e := exponent(most)
	var t, ax float64
	for k := 0; k < len(cols); {
		j := cols[k] / 2
		var a [2]float64
		for ; k < len(cols) && cols[k]/2 == j; k++ {
			a[cols[k]&1] = dd.Ldexp(vals[k], -e)
		}
		size := math.Hypot(a[0], a[1])
		t += size
		ax += size * math.Hypot(dd.Ldexp(s.x[2*j], -s.ex), dd.Ldexp(s.x[2*j+1], -s.ex))
	}
	return row{
		residual: hypot(re.residual, im.residual), b: hypot(re.b, im.b),
		t: scaled{t, e}, absAx: scaled{ax, e + s.ex}, normAx: scaled{t * xmax, e + s.ex},
	}
}

// hypot is the square root of the sum of the squares.
func hypot(a, b scaled) scaled {
	e := a.max(b).exponent()
	return scaled{math.Hypot(a.at(e), b.at(e)), e}
}
