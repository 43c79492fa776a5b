package lab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// System is A x = b as a class drew it, with what is known about it.
type System struct {
	Kind string // of a class of several kinds
	A    *csr.Matrix
	B    []float64

	// Contradiction is a y with yᵀA = 0 and yᵀb ≠ 0, exactly: nil if none is known.
	Contradiction []float64
	// Ratio is |yᵀb| / |y|ᵀ|b| of the Contradiction, where a caution is due however small it is; 0: where it is visible.
	Ratio float64
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
	return strings.TrimSpace(fmt.Sprintf("%s n = %d, %d nonzeros", s.Kind, s.A.Rows, s.A.NNZ()))
}

// permuted returns P A Q, where p[i] and q[j] are the new positions of row i and column j.
func permuted(m *csr.Matrix, p, q []int) *csr.Matrix {
	b := newBuilder(m.Rows)
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			b.add(p[i], q[j], vals[k])
		}
	}
	return b.matrix()
}

// moved returns x with element i at p[i].
func moved(x []float64, p []int) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[p[i]] = v
	}
	return y
}

// shuffled permutes rows and columns at random.
func (d degenerate) shuffled(r *rand.Rand) degenerate {
	p, q := r.Perm(d.m.Rows), r.Perm(d.m.Rows)
	out := degenerate{m: permuted(d.m, p, q)}
	for _, y := range d.left {
		out.left = append(out.left, moved(y, p))
	}
	return out
}

// exponents returns n whole numbers from -span to span.
func exponents(r *rand.Rand, n, span int) []int {
	e := make([]int, n)
	for i := range e {
		e[i] = between(r, -span, span)
	}
	return e
}

// graded returns D_r A D_c with the powers of two of these exponents.
func graded(m *csr.Matrix, row, col []int) *csr.Matrix {
	out := m.Clone()
	for i := range m.Rows {
		cols, vals := out.Row(i)
		for k, j := range cols {
			vals[k] = math.Ldexp(vals[k], row[i]+col[j])
		}
	}
	return out
}

// scaled multiplies rows, columns or both by powers of two, sometimes symmetrically.
func (d degenerate) scaled(r *rand.Rand) (out degenerate, row, col []int) {
	n, span := d.m.Rows, []int{3, 20, 60}[r.IntN(3)]
	row, col = make([]int, n), make([]int, n)
	switch r.IntN(4) {
	case 0:
		row = exponents(r, n, span)
	case 1:
		col = exponents(r, n, span)
	case 2:
		row, col = exponents(r, n, span), exponents(r, n, span)
	default:
		row = exponents(r, n, span)
		copy(col, row)
	}
	out.m = graded(d.m, row, col)
	for _, y := range d.left {
		out.left = append(out.left, shifted(y, row, -1))
	}
	return out, row, col
}

// shifted returns x_i 2^(sign e_i).
func shifted(x []float64, e []int, sign int) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = math.Ldexp(v, sign*e[i])
	}
	return y
}

// beside puts the system s next to a regular block of another magnitude, before or after it at random.
func beside(r *rand.Rand, s *System) *System {
	n, k := s.A.Rows, between(r, 1, 12)
	size := math.Ldexp(1, between(r, -30, 30)) // of the block
	b := newBuilder(n + k)
	at, other := 0, n
	if r.IntN(2) == 0 {
		at, other = k, 0
	}
	b.embed(s.A, at, 1)
	block := newBuilder(k)
	for i := range k {
		block.add(i, i, 4)
		if i+1 < k {
			block.both(i, i+1, -1)
		}
	}
	b.embed(block.matrix(), other, size)
	out := *s
	out.A = b.matrix()
	grow := func(x []float64) []float64 {
		if x == nil {
			return nil
		}
		y := make([]float64, n+k)
		copy(y[at:], x)
		return y
	}
	out.B, out.Contradiction, out.X = grow(s.B), grow(s.Contradiction), grow(s.X)
	scale := math.Ldexp(size, between(r, -10, 30)) // of the block's solution, up to 2^30
	x := whole(r, k, 9)
	for i := range x {
		out.B[other+i] = 4 * x[i] * scale
		if i > 0 {
			out.B[other+i] -= x[i-1] * scale
		}
		if i+1 < k {
			out.B[other+i] -= x[i+1] * scale
		}
		if out.X != nil {
			out.X[other+i] = x[i] * scale / size
		}
	}
	return &out
}
