package krylov

import (
	"math"
	"slices"
)

// coefficients is a small dense matrix, row by row.
type coefficients struct {
	rows, cols int
	a          []float64
}

func newCoefficients(rows, cols int) coefficients {
	return coefficients{rows, cols, make([]float64, rows*cols)}
}

func (m coefficients) at(i, j int) float64     { return m.a[i*m.cols+j] }
func (m coefficients) set(i, j int, v float64) { m.a[i*m.cols+j] = v }
func (m coefficients) clone() coefficients     { return coefficients{m.rows, m.cols, slices.Clone(m.a)} }

func (m coefficients) column(j int) (c []float64) {
	for i := range m.rows {
		c = append(c, m.at(i, j))
	}
	return c
}

// times is the product with o.
func (m coefficients) times(o coefficients) coefficients {
	p := newCoefficients(m.rows, o.cols)
	for i := range m.rows {
		for j := range o.cols {
			s := 0.0
			for k := range m.cols {
				s += float64(m.at(i, k) * o.at(k, j))
			}
			p.set(i, j, s)
		}
	}
	return p
}

// scaled is a times m.
func (m coefficients) scaled(a float64) coefficients {
	p := newCoefficients(m.rows, m.cols)
	for k, v := range m.a {
		p.a[k] = a * v
	}
	return p
}

func (m coefficients) transposed() coefficients {
	t := newCoefficients(m.cols, m.rows)
	for i := range m.rows {
		for j := range m.cols {
			t.set(j, i, m.at(i, j))
		}
	}
	return t
}

// picked are some of the columns.
func (m coefficients) picked(columns []int) coefficients {
	p := newCoefficients(m.rows, len(columns))
	for i := range m.rows {
		for k, j := range columns {
			p.set(i, k, m.at(i, j))
		}
	}
	return p
}

// cholesky factors a symmetric matrix with a diagonal of ones by Cholesky's method with pivoting ([Higham02], section 10.3), as far as
// pivots exceed least: column k of U belongs to column order[k], G = U^T U in the first rank rows and columns, and the rest
// of U's first rank rows is what these contribute to the other columns. The matrix is overwritten; pivot is the largest one that is left.
func (m coefficients) cholesky(least float64) (u coefficients, order []int, rank int, pivot float64) {
	n := m.rows
	u = newCoefficients(n, n)
	for k := range n {
		order = append(order, k)
	}
	for k := range n {
		best := k
		for j := k; j < n; j++ {
			if m.at(order[j], order[j]) > m.at(order[best], order[best]) {
				best = j
			}
		}
		if pivot = m.at(order[best], order[best]); !(pivot > least) {
			return u, order, k, pivot
		}
		order[k], order[best] = order[best], order[k]
		for i := range k {
			a, b := u.at(i, k), u.at(i, best)
			u.set(i, k, b)
			u.set(i, best, a)
		}
		root := math.Sqrt(pivot)
		u.set(k, k, root)
		for j := k + 1; j < n; j++ {
			u.set(k, j, m.at(order[k], order[j])/root)
		}
		for i := k + 1; i < n; i++ {
			for j := k + 1; j < n; j++ {
				m.set(order[i], order[j], m.at(order[i], order[j])-float64(u.at(k, i)*u.at(k, j)))
			}
		}
	}
	return u, order, n, 0
}

// inverseUpper is the inverse of the upper triangle of the first n rows and columns.
func (m coefficients) inverseUpper(n int) coefficients {
	v := newCoefficients(n, n)
	for j := range n {
		v.set(j, j, 1/m.at(j, j))
		for i := j - 1; i >= 0; i-- {
			s := 0.0
			for k := i + 1; k <= j; k++ {
				s += float64(m.at(i, k) * v.at(k, j))
			}
			v.set(i, j, -s/m.at(i, i))
		}
	}
	return v
}

// unitDiagonal scales a symmetric matrix by its diagonal, whose roots it returns; ok: the diagonal is positive and finite.
func (m coefficients) unitDiagonal() (roots []float64, ok bool) {
	for i := range m.rows {
		d := m.at(i, i)
		if !(d > 0) || math.IsInf(d, 1) {
			return nil, false
		}
		roots = append(roots, math.Sqrt(d))
	}
	for i := range m.rows {
		for j := range m.cols {
			m.set(i, j, m.at(i, j)/roots[i]/roots[j])
		}
		m.set(i, i, 1)
	}
	return roots, true
}

// identity returns the identity of n rows.
func identity(n int) coefficients {
	m := newCoefficients(n, n)
	for i := range n {
		m.set(i, i, 1)
	}
	return m
}

// worstPivot is the least one of a Gram matrix with a diagonal of ones whose vectors need not be made orthonormal.
const worstPivot = 1e-2

// wellConditioned reports whether a Gram matrix is so and its vectors are of about the same size.
func (m coefficients) wellConditioned() bool {
	c := m.clone()
	roots, ok := c.unitDiagonal()
	if !ok || slices.Min(roots) < worstPivot*slices.Max(roots) || slices.Max(roots) < worstPivot {
		return false
	}
	_, _, rank, _ := c.cholesky(worstPivot)
	return rank == m.rows
}

// leastPivot is the least pivot, for a matrix with a diagonal of ones, that roundings do not decide.
const leastPivot = 1e-14

// inverseDefinite is the inverse of a symmetric matrix. The Reason is Running; Indefinite if it is not positive definite,
// Breakdown if roundings decide whether it is, NotFinite.
func (m coefficients) inverseDefinite() (coefficients, Reason) {
	for _, v := range m.a {
		if !finite(v) {
			return m, NotFinite
		}
	}
	m = m.clone()
	roots, ok := m.unitDiagonal()
	if !ok {
		return m, Indefinite
	}
	u, order, rank, pivot := m.cholesky(leastPivot)
	switch {
	case rank < m.rows && pivot < -leastPivot:
		return m, Indefinite
	case rank < m.rows:
		return m, Breakdown
	}
	v := u.inverseUpper(rank)
	w := v.times(v.transposed())
	inverse := newCoefficients(rank, rank)
	for i, k := range order {
		for j, l := range order {
			inverse.set(k, l, w.at(i, j)/roots[k]/roots[l])
		}
	}
	return inverse, Running
}

// basis returns orthonormal columns that span the columns of m, by Gram-Schmidt, twice.
func (m coefficients) basis() coefficients {
	t := newCoefficients(m.cols, m.rows) // row by row what will be the columns
	rank := 0
	for j := range m.cols {
		c := m.column(j)
		size := norm2(c)
		for range 2 {
			for k := range rank {
				row := t.a[k*m.rows:][:m.rows]
				dot := 0.0
				for i, v := range row {
					dot += float64(v * c[i])
				}
				for i, v := range row {
					c[i] -= float64(dot * v)
				}
			}
		}
		left := norm2(c)
		if !(left > dependent*size) {
			continue
		}
		for i, v := range c {
			t.a[rank*m.rows+i] = v / left
		}
		rank++
	}
	return coefficients{rank, m.rows, t.a[:rank*m.rows]}.transposed()
}

func norm2(c []float64) float64 {
	s := 0.0
	for _, v := range c {
		s += float64(v * v)
	}
	return math.Sqrt(s)
}
