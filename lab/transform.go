package lab

import (
	"math"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

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
