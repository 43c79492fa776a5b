package options

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// CheckMatrix returns a solve.InputError if m cannot be the matrix of a square system.
func CheckMatrix(m *csr.Matrix) error {
	if err := m.Validate(); err != nil {
		return Invalid("%v", err)
	}
	if m.Rows != m.Cols {
		return Invalid("the matrix is %d x %d; only square systems can be solved, others by Options.Method = lsqr", m.Rows, m.Cols)
	}
	if m.Rows == 0 {
		return Invalid("the matrix is empty")
	}
	return nil
}

// Solvable returns a solve.InputError if a matrix has NaN or Inf, or a row or column of zeros.
func Solvable(f csr.Facts) error {
	switch {
	case f.NonFinite > 0:
		return Invalid("the matrix has %s that %s NaN or Inf, the first in row %d, column %d",
			english.Plural(f.NonFinite, "entry", ""), english.PluralWord(f.NonFinite, "is", "are"), f.FirstNonFinite.Row+1, f.FirstNonFinite.Col+1)
	case f.EmptyRow >= 0:
		return Invalid("the matrix is singular: row %d has no nonzero", f.EmptyRow+1)
	case f.EmptyCol >= 0:
		return Invalid("the matrix is singular: column %d has no nonzero", f.EmptyCol+1)
	}
	return nil
}

// CheckVector returns a solve.InputError if a vector does not have n elements, or has an element that is NaN or Inf. what names the
// vector.
func CheckVector(what string, v []float64, n int) error {
	if len(v) != n {
		return Invalid("the %s has %d elements, the matrix %d rows", what, len(v), n)
	}
	return CheckElements(what, v, 0)
}

// CheckElements returns a solve.InputError if a vector has an element that is NaN or Inf. what names the vector; v are its elements from
// index first on.
func CheckElements(what string, v []float64, first int64) error {
	for i, e := range v {
		if e-e != 0 {
			return Invalid("element %d of the %s is %v", first+int64(i)+1, what, e)
		}
	}
	return nil
}

// Invalid returns a solve.InputError.
func Invalid(format string, args ...any) error {
	return &solve.InputError{Msg: fmt.Sprintf(format, args...)}
}
