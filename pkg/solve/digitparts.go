package solve

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// partSizes are the largest magnitudes X_c of x in the parts c of a system that nothing joins to each
// other. Each part has digits of its own: where judging x showed that its largest elements hide what
// is wrong with others, no digit can be believed if none can in one part.
type partSizes struct{ row, column []float64 } // of the part of each

// partSizes returns those of x; nil where the parts need no care.
func (a *answer) partSizes() *partSizes {
	if a.parts == nil {
		return nil
	}
	p := &partSizes{}
	if j := a.s.job; j != nil {
		p.row, p.column = verify.PartSizesDistributed(j.Matrix, a.x, a.s.pool)
	} else {
		p.row, p.column = a.s.known.ordered.PartSizes(a.s.m, a.x, a.s.pool)
	}
	return p
}

// spread is how much smaller than the largest elements of x those of a part may be for a probe.
const spread = 0x1p-800

// relative returns u ||d|| / ||x|| times 2^e in the maximum norm, in the part where that is largest.
func (a *answer) relative(d []float64, e int) float64 {
	size := a.vectors.AbsMax(a.x)
	parts := a.partSizes()
	if parts == nil {
		return relativeTo(a.vectors.AbsMax(d), roundoff, size, e)
	}
	return a.vectors.Max(func(lo, hi int) (most float64) {
		for j := lo; j < hi; j++ {
			x := parts.column[j]
			if v := d[j]; v != 0 && csr.Ldexp(x, -csr.Exponent(size)) > spread {
				most = max(most, relativeTo(math.Abs(v), roundoff, x, e))
			}
		}
		return most
	})
}
