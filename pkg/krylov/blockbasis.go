package krylov

import "math"

const (
	// wellApart is the square of the share of a vector that must be independent of others so that it is made orthonormal along with them: the
	// rest is made orthogonal to these first.
	wellApart = 1e-8
	// dependent is the share of a vector that roundings leave of what depends on others.
	dependent = 1e-11
)

// orthonormalise finds t with (Q t)^T M^-1 (Q t) = I and zeta with Q = (Q t) zeta: by Cholesky's method with pivoting, in several
// rounds where vectors are nearly dependent on others; what these contribute to them is taken from them and their z. Vectors that are dependent are left
// out of t. g is Q^T Z. The Reason is Running, or IndefinitePreconditioner, NotFinite, or Breakdown where nothing is left.
func (m *BlockCG) orthonormalise(g coefficients) (t, zeta coefficients, reason Reason) {
	n := m.width
	t, zeta = newCoefficients(n, n), newCoefficients(n, n)
	rest, rank := make([]int, n), 0
	for j := range rest {
		rest[j] = j
	}
	sizes, reason := sizesOf(g) // of the vectors as they were
	if reason != Running {
		return t, zeta, reason
	}
	for len(rest) > 0 {
		rest, g = independent(rest, g, sizes)
		roots, ok := g.unitDiagonal()
		if !ok || len(rest) == 0 {
			break
		}
		u, order, accepted, _ := g.cholesky(wellApart)
		inverse := u.inverseUpper(accepted)
		for l := range accepted {
			for i := range l + 1 {
				t.set(rest[order[i]], rank+l, inverse.at(i, l)/roots[order[i]])
			}
			for k, j := range order {
				zeta.set(rank+l, rest[j], u.at(l, k)*roots[j])
			}
		}
		rest = m.takeOff(rest, order, accepted, rank, t, zeta)
		rank += accepted
		if len(rest) > 0 {
			g = m.gramOf(rest)
		}
	}
	if rank == 0 {
		return t, zeta, Breakdown
	}
	zeta.rows, zeta.a = rank, zeta.a[:rank*n]
	columns := make([]int, rank)
	for j := range columns {
		columns[j] = j
	}
	return t.picked(columns), zeta, Running
}

// takeOff makes the vectors beyond those accepted, which have made columns rank and following of t, orthogonal to these, and returns them.
func (m *BlockCG) takeOff(rest, order []int, accepted, rank int, t, zeta coefficients) (left []int) {
	for _, j := range order[accepted:] {
		left = append(left, rest[j])
	}
	if len(left) == 0 {
		return nil
	}
	off := newCoefficients(accepted, len(left))
	var basis []int
	for i, from := range order[:accepted] {
		basis = append(basis, rest[from])
		for k, j := range left {
			for l := range accepted {
				off.set(i, k, off.at(i, k)-float64(t.at(rest[from], rank+l)*zeta.at(rank+l, j)))
			}
		}
	}
	m.space.Combine(off.a, pick(m.q, basis), pick(m.q, left), true)
	if m.by != nil {
		m.space.Combine(off.a, pick(m.z, basis), pick(m.z, left), true)
	}
	return left
}

// gramOf is Q^T Z of some of the vectors, nil: all.
func (m *BlockCG) gramOf(some []int) coefficients {
	if some == nil {
		g := newCoefficients(m.width, m.width)
		m.space.GramSymmetric(g.a, m.q[:m.width], m.applied())
		return g
	}
	g := newCoefficients(len(some), len(some))
	m.space.GramSymmetric(g.a, pick(m.q, some), pick(m.applied(), some))
	return g
}

// sizesOf are the roots of the diagonal.
func sizesOf(g coefficients) (sizes []float64, reason Reason) {
	for _, v := range g.a {
		if !finite(v) {
			return nil, NotFinite
		}
	}
	for j := range g.rows {
		if g.at(j, j) < 0 {
			return nil, IndefinitePreconditioner
		}
		sizes = append(sizes, math.Sqrt(g.at(j, j)))
	}
	return sizes, Running
}

// independent leaves out vectors of which nothing but roundings is left.
func independent(rest []int, g coefficients, sizes []float64) ([]int, coefficients) {
	var some, at []int
	for k, j := range rest {
		if limit := dependent * sizes[j]; g.at(k, k) > limit*limit {
			some, at = append(some, j), append(at, k)
		}
	}
	return some, g.picked(at).transposed().picked(at)
}

// pick returns some of the vectors.
func pick(v [][]float64, some []int) (picked [][]float64) {
	for _, j := range some {
		picked = append(picked, v[j])
	}
	return picked
}
