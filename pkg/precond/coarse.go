package precond

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"gonum.org/v1/gonum/mat"
)

// coarseSolver solves on the coarsest level with a dense inverse.
type coarseSolver struct {
	n       int
	inverse []float64
	x, b    vector
}

func newCoarse(m *csr.Matrix, opt Options) (coarseSolver, error) {
	n := m.Rows
	c := coarseSolver{n: n, x: make(vector, n), b: make(vector, n)}
	d := mat.NewSymDense(n, nil)
	for i := range n {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if int(j) >= i {
				d.SetSym(i, int(j), vals[k])
			}
		}
	}
	var f mat.Cholesky
	if !f.Factorize(d) {
		return c, ErrSingular
	}
	inv := mat.NewSymDense(n, nil)
	if err := f.InverseTo(inv); err != nil {
		return c, err
	}
	c.inverse = make([]float64, n*n)
	for i := range n {
		for j := range n {
			c.inverse[i*n+j] = inv.At(i, j)
		}
	}
	return c, nil
}

func (c *coarseSolver) solve(x, b vector) {
	for i := range x {
		x[i] = kernels.Dot(c.inverse[i*c.n:(i+1)*c.n], b)
	}
}
