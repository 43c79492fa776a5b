package lab

import (
	"math"
	"math/rand/v2"
)

// unimodular draws a matrix of whole numbers with determinant 1, a product of unit triangles. Its inverse has whole
// numbers of up to twenty digits.
func unimodular(r *rand.Rand) *System {
	n := between(r, 3, 40)
	width := between(r, 1, 3)
	lower, upper := newBuilder(n), newBuilder(n)
	for i := range n {
		lower.add(i, i, 1)
		upper.add(i, i, 1)
		for k := 1; k <= width && i >= k; k++ {
			lower.add(i, i-k, float64(between(r, -2, 2)))
			upper.add(i-k, i, float64(between(r, -2, 2)))
		}
	}
	b := newBuilder(n)
	for i, row := range lower.row {
		for k := range sortedKeys(row) {
			for j := range sortedKeys(upper.row[k]) {
				b.add(i, j, row[k]*upper.row[k][j])
			}
		}
	}
	m := b.matrix()
	if r.IntN(2) == 0 {
		m = permuted(m, r.Perm(n), r.Perm(n))
	}
	s := &System{A: m, B: whole(r, n, 9)}
	if r.IntN(2) == 0 {
		s.B = product(m, whole(r, n, 9))
	}
	return s
}

// gains draws the powers of two g_i of a cycle x_i = g_i x_{i-1}; their product is 1.
func gains(r *rand.Rand, n, span int) []int {
	e := exponents(r, n, span)
	sum := 0
	for _, v := range e {
		sum += v
	}
	for i := 0; sum != 0; i = (i + 1) % n {
		step := max(-20, min(20, sum))
		e[i] -= step
		sum -= step
	}
	return e
}

// gainCycle couples unknowns in a cycle of gains, with branches attached. The matrix is singular, since the product
// of the gains is 1.
func gainCycle(r *rand.Rand) degenerate {
	n := between(r, 2, 60)
	branches := r.IntN(n)
	b := newBuilder(n + branches)
	y, level := make([]float64, n+branches), 0
	g := gains(r, n, []int{2, 8, 20}[r.IntN(3)])
	for i := range n {
		b.add(i, i, 1)
		b.add(i, (i+n-1)%n, -math.Ldexp(1, g[i]))
	}
	for i := range n { // y_i = g_{i+1} y_{i+1}
		y[(2*n-i-1)%n] = math.Ldexp(1, level)
		level += g[(2*n-i-1)%n]
	}
	for i := range branches {
		b.add(n+i, n+i, float64(between(r, 1, 3)))
		b.add(n+i, r.IntN(n+i), float64(between(r, -4, 4)))
	}
	return degenerate{b.matrix(), [][]float64{y}}
}

// nearCycle is a cycle of gains whose product differs from 1 by one part in 2^3 to 2^50.
func nearCycle(r *rand.Rand) *System {
	d := gainCycle(r)
	m := d.m.Clone()
	i := r.IntN(m.Rows)
	_, vals := m.Row(i)
	vals[r.IntN(len(vals))] *= 1 + math.Ldexp(1, -between(r, 3, 50))
	return withRHS(r, m)
}

// gradedContradiction draws rows that contradict each other and differ in size by up to 200 decades.
func gradedContradiction(r *rand.Rand) *System {
	base := pick(r, []func(*rand.Rand) degenerate{rankDeficient, equalRows, freeBeam, redundant, gainCycle})
	for {
		d := base(r)
		n := d.m.Rows
		exact := whole(r, n, 10)
		s := &System{A: d.m, B: product(d.m, exact), Natural: 10}
		s.B[r.IntN(n)] += math.Pow(10, -4*r.Float64()) * stressMaxAbs(s.B)
		for _, y := range d.left {
			if contradicts(s.A, s.B, y) && visible(s, y, 1e-10, false) {
				s.Contradiction = y
			}
		}
		if s.Contradiction == nil {
			continue
		}
		row := exponents(r, n, []int{40, 150, 330}[r.IntN(3)])
		y := shifted(s.Contradiction, row, -1)
		s.A, s.B = graded(d.m, row, make([]int, n)), shifted(s.B, row, 1)
		if s.Contradiction = y; contradicts(s.A, s.B, y) && visible(s, y, 1e-10, false) {
			return s
		}
	}
}

