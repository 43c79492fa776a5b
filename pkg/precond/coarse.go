package precond

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"gonum.org/v1/gonum/mat"
)

// coarseSolver multiplies with the dense inverse of the coarsest matrix, or with its
// pseudo-inverse where that is singular.
type coarseSolver struct {
	kernels *kernels.Set
	n       int
	inverse []float64 // row after row
}

// singularBelow is the size, relative to the largest, below which an eigenvalue counts as
// zero.
const singularBelow = 1e-13

func newCoarse(m *csr.Matrix, opt Options) (coarseSolver, error) {
	n := m.Rows
	c := coarseSolver{opt.kernels.Or(), n, make([]float64, n*n)}
	for i := range n {
		cols, vals := m.Row(i)
		for k, j := range cols {
			c.inverse[i*n+int(j)] = vals[k]
		}
	}
	switch {
	case n == 0:
		return c, nil
	case !opt.Symmetric:
		if !invert(c.inverse, n, make([]int, n)) {
			return c, fmt.Errorf("%w: the coarsest matrix, of %d rows", ErrSingular, n)
		}
		return c, nil
	}
	a := mat.NewSymDense(n, c.inverse) // which reads the upper triangle
	var f mat.Cholesky
	if f.Factorize(a) && f.Cond() < 1/singularBelow {
		if err := f.InverseTo(a); err != nil {
			return c, err
		}
		for i := range n {
			for j := range i {
				c.inverse[i*n+j] = c.inverse[j*n+i]
			}
		}
		return c, nil
	}
	return c, c.pseudoInverse(a, opt)
}

// pseudoInverse inverts the part of a that belongs to positive eigenvalues.
func (c coarseSolver) pseudoInverse(a *mat.SymDense, opt Options) error {
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return fmt.Errorf("no eigenvalues of the coarsest matrix, of %d rows", c.n)
	}
	values := e.Values(nil) // ascending
	most := values[len(values)-1]
	if !(most > 0) || values[0] < -math.Sqrt(singularBelow)*most {
		return fmt.Errorf("%w: the coarsest matrix has the eigenvalues %g to %g", ErrNotDefinite, values[0], most)
	}
	var v mat.Dense
	e.VectorsTo(&v)
	null := 0
	for k, lambda := range values {
		scale := 0.0
		if lambda > singularBelow*most {
			scale = 1 / math.Sqrt(lambda)
		} else {
			null++
		}
		for i := range c.n {
			v.Set(i, k, scale*v.At(i, k))
		}
	}
	var inverse mat.Dense
	inverse.Mul(&v, v.T())
	copy(c.inverse, inverse.RawMatrix().Data)
	opt.Log(fmt.Sprintf("amg: the coarsest matrix is singular: its null space of dimension %d is left out", null))
	return nil
}

func (c coarseSolver) solve(x, b vector) {
	for i := range x {
		x[i] = c.kernels.Dot(c.inverse[i*c.n:(i+1)*c.n], b)
	}
}

// solveMany is solve for several vectors.
func (c coarseSolver) solveMany(x, b []vector) {
	for i := range c.n {
		row := c.inverse[i*c.n : (i+1)*c.n]
		for v := range x {
			x[v][i] = c.kernels.Dot(row, b[v])
		}
	}
}

// denseCholesky overwrites the lower triangle of the symmetric n x n matrix a, row
// after row, with L, A = L L^T, and reports whether A is positive definite.
func denseCholesky(a []float64, n int) bool {
	for i := range n {
		row := a[i*n : i*n+n]
		for j := range i {
			other := a[j*n : j*n+n]
			s := row[j]
			for k, v := range row[:j] {
				s -= float64(v * other[k])
			}
			row[j] = s / other[j]
		}
		d := row[i]
		for _, v := range row[:i] {
			d -= float64(v * v)
		}
		if !(d > 0) || math.IsInf(d, 0) {
			return false
		}
		row[i] = math.Sqrt(d)
	}
	return true
}

// invert overwrites the n x n matrix a, row after row, with its inverse, by
// Gauss-Jordan elimination with partial pivoting; order is n numbers of scratch.
// It reports whether a is regular and its inverse finite.
func invert(a []float64, n int, order []int) bool {
	for k := range n {
		pivot := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i*n+k]) > math.Abs(a[pivot*n+k]) {
				pivot = i
			}
		}
		order[k] = pivot
		top := a[k*n : k*n+n]
		if pivot != k {
			for j, v := range a[pivot*n : pivot*n+n] {
				a[pivot*n+j], top[j] = top[j], v
			}
		}
		d := 1 / top[k]
		if d-d != 0 {
			return false
		}
		top[k] = 1
		for j := range top {
			top[j] *= d
		}
		for i := range n {
			if i == k {
				continue
			}
			row := a[i*n : i*n+n]
			f := row[k]
			row[k] = 0
			for j, v := range top {
				row[j] -= float64(f * v)
			}
		}
	}
	for k := n - 1; k >= 0; k-- { // what exchanged rows of A exchanges columns of its inverse
		if pivot := order[k]; pivot != k {
			for i := range n {
				a[i*n+k], a[i*n+pivot] = a[i*n+pivot], a[i*n+k]
			}
		}
	}
	norm := norm1(a, n)
	return norm-norm == 0
}

// norm1 is the largest sum of magnitudes of a column.
func norm1(a []float64, n int) (most float64) {
	for j := range n {
		s := 0.0
		for i := range n {
			s += math.Abs(a[i*n+j])
		}
		most = max(most, s)
	}
	return most
}
