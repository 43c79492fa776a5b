package lab

import (
	"math"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// withRHS draws b for a matrix: random over decades, a unit vector, or A x rounded, where x is whole or random over
// decades.
func withRHS(r *rand.Rand, m *csr.Matrix) *System {
	n := m.Rows
	s := &System{A: m}
	switch r.IntN(6) {
	case 0:
		s.B = decades(r, n, 0)
	case 1:
		s.B = decades(r, n, 12)
	case 2:
		s.B = make([]float64, n)
		s.B[r.IntN(n)] = 1
	case 3:
		s.B = product(m, decades(r, n, 8))
	case 4:
		s.B = product(m, stressOnes(n))
	default:
		s.B = product(m, whole(r, n, 10))
	}
	return s
}

// decades returns n random numbers of either sign whose magnitudes spread over span decades.
func decades(r *rand.Rand, n int, span float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = (2*r.Float64() - 1) * math.Pow(10, span*(r.Float64()-0.5))
	}
	return x
}

// randomSparse draws a few entries a row and a diagonal that dominates, is small or is missing.
func randomSparse(r *rand.Rand) *System {
	n := between(r, 1, 40)
	b := newBuilder(n)
	diagonal := []float64{10, 1, 0.1, 0}[r.IntN(4)]
	symmetric := r.IntN(2) == 0
	for i := range n {
		b.add(i, i, diagonal*(1+r.Float64()))
		for range 3 {
			j, v := r.IntN(n), 2*r.Float64()-1
			b.add(i, j, v)
			if symmetric {
				b.add(j, i, v)
			}
		}
	}
	return withRHS(r, b.matrix())
}

// nearlySingular draws a singular matrix of whole numbers and changes one entry by a small power of two, or all
// entries by roundings.
func nearlySingular(r *rand.Rand) *System {
	bases := []func(*rand.Rand) degenerate{rankDeficient, equalRows, smallNeumann, ring, closedFlow, freeBeam, skew, redundant}
	d := bases[r.IntN(len(bases))](r)
	for d.m.Rows > 60 {
		d = bases[r.IntN(len(bases))](r)
	}
	small := math.Ldexp(1, -between(r, 8, 51))
	if r.IntN(3) == 0 {
		for k := range d.m.Val {
			d.m.Val[k] *= 1 + small*(2*r.Float64()-1)
		}
		return withRHS(r, d.m)
	}
	b := newBuilder(d.m.Rows)
	b.embed(d.m, 0, 1)
	i := r.IntN(d.m.Rows)
	b.add(i, i, small)
	return withRHS(r, b.matrix())
}

func smallNeumann(r *rand.Rand) degenerate { return neumann(r, 40) }
func midNeumann(r *rand.Rand) degenerate   { return neumann(r, 400) }
func largeNeumann(r *rand.Rand) degenerate { return neumann(r, 12000) }

// gradedOver multiplies rows and columns of a well-conditioned matrix by powers of two over up to 300 decades.
func gradedOver(r *rand.Rand) *System {
	n := between(r, 2, 40)
	b := newBuilder(n)
	for i := range n {
		b.add(i, i, float64(between(r, 4, 9)))
		for range 2 {
			if j := r.IntN(n); j != i {
				b.add(i, j, 2*r.Float64()-1)
			}
		}
	}
	span := []int{20, 100, 250, 490}[r.IntN(4)]
	row, col := make([]int, n), make([]int, n)
	switch r.IntN(4) {
	case 0:
		row = exponents(r, n, span)
	case 1:
		col = exponents(r, n, span)
	case 2:
		for i := range row {
			row[i] = (2*i - n) * span / n
			col[i] = row[i]
		}
	default:
		row, col = exponents(r, n, span/2), exponents(r, n, span/2)
	}
	m := graded(b.matrix(), row, col)
	s := &System{A: m}
	x := decades(r, n, 2)
	if r.IntN(2) == 0 {
		x = shifted(x, col, -1) // of the scaled unknowns
	}
	s.B = product(m, x)
	if r.IntN(4) == 0 {
		s.B = decades(r, n, 4)
	}
	return s
}

// zeroRow draws a matrix with a missing row, column or both, or with stored zeros there.
func zeroRow(r *rand.Rand) *System {
	s := randomSparse(r)
	n := s.A.Rows
	row, col := r.IntN(n), -1
	switch r.IntN(3) {
	case 0:
		row, col = -1, r.IntN(n)
	case 1:
		col = r.IntN(n)
	}
	out := s.A.Clone()
	for i := range n {
		cols, vals := out.Row(i)
		for k, j := range cols {
			if i == row || int(j) == col {
				vals[k] = 0
			}
		}
	}
	s.A = out
	if r.IntN(2) == 0 { // without storing the zeros
		b := newBuilder(n)
		b.embed(out, 0, 1)
		s.A = b.matrix()
	}
	return s
}

// indefinite is a shifted Laplacian; the shift is sometimes near or at an eigenvalue.
func indefinite(r *rand.Rand) *System {
	w := between(r, 3, 20)
	h := between(r, 1, w)
	b := newBuilder(w * h)
	shift := []float64{0.5, 1, 2, 3.7, 4, 6}[r.IntN(6)]
	for i := range w * h {
		b.add(i, i, 4-shift)
		if i%w < w-1 {
			b.both(i, i+1, -1)
		}
		if i+w < w*h {
			b.both(i, i+w, -1)
		}
	}
	return withRHS(r, b.matrix())
}

// extremes has a single unknown or a diagonal, a triangle or a permutation, and a b at the ends of the range of
// float64.
func extremes(r *rand.Rand) *System {
	n := between(r, 1, 12)
	b := newBuilder(n)
	p := r.Perm(n)
	kind := r.IntN(3)
	for i := range n {
		switch kind {
		case 0:
			b.add(i, i, decades(r, 1, 20)[0])
		case 1:
			b.add(i, p[i], float64(between(r, 1, 5)))
		default:
			b.add(i, i, 1+r.Float64())
			for j := range i {
				b.add(i, j, 2*r.Float64()-1)
			}
		}
	}
	s := withRHS(r, b.matrix())
	f := []int{0, -1060, -900, -500, 500, 900}[r.IntN(6)]
	for i := range s.B {
		s.B[i] = math.Ldexp(s.B[i], f)
	}
	return s
}
