package solve

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// elimination is Gaussian elimination of a matrix with complete pivoting ([Higham02], chapter 9):
// with R rows and columns of pivots, P A Q = L U, and the other rows are zero to rounding.
type elimination struct {
	given   [][]float64 // the matrix
	upper   [][]float64 // rows of U, those of A in place
	factors [][]float64 // rows of L less its diagonal, likewise
	rows    []int       // those of pivots first, in their order
	cols    []int       // of pivots
}

// eliminate eliminates a dense square matrix until what is left is no larger than roundings of
// elements of about 1.
func eliminate(given [][]float64) *elimination {
	n := len(given)
	e := &elimination{given: given, upper: make([][]float64, n), factors: make([][]float64, n), rows: make([]int, n)}
	for i, row := range given {
		e.upper[i], e.rows[i] = slices.Clone(row), i
	}
	for len(e.cols) < n {
		i, j, largest := e.largest()
		if largest <= float64(n)*0x1p-50 {
			break
		}
		rank := len(e.cols)
		e.rows[rank], e.rows[i] = e.rows[i], e.rows[rank]
		e.cols = append(e.cols, j)
		e.reduce(e.upper[e.rows[rank]], e.rows[rank+1:], j)
	}
	return e
}

// largest finds the next pivot, in row rows[i] and column j.
func (e *elimination) largest() (i, j int, most float64) {
	for k := len(e.cols); k < len(e.rows); k++ {
		for l, v := range e.upper[e.rows[k]] {
			if v = math.Abs(v); v > most {
				i, j, most = k, l, v
			}
		}
	}
	return i, j, most
}

// reduce subtracts multiples of a row of pivots from others, so that column j of these is zero.
func (e *elimination) reduce(pivot []float64, rows []int, j int) {
	for _, i := range rows {
		row := e.upper[i]
		f := row[j] / pivot[j]
		e.factors[i] = append(e.factors[i], f)
		if f == 0 {
			continue
		}
		for l, v := range pivot {
			row[l] -= f * v
		}
		row[j] = 0
	}
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
		for l, f := range e.factors[e.rows[k]] {
			z[l] -= z[k] * f
		}
	}
	return y
}

// nullRefinements is the number of steps that make a null vector accurate to its rounding.
const nullRefinements = 4

// leftNull returns the y with y'A = 0 in the columns of pivots and y_i = 1 in a row that has none,
// improved by iterative refinement: the condition of the other rows does not limit its accuracy.
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
	sums := make([]dd.DD, len(e.rows))
	for i, v := range y {
		if v == 0 {
			continue
		}
		for j, a := range e.given[i] {
			if a != 0 {
				sums[j] = sums[j].AddProd(v, a)
			}
		}
	}
	product := make([]float64, len(sums))
	for j, s := range sums {
		product[j] = s.Float()
	}
	return product
}

// leftNullVectors returns the y with y'A = 0 to rounding that elimination of the scaled matrix
// finds, one for each row that is eliminated to zero, as they are and without their small elements.
func leftNullVectors(m *csr.Matrix) (found [][]float64) {
	scaling := csr.BothScaling(m, nil)
	dense := make([][]float64, m.Rows)
	for i := range dense {
		dense[i] = make([]float64, m.Cols)
		cols, vals := m.Row(i)
		for k, j := range cols {
			dense[i][j] = csr.Ldexp(vals[k], scaling.Row[i]+scaling.Col[j])
		}
	}
	e := eliminate(dense)
	for _, i := range e.rows[len(e.cols):] {
		y := e.leftNull(i)
		chopped := slices.Clone(y)
		chop(chopped) // what is left of small elements may be rounding, or not
		found = append(found, chopped, y)
	}
	for _, y := range found {
		for k := range y {
			y[k] = csr.Ldexp(y[k], scaling.Row[k])
		}
	}
	return found
}

// chop sets what rounding left of zeros to zero.
func chop(y []float64) {
	least := 0x1p-46 * absMax(y)
	for i, v := range y {
		if math.Abs(v) < least {
			y[i] = 0
		}
	}
}
