package features

import (
	"github.com/mpsolve/mpsolve/internal/solver/rules"
)

// StructuralRank is the largest rank that a matrix with this pattern of nonzeros can have, see structuralRank: if it is less than the
// number of rows, the matrix is singular whatever its values, and x is one of many solutions, or there is none. known is false where that
// was not found out: it would take long, or ranks share the matrix and its diagonal has zeros.
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
