package csr

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
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

func allZero(e []int) bool { return !slices.ContainsFunc(e, func(v int) bool { return v != 0 }) }

// NoScaling returns the scaling that changes nothing.
func NoScaling(m *Matrix) Scaling {
	return Scaling{Row: make([]int, m.Rows), Col: make([]int, m.Cols)}
}

// RowScaling brings the largest magnitude of each row into [1/2, 1). It runs on the
// threads of pool (nil: serially), as the other scalings do.
func RowScaling(m *Matrix, pool *parallel.Pool) Scaling {
	s := NoScaling(m)
	eachRow(m, pool, func(i int) { s.Row[i] = -dd.Exponent(m.rowMax(i)) })
	return s
}

// SymmetricScaling returns D A D with the same exponents for rows and columns, so
// that a symmetric matrix stays symmetric. Diagonal entries come to [1/2, 2)
// in magnitude; a row whose diagonal is zero is scaled by its largest entry.
// For conjugate gradients it has the effect of Jacobi preconditioning. Where it
// would leave an entry of magnitude 4 or more, which no positive definite
// matrix has, the exponents are those of BothScaling for the rows. If m is
// known to be symmetric and no row has a larger entry than its diagonal, one
// pass over m is enough.
func SymmetricScaling(m *Matrix, symmetric bool, pool *parallel.Pool) (Scaling, error) {
	return unshared.SymmetricScaling(m, symmetric, pool)
}

// BothScaling equilibrates rows and columns in turn: every sweep divides each
// by the square root of its largest magnitude ([Ruiz01]), until these are in
// [1/4, 2). If that makes entries smaller than 2^-54, it starts from the geometric
// means of rows and columns, provided that no entry is below 2^-27 then.
func BothScaling(m *Matrix, pool *parallel.Pool) Scaling { return unshared.BothScaling(m, pool) }

// A Share is one part of a matrix that is spread over several parts. It has some of the rows; its other rows are empty, and
// stand, as their columns do, for rows of other parts. All parts call the same methods in the same order.
type Share struct {
	Any   func(bool) bool // whether the argument is true in any part
	Copy  func(e []int)   // sets e_k of each copy to e_k of its original
	Raise func(e []int16) // sets e_k to the largest e_k of the original and all its copies
}

// unshared is the share of a matrix that is not spread.
var unshared = Share{Any: func(v bool) bool { return v }, Copy: func([]int) {}, Raise: func([]int16) {}}

// SymmetricScaling returns the scaling [SymmetricScaling] of the whole matrix.
func (w Share) SymmetricScaling(m *Matrix, symmetric bool, pool *parallel.Pool) (Scaling, error) {
	if m.Rows != m.Cols {
		return Scaling{}, fmt.Errorf("csr: symmetric scaling of a %d x %d matrix", m.Rows, m.Cols)
	}
	e := make([]int, m.Rows)
	larger := w.Any(anyRow(m, pool, func(i int) bool {
		d, other := m.diagonalAndLargest(i)
		e[i] = -(dd.Exponent(cmp.Or(d, other)) >> 1) // floor of the half
		return other > d
	}))
	w.Copy(e)
	if (larger || !symmetric) && w.Any(anyRow(m, pool, func(i int) (tooLarge bool) {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if dd.Exponent(vals[k])+e[i]+e[j] > 2 {
				return true
			}
		}
		return false
	})) {
		e = w.BothScaling(m, pool).Row
	}
	return Scaling{Row: e, Col: e}, nil
}

// maxExponent is the exponent of the largest float64.
const maxExponent = 1024

