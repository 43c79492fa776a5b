package csr

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Permutation is an ordering of n rows: row k of the new order is row p[k] of the
// old one. As a matrix P it has ones at (k, p[k]).
type Permutation []int32

// Validate reports the first element that is out of range or occurs twice.
func (p Permutation) Validate() error {
	seen := newBitset(len(p))
	for k, i := range p {
		switch {
		case i < 0 || int(i) >= len(p):
			return fmt.Errorf("csr: permutation of %d rows: element %d is %d, out of range", len(p), k, i)
		case seen.has(i):
			return fmt.Errorf("csr: permutation of %d rows: element %d is %d, which occurs before", len(p), k, i)
		}
		seen.set(i)
	}
	return nil
}

// Inverse returns P^T: row i of the old order is row Inverse()[i] of the new one.
func (p Permutation) Inverse() Permutation {
	q := make(Permutation, len(p))
	for k, i := range p {
		q[i] = int32(k)
	}
	return q
}

// Permuted returns P A P^T for a square matrix of as many rows as p has
// elements, whose inverse is q, on the threads of pool (nil: serially).
func (m *Matrix) Permuted(p, q Permutation, pool *parallel.Pool) *Matrix {
	out := &Matrix{
		Rows: m.Rows, Cols: m.Cols, RowPtr: make([]int64, m.Rows+1),
		Col: make([]int32, m.NNZ()), Val: make([]float64, m.NNZ()),
	}
	for k, i := range p {
		out.RowPtr[k+1] = out.RowPtr[k] + m.RowPtr[i+1] - m.RowPtr[i]
	}
	pool.RunRanges(Panels(out), func(_, lo, hi int) {
		var order rowOrder
		var renumbered []int32
		for k := lo; k < hi; k++ {
			cols, vals := m.Row(int(p[k]))
			renumbered = renumbered[:0]
			for _, j := range cols {
				renumbered = append(renumbered, q[j])
			}
			newCols, newVals := out.Row(k)
			for to, o := range order.of(renumbered) {
				newCols[to], newVals[to] = int32(o>>32), vals[uint32(o)]
			}
		}
	})
	return out
}

// bitset is a set of whole numbers below a bound.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int32) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bitset) set(i int32)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) clear(i int32)    { b[i>>6] &^= 1 << (i & 63) }
