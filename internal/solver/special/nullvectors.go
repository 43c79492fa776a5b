package special

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// rowsSumToZero reports whether the entries of every row sum to zero, but for their rounding.
func rowsSumToZero(m *csr.Matrix) bool {
	for i := range m.Rows {
		if _, vals := m.Row(i); !SumsToZero(vals) {
			return false
		}
	}
	return true
}

// SumsToZero is rowsSumToZero for one row.
func SumsToZero(vals []float64) bool {
	var sum dd.DD
	var size float64
	for _, v := range vals {
		sum = sum.Add(dd.From(v))
		size += math.Abs(v)
	}
	return size > 0 && math.Abs(sum.Float()) <= 0x1p-53*float64(len(vals))*size
}

// indicators returns for each component the vector that is 1 there and 0 elsewhere.
func indicators(count int, of []int32) [][]float64 {
	list := make([][]float64, count)
	for k := range list {
		list[k] = make([]float64, len(of))
	}
	for i, k := range of {
		list[k][i] = 1
	}
	return list
}

// nullError returns max_i |A v|_i / (sum_j |a_ij| |v|_inf).
func nullError(m *csr.Matrix, v []float64) (worst float64) {
	size := AbsMax(v)
	for i := range m.Rows {
		cols, vals := m.Row(i)
		var sum dd.DD
		var abs float64
		for k, j := range cols {
			sum = sum.AddProd(vals[k], v[j]/size)
			abs += math.Abs(vals[k])
		}
		if e := math.Abs(sum.Float()) / abs; !(e <= worst) && abs > 0 {
			worst = e
		}
	}
	return worst
}

// LeftNullError is nullError of the transpose.
func LeftNullError(m *csr.Matrix, y []float64) float64 {
	worst, _ := leftDefects(m, y)
	return worst
}

// leftDefects returns LeftNullError and |y'A|_1.
func leftDefects(m *csr.Matrix, y []float64) (worst, norm float64) {
	sums, abs := leftProduct(m, y)
	for j, s := range sums {
		defect := math.Abs(s.Float())
		norm += defect
		if e := defect / abs[j]; !(e <= worst) && abs[j] > 0 {
			worst = e
		}
	}
	return worst / AbsMax(y), norm
}

// leftProduct returns y'A and the sums of the magnitudes in the columns of A.
func leftProduct(m *csr.Matrix, y []float64) (product []dd.DD, abs []float64) {
	product, abs = make([]dd.DD, m.Cols), make([]float64, m.Cols)
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			product[j] = product[j].AddProd(vals[k], y[i])
			abs[j] += math.Abs(vals[k])
		}
	}
	return product, abs
}

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
func (n *NullSpace) orthonormal(what string, vectors [][]float64, errorOf func(*csr.Matrix, []float64) float64) ([][]float64, error) {
	var made [][]float64
	for k, v := range vectors {
		name := fmt.Sprintf("%s %d", what, k+1)
		if err := rules.CheckVector(name, v, n.a.Rows); err != nil {
			return nil, err
		}
		if AbsMax(v) == 0 {
			return nil, rules.Invalid("%s is zero", name)
		}
		e := errorOf(n.a, v)
		if !(e <= nullVectorTol) {
			return nil, rules.Invalid("%s is none of this matrix: its row-wise error is %.1e, want at most %.0e", name, e, nullVectorTol)
		}
		n.residual = max(n.residual, e)
		unit := normalized(v)
		for range 2 {
			unit = orthogonalTo(made, unit)
		}
		if norm := math.Sqrt(dot(unit, unit)); norm < dependent {
			return nil, rules.Invalid("%s depends on those before it", name)
		}
		made = append(made, normalized(unit))
	}
	if len(made) == 0 {
		return nil, rules.Invalid("there is no %s", what)
	}
	return made, nil
}

// normalized returns v / |v|_2, whatever the range of v.
func normalized(v []float64) []float64 {
	_, e := math.Frexp(AbsMax(v))
	u := make([]float64, len(v))
	for i := range v {
		u[i] = dd.Ldexp(v[i], -e)
	}
	norm := math.Sqrt(dot(u, u))
	for i := range u {
		u[i] /= norm
	}
	return u
}

// dot returns x'y, accumulated in double-double arithmetic.
func dot(x, y []float64) float64 {
	var sum dd.DD
	for i := range x {
		sum = sum.AddProd(x[i], y[i])
	}
	return sum.Float()
}

// orthogonalTo returns x less its part in the span of orthonormal vectors.
func orthogonalTo(vectors [][]float64, x []float64) []float64 {
	x = slices.Clone(x)
	_, e := math.Frexp(AbsMax(x))
	for i := range x {
		x[i] = dd.Ldexp(x[i], -e)
	}
	for _, v := range vectors {
		c := dot(v, x)
		for i := range x {
			x[i] -= c * v[i]
		}
	}
	for i := range x {
		x[i] = dd.Ldexp(x[i], e)
	}
	return x
}

// component returns the part of b in the left null space relative to the terms of A x = b, see solve.NullSpaceResult, and the y that
// contradicts x most; nil: none does.
func (n *NullSpace) component(b, x []float64) (most float64, contradicts []float64) {
	_, e := math.Frexp(max(AbsMax(b), AbsMax(x)))
	scaled := make([]float64, len(b))
	for i := range b {
		scaled[i] = dd.Ldexp(b[i], -e)
	}
	norm := dd.Ldexp(AbsMax(x), -e)
	clear := inconsistentTol
	for k, y := range n.left {
		var size float64
		for i := range y {
			size += math.Abs(y[i]) * (n.rowSums[i]*norm + math.Abs(scaled[i]))
		}
		product := math.Abs(dot(y, scaled))
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
	rows    []int
}

// pivots finds rows in which vectors are regular, by elimination. Pivots have at least half the largest magnitude; the weights
// decide among them.
func pivots(vectors [][]float64, weights []float64) basis {
	b := basis{vectors: make([][]float64, len(vectors))}
	for k := range vectors {
		b.vectors[k] = slices.Clone(vectors[k])
	}
	for k, v := range b.vectors {
		half, row := AbsMax(v)/2, 0
		best := math.Inf(-1)
		for i := range v {
			if a := math.Abs(v[i]); a >= half && a*weights[i] > best {
				row, best = i, a*weights[i]
			}
		}
		b.rows = append(b.rows, row)
		pivot := v[row]
		for i := range v {
			v[i] /= pivot
		}
		for l, w := range b.vectors {
			if c := w[row]; l != k && c != 0 {
				for i := range w {
					w[i] -= c * v[i]
				}
			}
		}
	}
	return b
}

// vanish returns x less a combination of the basis, such that it is zero in the rows of the basis.
func (b basis) vanish(x []float64) []float64 {
	y := slices.Clone(x)
	for k, v := range b.vectors {
		c := x[b.rows[k]]
		for i := range y {
			y[i] -= c * v[i]
		}
	}
	return y
}

// regularAt reports whether orthonormal vectors are regular in some rows: elimination in these rows finds pivots that are not small
// beside the vectors.
func regularAt(vectors [][]float64, rows []int) bool {
	const small = 0.05
	square := make([][]float64, len(vectors))
	for k, v := range vectors {
		scale := AbsMax(v)
		for _, i := range rows {
			square[k] = append(square[k], v[i]/scale)
		}
	}
	for k, v := range square {
		at, most := 0, 0.0
		for i := range v {
			if a := math.Abs(v[i]); a > most {
				at, most = i, a
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
