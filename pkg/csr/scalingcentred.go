package csr

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// The largest entries of rows and columns do not tell which of them are graded: if a few large rows touch all columns, their size goes to the columns, and the
// other entries of these columns all but vanish. What was well conditioned is singular to rounding then.
const (
	faint = -53 // exponent of entries that are roundings of the largest ones
	weak  = -26 // least exponent of a scaling that does better
)

// centrings bounds the sweeps of centred, which graded rows and columns need more of.
const centrings = 32

// fades reports whether D_r A D_c has a faint entry whose column is scaled far less than another one in its row, given the exponents of the entries of A.
// Where columns are scaled alike, faint entries are those of A, such as roundings of assembly; entries are not looked at if all columns are.
func (s Scaling) fades(m *Matrix, exponents []int16, pool *parallel.Pool) bool {
	if len(s.Col) == 0 || slices.Min(s.Col) >= slices.Max(s.Col)+weak {
		return false
	}
	return anyRow(m, pool, func(i int) bool {
		most, least := math.MinInt, math.MaxInt // of the columns, and of those of faint entries
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			if exponents[k] == noExponent {
				continue
			}
			c := s.Col[m.Col[k]]
			if most = max(most, c); int(exponents[k])+s.Row[i]+c < faint {
				least = min(least, c)
			}
		}
		return least < most+weak
	})
}

// leavesWeak reports whether an entry of D_r A D_c is weak.
func (s Scaling) leavesWeak(m *Matrix, exponents []int16, pool *parallel.Pool) bool {
	return anyRow(m, pool, func(i int) bool {
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			if e := exponents[k]; e != noExponent && int(e)+s.Row[i]+s.Col[m.Col[k]] < weak {
				return true
			}
		}
		return false
	})
}

// centred returns a scaling by the geometric mean of the least and the largest entry of each row and column: every sweep divides by its square root,
// in rows and columns alike, so that a symmetric matrix stays symmetric.
func (w Share) centred(m *Matrix, exponents []int16) Scaling {
	s := NoScaling(m)
	largest, inverse := make([]int16, m.Cols), make([]int16, m.Cols) // inverse: of the least
	for range centrings {
		for j := range largest {
			largest[j], inverse[j] = noExponent, noExponent
		}
		changed := false
		for i := range m.Rows {
			top, bottom := int16(noExponent), int16(noExponent)
			for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
				if exponents[k] == noExponent {
					continue
				}
				j := m.Col[k]
				e := exponents[k] + int16(s.Row[i]+s.Col[j])
				top, bottom = max(top, e), max(bottom, -e)
				largest[j], inverse[j] = max(largest[j], e), max(inverse[j], -e)
			}
			h := quarter(top, bottom)
			s.Row[i] -= h // no other row reads it
			changed = changed || h != 0
		}
		w.Raise(largest)
		w.Raise(inverse)
		for j := range s.Col {
			h := quarter(largest[j], inverse[j])
			s.Col[j] -= h
			changed = changed || h != 0
		}
		if !w.Any(changed) {
			break
		}
	}
	w.Copy(s.Row)
	return s
}

// quarter returns half of the mean of the least and the largest exponent, given the largest one and that of the inverses, towards zero; 0 where there is no nonzero.
func quarter(largest, inverse int16) int {
	if largest == noExponent {
		return 0
	}
	return (int(largest) - int(inverse)) / 4
}
