package special

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// elimination is Gaussian elimination with complete pivoting and running bounds of the roundings ([Higham02], sections 3.3 and 9.1):
// P A Q = L U, where the rest of the rows without pivots is zero to rounding, or nearly. Rows and columns may differ in scale by far more
// than 1/u: an element counts as zero beside its own roundings, not beside other rows.
type elimination struct {
	given   *csr.Matrix
	upper   [][]float64 // rows of U, in the order of A
	bounds  [][]float64 // of their roundings
	factors [][]float64 // rows of L less its diagonal
	rows    []int       // rows of pivots first, in the order of the pivots
	cols    []int       // columns of pivots
	largest []int       // of each row, the column of the largest element that may be a pivot; unknown if the row has changed
}

const unknown = -1

const (
	// sure is the ratio of a pivot that is certainly not zero to its roundings.
	sure = 0x1p20
	// nullRefinements is the number of steps that make a null vector accurate to its rounding.
	nullRefinements = 4
)

// newElimination prepares to eliminate m, which has as many rows as columns.
func newElimination(m *csr.Matrix) *elimination {
	n := m.Rows
	e := &elimination{
		given: m, upper: make([][]float64, n), bounds: make([][]float64, n), factors: make([][]float64, n), rows: make([]int, n),
		largest: make([]int, n),
	}
	for i := range n {
		e.upper[i], e.bounds[i], e.rows[i] = make([]float64, n), make([]float64, n), i
		cols, vals := m.Row(i)
		for k, j := range cols {
			e.upper[i][j] = vals[k]
		}
	}
	return e
}

// run eliminates by pivots above a size that are more than least times as large as their
// roundings, at most so many.
func (e *elimination) run(least, size float64, most int) {
	for i := range e.largest {
		e.largest[i] = unknown
	}
	for ; most > 0 && len(e.cols) < len(e.rows); most-- {
		i, j, ok := e.pivot(least, size)
		if !ok {
			return
		}
		rank := len(e.cols)
		e.rows[rank], e.rows[i] = e.rows[i], e.rows[rank]
		e.cols = append(e.cols, j)
		for _, k := range e.rows[rank+1:] {
			e.reduce(k, e.rows[rank], j)
		}
	}
}

// pivot finds the largest pivot in rows[i] and column j.
func (e *elimination) pivot(least, size float64) (i, j int, ok bool) {
	most := size
	for k := len(e.cols); k < len(e.rows); k++ {
		r := e.rows[k]
		if e.largest[r] == unknown {
			e.largest[r] = largestSure(e.upper[r], e.bounds[r], least)
		}
		l := e.largest[r]
		if v := math.Abs(e.upper[r][l]); v > most && v > least*e.bounds[r][l] {
			i, j, most = k, l, v
		}
	}
	return i, j, most > size
}

// largestSure returns the place of the largest element that is more than least times as large as its roundings.
func largestSure(row, bounds []float64, least float64) (place int) {
	most := 0.
	for l, v := range row {
		if v = math.Abs(v); v > most && v > least*bounds[l] {
			place, most = l, v
		}
	}
	return place
}

// reduce subtracts a multiple of row p from row i, such that row i becomes zero in column j.
func (e *elimination) reduce(i, p, j int) {
	row, pivot, bounds := e.upper[i], e.upper[p], e.bounds[i]
	f := row[j] / pivot[j]
	e.factors[i] = append(e.factors[i], f)
	if f == 0 {
		return
	}
	e.largest[i] = unknown
	for l, v := range pivot {
		if v == 0 {
			continue
		}
		v *= f
		row[l] -= v
		bounds[l] += rules.Roundoff * (2*math.Abs(v) + math.Abs(row[l]))
	}
	row[j], bounds[j] = 0, 0
}

// combination returns the combination y of the rows of pivots with (y'A)_j = s_j in their columns.
func (e *elimination) combination(s []float64) []float64 {
	z := make([]float64, len(e.cols)) // z'U = s'
	for l, j := range e.cols {
		z[l] = s[j]
		for k := range l {
			z[l] -= z[k] * e.upper[e.rows[k]][j]
		}
		z[l] /= e.upper[e.rows[l]][j]
	}
	y := make([]float64, len(e.rows)) // y'L = z'
	for k := len(z) - 1; k >= 0; k-- {
		y[e.rows[k]] = z[k]
		for l, f := range e.factors[e.rows[k]][:k] {
			z[l] -= z[k] * f
		}
	}
	return y
}

// leftNull returns the y with y'A = 0 in the columns of pivots and y_i = 1 in a row i without a pivot. Iterative refinement makes
// its accuracy independent of the condition of the other rows.
func (e *elimination) leftNull(i int) []float64 {
	y := make([]float64, len(e.rows))
	y[i] = 1
	for range 1 + nullRefinements {
		for k, v := range e.combination(e.leftProduct(y)) {
			y[k] -= v
		}
	}
	return y
}

// leftProduct returns y'A, accumulated in double-double arithmetic.
func (e *elimination) leftProduct(y []float64) []float64 {
	sums := make([]dd.DD, e.given.Cols)
	for i, v := range y {
		if v == 0 {
			continue
		}
		cols, vals := e.given.Row(i)
		for k, j := range cols {
			sums[j] = sums[j].AddProd(v, vals[k])
		}
	}
	product := make([]float64, len(sums))
	for j, s := range sums {
		product[j] = s.Float()
	}
	return product
}

// LeftNullVectors returns candidates for y with y'A = 0 to rounding, by elimination of the scaled matrix: for each row without a
// pivot, a vector with and a vector without small elements. At first all small elements count as zero, then only those that are small
// beside their roundings. Then the largest of these, one by one, become pivots.
func LeftNullVectors(m *csr.Matrix) (found [][]float64) {
	scaling := csr.BothScaling(m, nil)
	e := newElimination(scaling.Apply(m, nil))
	n := m.Rows
	small := float64(n) * 0x1p-50 // the largest elements are about 1
	for _, stage := range []struct {
		least, size float64
		most        int
	}{{sure, small, n}, {sure, 0, n}, {1, 0, 1}, {1, 0, 1}} {
		before := len(e.cols)
		if e.run(stage.least, stage.size, stage.most); len(e.cols) == before && found != nil {
			continue
		}
		for _, i := range e.rows[len(e.cols):] {
			y := e.leftNull(i)
			chopped := slices.Clone(y)
			chop(chopped) // small elements may be rounding, or not
			found = append(found, chopped, y)
		}
	}
	for _, y := range found {
		for k := range y {
			y[k] = dd.Ldexp(y[k], scaling.Row[k])
		}
	}
	return found
}

// smallElement is the magnitude that rounding may leave of zeros, relative to the largest elements.
const smallElement = 0x1p-46

// chop sets elements that may be rounded zeros to zero.
func chop(y []float64) {
	least := smallElement * AbsMax(y)
	for i, v := range y {
		if math.Abs(v) < least {
			y[i] = 0
		}
	}
}
