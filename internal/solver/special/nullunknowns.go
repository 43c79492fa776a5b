package special

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	// smallShare is the part of a null vector that is not named beside its largest elements.
	smallShare = 0x1p-20
	// cancelled is the share of terms that may be left of their sum where they cancel each other, but for unknowns of a smallShare.
	cancelled = 0x1p-16
)

// NullUnknowns returns the unknowns of a vector v for which A v is zero, or nearly; nil: none was found that has few. Such a v is sought by elimination in a
// small matrix, by complete factors where they are cheap, and in x, which is large there if it does not explain b.
func (a EvidenceSearch) NullUnknowns() (fewest []int) {
	if a.Ctx.Err() != nil {
		return nil
	}
	m := a.S.Given
	found := [][]float64{a.S.Order.Back(a.X)}
	if m.Rows <= rules.DenseRows {
		found = append(found, LeftNullVectors(m.Transpose(a.S.Pool))...)
	}
	found = append(found, a.refined(m, func(k int, _ csr.Scaling) (v, f []float64) { return signs(m.Rows, uint64(k)), nil }, projections)...)
	largest := make([]float64, m.Cols)
	for k, j := range m.Col {
		largest[j] = max(largest[j], math.Abs(m.Val[k]))
	}
	for _, v := range found {
		if few := nullIn(m, largest, v); few != nil && (fewest == nil || len(few) < len(fewest)) {
			fewest = few
		}
	}
	return fewest
}

// nullIn returns the unknowns in which v is large, beside the other terms of A v, if these terms cancel each other in each row, and there are no more than mostNamed.
// largest is the largest magnitude in each column.
func nullIn(m *csr.Matrix, largest, v []float64) []int {
	size := make([]float64, len(v))
	for j := range size {
		size[j] = largest[j] * math.Abs(v[j])
	}
	unknowns := named(size, smallShare)
	if unknowns == nil {
		return nil
	}
	for i := range m.Rows {
		sum, most := 0.0, 0.0
		cols, vals := m.Row(i)
		for k, j := range cols {
			if _, is := slices.BinarySearch(unknowns, int(j)); is {
				term := vals[k] * v[j]
				sum, most = sum+term, max(most, math.Abs(term))
			}
		}
		if math.Abs(sum) > cancelled*most {
			return nil
		}
	}
	return unknowns
}
