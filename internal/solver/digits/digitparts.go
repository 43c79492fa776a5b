package digits

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// partSizes are the largest magnitudes X_c of x in the parts c of a system that nothing joins to each
// other. Each part has digits of its own: where judging x showed that its largest elements hide what
// is wrong with others, no digit can be believed if none can in one part.
type partSizes struct{ row, column []float64 } // of the part of each

// partSizes returns those of x; nil where the parts need no care.
func (a Estimation) partSizes() *partSizes {
	if a.Parts == nil {
		return nil
	}
	p := &partSizes{}
	if j := a.S.Job; j != nil {
		p.row, p.column = verify.PartSizesDistributed(j.Matrix, a.X, a.S.Pool)
	} else {
		p.row, p.column = a.S.Known.Ordered.PartSizes(a.S.M, a.X, a.S.Pool)
	}
	return p
}

// spread is how much smaller than the largest elements of x those of a part may be for a probe.
const spread = 0x1p-800

// Relative returns u ||d|| / ||x|| times 2^e in the maximum norm, in the part where that is largest.
func (a Estimation) Relative(d []float64, e int) float64 {
	size := a.Vectors.AbsMax(a.X)
	parts := a.partSizes()
	if parts == nil {
		return backend.RelativeTo(a.Vectors.AbsMax(d), solve.Roundoff, size, e)
	}
	return a.Vectors.Max(func(lo, hi int) (most float64) {
		for j := lo; j < hi; j++ {
			x := parts.column[j]
			if v := d[j]; v != 0 && csr.Ldexp(x, -csr.Exponent(size)) > spread {
				most = max(most, backend.RelativeTo(math.Abs(v), solve.Roundoff, x, e))
			}
		}
		return most
	})
}
