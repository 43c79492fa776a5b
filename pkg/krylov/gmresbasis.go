package krylov

import "github.com/mpsolve/mpsolve/pkg/linop"

// basis returns the vector with which step j begins, and into which that before it multiplies.
func (m *gmres[V, S]) basis(j int) V {
	if m.packed != nil {
		j %= 2
	}
	return m.vector(j)
}

// free returns a vector that is of no use when the basis has k vectors.
func (m *gmres[V, S]) free(k int) V {
	if m.packed != nil {
		k = 2
	}
	return m.vector(k)
}

// vector returns v[j], which is new when no solve has come so far.
func (m *gmres[V, S]) vector(j int) V {
	for len(m.v) <= j {
		m.v = append(m.v, m.space.New())
	}
	return m.v[j]
}

// store makes a w the vector j of the basis; w is the result of basis(j), and becomes the stored vector.
func (m *gmres[V, S]) store(j int, a S, w V) {
	if m.packed != nil {
		m.packed.Set(j, a, w, m.slack.at(m.least.residual()))
		return
	}
	m.space.Scale(a, w)
}

// multiply computes w = A z, as accurately as it has to be.
func (m *gmres[V, S]) multiply(w, z V) {
	if a, ok := m.a.(linop.Graded[V, S]); ok {
		a.ApplyWithin(m.slack.at(m.least.residual()), w, z)
		return
	}
	m.a.Apply(w, z)
}

// cancelled2 is the cancellation of classical Gram-Schmidt after which it is done again: the norm of what
// remains relative to that of what there was ([Daniel76]), squared.
const cancelled2 = 0x1p-6

// projectPacked makes w orthogonal to the packed basis by classical Gram-Schmidt, done again where it
// has cancelled much, or where that is not known yet, and returns the norm of what remains; the coefficients are h - g.
func (m *gmres[V, S]) projectPacked(h, g []S, w V) S {
	m.packed.MultiDot(h, w)
	negate(g, h)
	if m.columns.async != nil {
		m.packed.MultiAxpy(g, w)
		m.packed.MultiDot(g, w)
		negate(g, g)
		return m.packed.MultiAxpyDot(g, w).Sqrt()
	}
	ww := m.packed.MultiAxpyDot(g, w)
	size := ww.Float()
	for k := range h {
		size += h[k].Float() * h[k].Float()
		g[k] = m.space.Scalar(0)
	}
	if ww.Float() < cancelled2*size {
		m.packed.MultiDot(g, w)
		negate(g, g)
		ww = m.packed.MultiAxpyDot(g, w)
	}
	return ww.Sqrt()
}

// combine computes w += sum a_k v_k.
func (m *gmres[V, S]) combine(a []S, w V) {
	if m.packed != nil {
		m.packed.MultiAxpy(a, w)
		return
	}
	m.space.MultiAxpy(a, m.v[:len(a)], w)
}

// tally takes over what the basis has counted.
func (m *gmres[V, S]) tally() {
	if m.packed != nil {
		counts := m.packed.Counts()
		m.c.result.Basis = counts.Sub(m.counted)
		m.counted = counts
	}
}
