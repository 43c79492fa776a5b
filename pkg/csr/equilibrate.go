package csr

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/parallel"
)

// equilibrations bounds the sweeps of BothScaling. Each halves the exponents
// that are left, of at most 2^11; ordinary matrices need two or three.
const equilibrations = 12

// noExponent is below all exponents, and stays far below them when the exponents of rows and
// columns are added.
const noExponent = math.MinInt16

// BothScaling returns the scaling [BothScaling] of the whole matrix.
func (w Share) BothScaling(m *Matrix, pool *parallel.Pool) Scaling {
	s := NoScaling(m)
	exponents := entryExponents(m, pool)
	at := newColumnScalings(m.Cols, pool)
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
			if e := Exponent(v); v != 0 {
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

func newColumnScalings(cols int, pool *parallel.Pool) *columnScalings {
	n := min(pool.Threads(), mostSweeps)
	at := &columnScalings{free: make(chan columnSweep, n), largest: make([]int16, cols)}
	for range n {
		c := make(columnSweep, cols)
		for j := range c {
			c[j].largest = noExponent
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
