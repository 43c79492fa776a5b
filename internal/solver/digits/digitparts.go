package digits

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// partSizes are the largest magnitudes of x in the parts of a system that no entry connects. Each part has its own digits. They count
// where judging x has shown that its largest elements hide errors of others: then no digit can be believed if none can in one part.
type partSizes struct{ row, column []float64 } // of the part of each row and of each column

// partSizes returns the sizes of the parts of x; nil where the parts need no care.
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

// spread is the least size of a part that Relative looks at, relative to the largest elements of x.
const spread = 0x1p-800

// Relative returns u ||d|| / ||x|| times 2^e in the maximum norm, for the part in which it is largest.
func (a Estimation) Relative(d []float64, e int) float64 {
	size := a.Vectors.AbsMax(a.X)
	parts := a.partSizes()
	if parts == nil {
		return backend.RelativeTo(a.Vectors.AbsMax(d), options.Roundoff, size, e)
	}
	return a.Vectors.Max(func(lo, hi int) (most float64) {
		for j := lo; j < hi; j++ {
			x := parts.column[j]
			if v := d[j]; v != 0 && csr.Ldexp(x, -csr.Exponent(size)) > spread {
				most = max(most, backend.RelativeTo(math.Abs(v), options.Roundoff, x, e))
			}
		}
		return most
	})
}
