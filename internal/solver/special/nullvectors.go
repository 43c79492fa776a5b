package special

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// largestIn returns the largest magnitude in row i of some vectors.
func largestIn(vectors [][]float64, i int) (most float64) {
	for _, v := range vectors {
		most = max(most, math.Abs(v[i]))
	}
	return most
}

// dependent is the least norm of a unit vector less its part in the span of the vectors before it.
const dependent = 1e-8

// orthonormal returns an orthonormal basis of the span of vectors, by the Gram-Schmidt process, done twice. The error says
// which vector exceeds nullVectorTol or depends on the vectors before it; what names the vectors.
func (n *NullSpace) orthonormal(what string, vectors [][]float64, errorOf func(v []float64) float64) ([][]float64, error) {
	var made [][]float64
	for k, v := range vectors {
		name := fmt.Sprintf("%s %d", what, k+1)
		if n.a.AbsMax(v) == 0 {
			return nil, rules.Invalid("%s is zero", name)
		}
		e := errorOf(v)
		if !(e <= nullVectorTol) {
			return nil, rules.Invalid("%s is none of this matrix: its row-wise error is %.1e, want at most %.0e", name, e, nullVectorTol)
		}
		n.residual = max(n.residual, e)
		unit := n.a.normalized(v)
		for range 2 {
			unit = n.a.orthogonalTo(made, unit)
		}
		if norm := math.Sqrt(n.a.dot(unit, unit)); norm < dependent {
			return nil, rules.Invalid("%s depends on those before it", name)
		}
		made = append(made, n.a.normalized(unit))
	}
	if len(made) == 0 {
		return nil, rules.Invalid("there is no %s", what)
	}
	return made, nil
}

// given returns vectors of the caller as vectors of the matrix.
func (n *NullSpace) given(what string, vectors [][]float64) (all [][]float64, err error) {
	for k, v := range vectors {
		if err := n.a.check(fmt.Sprintf("%s %d", what, k+1), v); err != nil {
			return nil, err
		}
		all = append(all, n.a.spread(v))
	}
	return all, nil
}

// component returns the part of b in the left null space relative to the terms of A x = b, see solve.NullSpaceResult, and the y that
// contradicts x most; nil: none does.
func (n *NullSpace) component(b, x []float64) (most float64, contradicts []float64) {
	largest := n.a.AbsMax(x)
	_, e := math.Frexp(max(n.a.AbsMax(b), largest))
	scaled := n.a.each(n.a.New(), func(i int) float64 { return dd.Ldexp(b[i], -e) })
	norm := dd.Ldexp(largest, -e)
	clear := inconsistentTol
	for k, y := range n.left {
		size := n.a.total(func(i int) float64 { return math.Abs(y[i]) * (n.rowSums[i]*norm + math.Abs(scaled[i])) })
		product := math.Abs(n.a.dot(y, scaled))
		most = max(most, product/size)
		if c := (product - inconsistentDefects*n.defects[k]*norm) / size; c > clear {
			clear, contradicts = c, y
		}
	}
	return most, contradicts
}

// basis is a basis of the span of vectors that is the unit matrix in some rows.
type basis struct {
	vectors [][]float64
	rows    []int64
}

// pivots finds rows in which vectors are regular, by elimination. Pivots have at least half the largest magnitude; the weights
// decide among them.
func (a parted) pivots(vectors [][]float64, weights []float64) basis {
	b := basis{vectors: make([][]float64, len(vectors))}
	for k := range vectors {
		b.vectors[k] = slices.Clone(vectors[k])
	}
	for k, v := range b.vectors {
		half := a.AbsMax(v) / 2
		row := a.first(func(i int) float64 {
			if v := math.Abs(v[i]); v >= half {
				return v * weights[i]
			}
			return math.Inf(-1)
		})
		b.rows = append(b.rows, row)
		pivot := a.at(v, row)
		a.each(v, func(i int) float64 { return v[i] / pivot })
		for l, w := range b.vectors {
			if c := a.at(w, row); l != k && c != 0 {
				a.each(w, func(i int) float64 { return w[i] - float64(c*v[i]) })
			}
		}
	}
	return b
}

// vanish returns x less a combination of a basis, such that it is zero in the rows of the basis.
func (a parted) vanish(b basis, x []float64) []float64 {
	y := slices.Clone(x)
	for k, v := range b.vectors {
		c := a.at(x, b.rows[k])
		a.each(y, func(i int) float64 { return y[i] - float64(c*v[i]) })
	}
	return y
}

// regularAt reports whether orthonormal vectors are regular in some rows: elimination in these rows finds pivots that are not small
// beside the vectors.
func (a parted) regularAt(vectors [][]float64, rows []int64) bool {
	const small = 0.05
	square := make([][]float64, len(vectors))
	for k, v := range vectors {
		scale := a.AbsMax(v)
		for _, i := range rows {
			square[k] = append(square[k], a.at(v, i)/scale)
		}
	}
	for k, v := range square {
		at, most := 0, 0.0
		for i := range v {
			if size := math.Abs(v[i]); size > most {
				at, most = i, size
			}
		}
		if most < small {
			return false
		}
		for _, w := range square[k+1:] {
			c := w[at] / v[at]
			for i := range w {
				w[i] -= c * v[i]
			}
		}
	}
	return true
}

// weights returns the roots of the sums of magnitudes in the rows.
func (n *NullSpace) weights() []float64 {
	w := make([]float64, len(n.rowSums))
	for i, sum := range n.rowSums {
		w[i] = math.Sqrt(sum)
	}
	return w
}

// AbsMax returns the largest magnitude.
func AbsMax(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}

// components returns the connected components of the graph of a square matrix, in which i
// and j are joined if a_ij or a_ji is stored: their number, and that of each row. They are
// numbered in the order of their first rows.
func components(m *csr.Matrix) (count int, of []int32) {
	parent := make([]int32, m.Rows) // a forest; roots are their own parents
	for i := range parent {
		parent[i] = int32(i)
	}
	root := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for i := range m.Rows {
		cols, _ := m.Row(i)
		for _, j := range cols {
			// The smaller one becomes the root, so that roots are first rows.
			if a, b := root(int32(i)), root(j); a < b {
				parent[b] = a
			} else {
				parent[a] = b
			}
		}
	}
	of = parent
	for i := range parent {
		if p := parent[i]; p == int32(i) {
			of[i] = int32(count)
			count++
		} else {
			of[i] = of[p] // p < i, and so has its number
		}
	}
	return count, of
}
