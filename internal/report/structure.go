package report

import "fmt"

// SetStructure fills in the structural rank of the matrix.
func (r *Report) SetStructure(rank int) { r.Matrix.StructuralRank = &rank }

// CautionStructure adds a caution if every matrix with this pattern is singular. It must be called after Add.
func (r *Report) CautionStructure() {
	n := min(r.Matrix.Rows, r.Matrix.Cols)
	if rank := r.Matrix.StructuralRank; rank != nil && *rank < n {
		r.Cautions = append(r.Cautions, fmt.Sprintf("the matrix is structurally singular: its nonzeros allow a rank of %d of %d, so that x is one of many solutions, if there is any", *rank, n))
	}
}
