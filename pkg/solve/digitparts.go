package solve

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// partSizes are the largest magnitudes X_c of x in the parts c of a system that nothing joins to each
// other. Each part has digits of its own: where judging x showed that its largest elements hide what
// is wrong with others, no digit can be believed if none can in one part.
type partSizes struct {
	of   []int32   // the part of each row, and of each column after these
	size []float64 // of each part
}

// partSizes returns those of x; nil where the parts need no care.
func (a *answer) partSizes() *partSizes {
	if a.parts == nil {
		return nil
	}
	p := &partSizes{of: verify.Parts(a.s.m, a.s.pool)}
	p.size = make([]float64, len(p.of))
	for j, v := range a.x {
		c := p.of[a.s.m.Rows+j]
		p.size[c] = max(p.size[c], math.Abs(v))
	}
	return p
}

// spread is how much smaller than the largest elements of x those of a part may be for a probe.
const spread = 0x1p-800

// relative returns u ||d|| / ||x|| times 2^e in the maximum norm, in the part where that is largest.
func (a *answer) relative(d []float64, e int) (most float64) {
	size := a.vectors.AbsMax(a.x)
	parts := a.partSizes()
	if parts == nil {
		return relativeTo(a.vectors.AbsMax(d), roundoff, size, e)
	}
	for j, v := range d {
		x := parts.size[parts.of[a.s.m.Rows+j]]
		if v != 0 && csr.Ldexp(x, -csr.Exponent(size)) > spread {
			most = max(most, relativeTo(math.Abs(v), roundoff, x, e))
		}
	}
	return most
}