// Overflows reports whether an entry of D_r A D_c is beyond the range of float64.
func (s Scaling) Overflows(m *Matrix, pool *parallel.Pool) bool {
	return anyRow(m, pool, func(i int) bool {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if dd.Exponent(vals[k])+s.Row[i]+s.Col[j] > maxExponent {
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
		cols, vals := m.Row(i)
		to, row := out.Val[m.RowPtr[i]:m.RowPtr[i+1]][:len(cols)], s.Row[i]
		for k, j := range cols {
			to[k] = dd.Ldexp(vals[k], row+s.Col[j])
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

// equilibrations bounds the sweeps of BothScaling. Each halves the exponents
// that are left, of at most 2^11; ordinary matrices need two or three.
const equilibrations = 12

// noExponent is below all exponents, and stays far below them when the exponents of rows and
// columns are added.
const noExponent = math.MinInt16

// BothScaling returns the scaling [BothScaling] of the whole matrix.
func (w Share) BothScaling(m *Matrix, pool *parallel.Pool) Scaling {
	exponents := entryExponents(m, pool)
	s := w.equilibrated(m, exponents, NoScaling(m), pool)
	if !w.Any(s.fades(m, exponents, pool)) {
		return s
	}
	if c := w.equilibrated(m, exponents, w.centred(m, exponents), pool); !w.Any(c.leavesWeak(m, exponents, pool)) {
		return c
	}
	return s
}

// equilibrated returns s after sweeps that bring the largest entries of rows and columns to [1/4, 2).
func (w Share) equilibrated(m *Matrix, exponents []int16, s Scaling, pool *parallel.Pool) Scaling {
	at := newColumnScalings(s.Col, pool)
	for range equilibrations {
		changed := anyPanel(m, pool, func(lo, hi int) (changed bool) {
			columns := at.take()
			defer at.put(columns)
			for i := lo; i < hi; i++ {
				from, to := m.RowPtr[i], m.RowPtr[i+1]
				h := half(columns.row(m.Col[from:to], exponents[from:to], int32(s.Row[i])))
				s.Row[i] -= h // no other row reads it
				changed = changed || h != 0
			}
			return changed
		})
		w.Raise(at.join())
		if columns := at.halve(); !w.Any(columns || changed) {
			break
		}
	}
	for j, c := range at.all[0] {
		s.Col[j] = int(c.exponent)
	}
	w.Copy(s.Row)
	return s
}

// entryExponents returns the exponents of the entries of m, noExponent where they are zero.
func entryExponents(m *Matrix, pool *parallel.Pool) []int16 {
	exponents := make([]int16, m.NNZ())
	pool.RunRanges(Panels(m), func(_, lo, hi int) {
		from, to := m.RowPtr[lo], m.RowPtr[hi]
		out := exponents[from:to]
		for k, v := range m.Val[from:to] {
			if e := dd.Exponent(v); v != 0 {
				out[k] = int16(e)
			} else {
				out[k] = noExponent
			}
		}
	})
	return exponents
}

// columnScaling is the exponent of a column and the exponent of its largest entry in a sweep, side
// by side since columns come in any order.
type columnScaling struct{ exponent, largest int16 }

// columnSweep is a sweep over some rows.
type columnSweep []columnScaling

// row returns the largest exponent in a row with an exponent, and raises the exponents of its columns.
func (at columnSweep) row(cols []int32, exponents []int16, row int32) (largest int32) {
	largest = noExponent
	exponents = exponents[:len(cols)]
	for k, j := range cols {
		c := &at[j]
		e := int32(exponents[k]) + row + int32(c.exponent)
		largest = max(largest, e)
		c.largest = int16(max(int32(c.largest), e))
	}
	return largest
}

// columnScalings are sweeps that run side by side, each over the panels that it gets: which
// those are makes no difference to the largest exponents of all.
type columnScalings struct {
	all     []columnSweep
	free    chan columnSweep
	largest []int16 // of all
}

// mostSweeps bounds the memory of columnScalings.
const mostSweeps = 16

func newColumnScalings(exponents []int, pool *parallel.Pool) *columnScalings {
	n := min(pool.Threads(), mostSweeps)
	at := &columnScalings{free: make(chan columnSweep, n), largest: make([]int16, len(exponents))}
	for range n {
		c := make(columnSweep, len(exponents))
		for j, e := range exponents {
			c[j] = columnScaling{int16(e), noExponent}
		}
		at.all = append(at.all, c)
		at.put(c)
	}
	return at
}

func (at *columnScalings) take() columnSweep { return <-at.free }
func (at *columnScalings) put(c columnSweep) { at.free <- c }

// join ends a sweep over all rows: it returns the largest exponent of each column, for halve.
func (at *columnScalings) join() []int16 {
	for j := range at.largest {
		largest := int16(noExponent)
		for _, c := range at.all {
			largest = max(largest, c[j].largest)
		}
		at.largest[j] = largest
	}
	return at.largest
}

// halve halves what is left of each column, and reports whether that is anything.
func (at *columnScalings) halve() (changed bool) {
	first := at.all[0]
	for j, largest := range at.largest {
		h := half(int32(largest))
		changed = changed || h != 0
		next := columnScaling{first[j].exponent - int16(h), noExponent}
		for _, c := range at.all {
			c[j] = next
		}
	}
	return changed
}

// half returns half of the largest exponent of a row or column, towards zero; 0
// where there is no nonzero.
func half(largest int32) int {
	if largest < noExponent/2 { // with the exponents of row and column
		return 0
	}
	return int(largest) / 2
}
