package features

import (
	"github.com/mpsolve/mpsolve/internal/solver/rules"
)

// StructuralRank returns the largest rank that a matrix with this pattern of nonzeros can have, see structuralRank. If it is less
// than the number of rows, the matrix is singular whatever its values, and there is no solution, or more than one. known is false where
// the search would take too long, and where ranks share a matrix with zeros on the diagonal.
func (s *Matrix) StructuralRank() (rank int, known bool) {
	full := min(s.Facts.Rows, s.Facts.Cols)
	switch {
	case s.Facts.Rows == s.Facts.Cols && s.Facts.DiagonalZero == 0:
		return full, true
	case s.Job != nil:
		return 0, false
	}
	return structuralRank(s.Given, rules.StructureWork*int64(s.Given.NNZ()+s.Given.Rows))
}
