package lab

import (
	"math"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/pkg/generate"
)

// saddlePoint draws a matrix [A Bᵀ; B C] with C small or zero, as in QP and KKT systems of interior point methods.
// The diagonal of A spreads over decades.
func saddlePoint(r *rand.Rand) *System {
	n := between(r, 4, 80)
	k := between(r, 1, n/2)
	b := newBuilder(n + k)
	spread := float64(2 * between(r, 0, 5))
	for i := range n {
		b.add(i, i, math.Pow(10, spread*(r.Float64()-0.5)))
		if r.IntN(2) == 0 && i+1 < n {
			v := b.row[i][i] / 4
			b.both(i, i+1, v)
			b.add(i+1, i+1, v)
		}
	}
	for c := range k {
		b.both(n+c, c, float64(between(r, 1, 3))) // of full rank
		for range 3 {
			b.both(n+c, between(r, k, n-1), 2*r.Float64()-1)
		}
	}
	if r.IntN(3) == 0 {
		for c := range k {
			b.add(n+c, n+c, -math.Pow(10, -8*r.Float64()))
		}
	}
	return withRHS(r, b.matrix())
}

// denseRow draws a matrix with a full row, a full column or both.
func denseRow(r *rand.Rand) *System {
	n := between(r, 5, 300)
	b := newBuilder(n)
	for i := range n {
		b.add(i, i, 2+r.Float64())
		if i+1 < n {
			b.both(i, i+1, -1)
		}
	}
	at, kind := r.IntN(n), r.IntN(3)
	size := math.Pow(10, 8*(r.Float64()-0.5))
	for j := range n {
		v := size * (2*r.Float64() - 1)
		if kind != 1 {
			b.add(at, j, v)
		}
		if kind != 0 {
			b.add(j, at, v)
		}
	}
	return withRHS(r, b.matrix())
}

// differentSizes puts an uncoupled row ε p = 1 beside a Poisson or elasticity problem. The unknowns differ by
// decades, and an x that is right in p alone has a small row-wise error.
func differentSizes(r *rand.Rand) *System {
	var b *builder
	k := between(r, 1, 3)
	n := between(r, 5, 120)
	if r.IntN(4) == 0 {
		m, err := generate.Generate("elasticity3d", generate.Params{"n": float64(between(r, 2, 3))})
		if err != nil {
			panic(err)
		}
		n = m.Rows
		b = newBuilder(n + k)
		b.embed(m, 0, 1)
	} else {
		b = newBuilder(n + k)
		for i := range n {
			b.add(i, i, 2)
			if i+1 < n {
				b.both(i, i+1, -1)
			}
		}
	}
	s := &System{B: stressOnes(n + k)}
	for i := range k {
		b.add(n+i, n+i, math.Pow(10, -16+14*r.Float64()))
	}
	s.A = b.matrix()
	if r.IntN(3) == 0 {
		for i := range n {
			s.B[i] = 2*r.Float64() - 1
		}
	}
	if r.IntN(2) == 0 {
		p := r.Perm(n + k)
		s.A, s.B = permuted(s.A, p, p), moved(s.B, p)
	}
	return s
}

// weakCoupling couples two blocks of different magnitude by entries of the size of roundings.
func weakCoupling(r *rand.Rand) *System {
	n := between(r, 4, 40)
	b := newBuilder(2 * n)
	size := math.Ldexp(1, -between(r, 10, 50))
	for i := range n {
		b.add(i, i, 2)
		b.add(n+i, n+i, 2*size)
		if i+1 < n {
			b.both(i, i+1, -1)
			b.both(n+i, n+i+1, -size)
		}
	}
	b.both(r.IntN(n), n+r.IntN(n), size*math.Ldexp(1, -between(r, 5, 40)))
	return withRHS(r, b.matrix())
}

// generated draws a small matrix of any kind of pkg/generate.
func generated(r *rand.Rand) *System {
	kinds := generate.Kinds()
	k := kinds[r.IntN(len(kinds))]
	p := generate.Params{}
	for _, q := range k.Params {
		switch q.Name {
		case "n", "nx", "ny":
			p[q.Name] = max(q.Min, float64(between(r, 3, 6)))
		case "seed":
			p[q.Name] = float64(r.IntN(1000))
		}
	}
	m, err := generate.Generate(k.Name, p)
	if err != nil {
		panic(err)
	}
	return withRHS(r, m)
}
