package csr

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Scaling multiplies rows and columns by powers of two: a_ij becomes
// a_ij 2^(Row[i]+Col[j]), which is exact unless it over- or underflows. With
// D_r = diag(2^Row) and D_c = diag(2^Col), the system A x = b becomes
//
//	(D_r A D_c) z = D_r b,  x = D_c z.
type Scaling struct {
	Row, Col []int // binary exponents
}

// Identity reports whether the scaling changes nothing.
func (s Scaling) Identity() bool { return allZero(s.Row) && allZero(s.Col) }

func allZero(e []int) bool {
	for _, v := range e {
		if v != 0 {
			return false
		}
	}
	return true
}

// NoScaling returns the scaling that changes nothing.
func NoScaling(m *Matrix) Scaling {
	return Scaling{Row: make([]int, m.Rows), Col: make([]int, m.Cols)}
}

// RowScaling brings the largest magnitude of each row into [1/2, 1). It runs on the
// threads of pool (nil: serially), as the other scalings do.
func RowScaling(m *Matrix, pool *parallel.Pool) Scaling {
	s := NoScaling(m)
	eachRow(m, pool, func(i int) { s.Row[i] = -Exponent(m.rowMax(i)) })
	return s
}

// SymmetricScaling is D A D with the same exponents for rows and columns, so
// that a symmetric matrix stays symmetric. Diagonal entries come to [1/2, 2)
// in magnitude; a row whose diagonal is zero is scaled by its largest entry.
// For conjugate gradients it has the effect of Jacobi preconditioning. Where it
// would leave an entry of magnitude 4 or more, which no positive definite
// matrix has, the exponents are those of BothScaling for the rows.
func SymmetricScaling(m *Matrix, pool *parallel.Pool) (Scaling, error) {
	if m.Rows != m.Cols {
		return Scaling{}, fmt.Errorf("csr: symmetric scaling of a %d x %d matrix", m.Rows, m.Cols)
	}
	e := make([]int, m.Rows)
	eachRow(m, pool, func(i int) {
		d, _ := m.find(i, i)
		if d == 0 {
			d = m.rowMax(i)
		}
		e[i] = -(Exponent(d) >> 1) // floor of the half
	})
	if anyRow(m, pool, func(i int) (tooLarge bool) {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if Exponent(vals[k])+e[i]+e[j] > 2 {
				return true
			}
		}
		return false
	}) {
		e = BothScaling(m, pool).Row
	}
	return Scaling{Row: e, Col: e}, nil
}

// equilibrations bounds the sweeps of BothScaling. Each halves the exponents
// that are left, of at most 2^11; ordinary matrices need two or three.
const equilibrations = 12

// maxExponent is that of the largest float64, see Exponent.
const maxExponent = 1024

// noExponent is below all exponents.
const noExponent = math.MinInt32

// BothScaling equilibrates rows and columns in turn: every sweep divides each
// by the square root of its largest magnitude ([Ruiz01]), until these are in
// [1/4, 2).
func BothScaling(m *Matrix, pool *parallel.Pool) Scaling {
	s, at := NoScaling(m), make([]columnScaling, m.Cols)
	for j := range at {
		at[j].largest.Store(noExponent)
	}
	for range equilibrations {
		changed := anyRow(m, pool, func(i int) bool {
			cols, vals := m.Row(i)
			row, largest := int32(s.Row[i]), int32(noExponent)
			for k, j := range cols {
				if v := vals[k]; v != 0 {
					col := &at[j]
					e := int32(Exponent(v)) + row + col.exponent
					if e > largest { // faster than max
						largest = e
					}
					raise(&col.largest, e)
				}
			}
			h := half(largest)
			s.Row[i] -= h // no other row reads it
			return h != 0
		})
		for j := range at {
			h := half(at[j].largest.Load())
			at[j].exponent -= int32(h)
			changed = changed || h != 0
			at[j].largest.Store(noExponent)
		}
		if !changed {
			break
		}
	}
	for j := range at {
		s.Col[j] = int(at[j].exponent)
	}
	return s
}

// columnScaling is the exponent of a column and that of its largest entry in a sweep, side by
// side since columns come in any order.
type columnScaling struct {
	exponent int32
	largest  atomic.Int32
}

// raise sets x to the larger of x and e; several goroutines may do so at once.
func raise(x *atomic.Int32, e int32) {
	for old := x.Load(); e > old && !x.CompareAndSwap(old, e); {
		old = x.Load()
	}
}

// half returns half of the largest exponent of a row or column, towards zero; 0
// where there is no nonzero.
func half(largest int32) int {
	if largest == noExponent {
		return 0
	}
	return int(largest) / 2
}

// Exponent returns the e with |v| in [2^(e-1), 2^e), and 0 for 0, NaN and Inf.
func Exponent(v float64) int {
	if biased := int(math.Float64bits(v) >> 52 & 0x7ff); biased > 0 && biased < 0x7ff {
		return biased - 1022
	}
	if v == 0 || v-v != 0 {
		return 0
	}
	_, e := math.Frexp(v)
	return e
}

// Overflows reports whether an entry of D_r A D_c is beyond the range of float64.
func (s Scaling) Overflows(m *Matrix, pool *parallel.Pool) bool {
	return anyRow(m, pool, func(i int) bool {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if Exponent(vals[k])+s.Row[i]+s.Col[j] > maxExponent {
				return true
			}
		}
		return false
	})
}

// Apply returns D_r A D_c. The result shares RowPtr and Col with m; only the
// values are new.
func (s Scaling) Apply(m *Matrix, pool *parallel.Pool) *Matrix {
	out := &Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: m.RowPtr, Col: m.Col, Val: make([]float64, m.NNZ())}
	eachRow(m, pool, func(i int) {
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			out.Val[k] = Ldexp(m.Val[k], s.Row[i]+s.Col[m.Col[k]])
		}
	})
	return out
}

// Negate changes the sign of every value in place, on the threads of pool (nil:
// serially).
func (m *Matrix) Negate(pool *parallel.Pool) {
	eachRow(m, pool, func(i int) {
		_, vals := m.Row(i)
		for k, v := range vals {
			vals[k] = -v
		}
	})
}

// Ldexp is math.Ldexp, faster where argument and result are normal numbers.
func Ldexp(v float64, e int) float64 {
	bits := math.Float64bits(v)
	biased := int(bits >> 52 & 0x7ff)
	if to := biased + e; biased > 0 && biased < 0x7ff && to > 0 && to < 0x7ff {
		return math.Float64frombits(bits + uint64(e)<<52)
	}
	return math.Ldexp(v, e)
}
