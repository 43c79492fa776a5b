package lab

import (
	"fmt"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// System is A x = b as a class drew it, with what is known about it.
type System struct {
	A *csr.Matrix
	B []float64

	// Contradiction is a y with yᵀA = 0 and yᵀb ≠ 0, exactly: nil if none is known.
	Contradiction []float64
	// Natural bounds ‖x‖∞ for the consistent part of b.
	Natural float64
	// X is a solution in exact arithmetic, nil if none is known; Unique says that A is known to be regular.
	X      []float64
	Unique bool

	// FixedTol replaces the tolerance drawn; 0: it does not.
	Guess []float64 // nil: zero

	FixedTol float64
	// Plain demands default options.
	Plain bool
}

// builder collects the entries of a square matrix.
type builder struct {
	n   int
	row []map[int]float64
}

func newBuilder(n int) *builder {
	b := &builder{n: n, row: make([]map[int]float64, n)}
	for i := range b.row {
		b.row[i] = map[int]float64{}
	}
	return b
}

// add adds v to entry (i, j).
func (b *builder) add(i, j int, v float64) { b.row[i][j] += v }

// both adds v to entries (i, j) and (j, i).
func (b *builder) both(i, j int, v float64) { b.add(i, j, v); b.add(j, i, v) }

// embed adds s m with its first entry at (at, at).
func (b *builder) embed(m *csr.Matrix, at int, s float64) {
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			b.add(at+i, at+int(j), s*vals[k])
		}
	}
}

// matrix returns the matrix without zero entries.
func (b *builder) matrix() *csr.Matrix {
	m := &csr.Matrix{Rows: b.n, Cols: b.n, RowPtr: make([]int64, 1, b.n+1)}
	for _, row := range b.row {
		for j := range sortedKeys(row) {
			if row[j] != 0 {
				m.Col = append(m.Col, int32(j))
				m.Val = append(m.Val, row[j])
			}
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Col)))
	}
	return m
}

// product returns A x with each element rounded once.
func product(m *csr.Matrix, x []float64) []float64 {
	y := make([]float64, m.Rows)
	for i := range y {
		cols, vals := m.Row(i)
		var s stressSum
		for k, j := range cols {
			s.add(vals[k], x[j])
		}
		y[i], _ = s.float().Float64()
	}
	return y
}

// whole returns n random whole numbers from -size to size.
func whole(r *rand.Rand, n, size int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(r.IntN(2*size+1) - size)
	}
	return x
}

// between returns a whole number from lo to hi.
func between(r *rand.Rand, lo, hi int) int { return lo + r.IntN(hi-lo+1) }

// solves reports whether A x = b, exactly.
func solves(m *csr.Matrix, x, b []float64) bool {
	for i := range b {
		cols, vals := m.Row(i)
		var s stressSum
		s.add(-b[i], 1)
		for k, j := range cols {
			s.add(vals[k], x[j])
		}
		if !s.zero() {
			return false
		}
	}
	return true
}

func (s *System) String() string {
	return fmt.Sprintf("n = %d, %d nonzeros", s.A.Rows, s.A.NNZ())
}
