package adaptive

import (
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/quantize"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Whole describes the matrix of which a part is stored, in the layout that suits this part. Values are stored as in the whole
// matrix, with its diagonal.
type Whole struct {
	Norm     quantize.Norm // the largest of the parts' norms, as [NormOf] returns them
	Parts    int           // how many there are; the panels of each are the larger the more there are
	Diagonal int           // the column, in this part, of the diagonal element of its first row
}

// NormOf returns the norm of a part. It is an error if an element is not finite.
func NormOf(part *csr.Matrix, s Spec, pool *parallel.Pool) (quantize.Norm, error) {
	return quantize.NewNorm(part, s.quantization(), csr.Panels(part), pool)
}

// panelsOf is the least number of panels of slots, if the matrix has so many: fewer in each of many parts.
func (s *Spec) panelsOf() int {
	if s.Whole == nil {
		return leastPanels
	}
	return max(leastPanels/max(s.Whole.Parts, 1), leastOfPart)
}