// patchwork couples systems of several kinds, each of its own size, in one direction only.
func patchwork(r *rand.Rand) *System {
	var parts []*System
	n := 0
	for range between(r, 2, 4) {
		s := pick(r, []func(*rand.Rand) *System{randomSparse, nearlySingular, indefinite, classics, jordan, unimodular, nearCycle})(r)
		if s.A.Rows <= 40 {
			parts = append(parts, s)
			n += s.A.Rows
		}
	}
	if len(parts) == 0 {
		return patchwork(r)
	}
	b, rhs, at := newBuilder(n), make([]float64, n), 0
	span := []int{10, 60, 200}[r.IntN(3)]
	for _, s := range parts {
		size, scale := between(r, -span, span), between(r, -span, span)
		b.embed(s.A, at, math.Ldexp(1, size))
		copy(rhs[at:], shifted(s.B, repeated(scale, s.A.Rows), 1))
		for range r.IntN(4) {
			if at > 0 {
				i, j := at+r.IntN(s.A.Rows), r.IntN(at)
				b.add(i, j, float64(between(r, -9, 9))*math.Ldexp(1, between(r, -span, span)))
			}
		}
		at += s.A.Rows
	}
	s := &System{A: b.matrix(), B: rhs}
	if r.IntN(2) == 0 {
		p := r.Perm(n)
		s.A, s.B = permuted(s.A, p, p), moved(s.B, p)
	}
	return s
}

func repeated(v, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = v
	}
	return list
}

// grcar has ones on some diagonals above and minus ones below the diagonal.
func grcar(r *rand.Rand) *System {
	n, k := between(r, 5, 120), between(r, 2, 5)
	b := newBuilder(n)
	for i := range n {
		for j := max(0, i-1); j <= min(n-1, i+k); j++ {
			if j < i {
				b.add(i, j, -1)
			} else {
				b.add(i, j, 1)
			}
		}
	}
	return withRHS(r, b.matrix())
}

// jordan is bidiagonal with one eigenvalue of full multiplicity, or nearly so.
func jordan(r *rand.Rand) *System {
	n := between(r, 2, 100)
	b := newBuilder(n)
	lambda := []float64{0.1, 0.5, 0.9, 1, 1.1, 2}[r.IntN(6)]
	lower := r.IntN(2) == 0
	for i := range n {
		b.add(i, i, lambda)
		switch {
		case i+1 == n:
		case lower:
			b.add(i+1, i, 1)
		default:
			b.add(i, i+1, -1)
		}
	}
	return withRHS(r, b.matrix())
}

// stressConvection is dominated by transport: central differences along a line or in a square.
func stressConvection(r *rand.Rand) *System {
	w := between(r, 3, 22)
	h := []int{1, w}[r.IntN(2)]
	b := newBuilder(w * h)
	peclet := math.Pow(10, 4*r.Float64())
	for i := range w * h {
		b.add(i, i, 4)
		if i%w < w-1 {
			b.add(i, i+1, -1+peclet)
			b.add(i+1, i, -1-peclet)
		}
		if i+w < w*h {
			b.add(i, i+w, -1+peclet/3)
			b.add(i+w, i, -1-peclet/3)
		}
	}
	return withRHS(r, b.matrix())
}

// classics draws dense matrices of textbooks with large condition numbers or growth: those of Hilbert, Kahan,
// Wilkinson, Vandermonde and Frank.
func classics(r *rand.Rand) *System {
	n := between(r, 2, 24)
	b := newBuilder(n)
	kind, theta := r.IntN(5), 0.5+r.Float64()
	for i := range n {
		for j := range n {
			v := 0.0
			switch kind {
			case 0:
				v = 1 / float64(i+j+1)
			case 1:
				if j >= i {
					v = math.Pow(math.Sin(theta), float64(i))
					if j > i {
						v *= -math.Cos(theta)
					}
				}
			case 2:
				switch {
				case i == j || j == n-1:
					v = 1
				case j < i:
					v = -1
				}
			case 3:
				v = math.Pow(float64(i+1)/float64(n), float64(j))
			default:
				if j >= i-1 {
					v = float64(n - max(i, j))
				}
			}
			b.add(i, j, v)
		}
	}
	return withRHS(r, b.matrix())
}
