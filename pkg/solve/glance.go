package solve

import (
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Glances show x in the middle of a solve, which goes on unchanged; the zero value shows nothing. Ranks that share a matrix show none.
type Glances struct {
	// Request asks for x after the current iteration by each value; nil: nobody does. x of GMRES is that from before the current cycle.
	Request <-chan struct{}

	// Save is given the x of the right-hand side in progress, in the order of the matrix as given. It may keep it. It is called from the
	// goroutine of Solve, which waits.
	Save func(x []float64)
}

// glances are those of the options, of x in the order of the matrix as given.
func (s *Solver) glances() Glances {
	if s.job != nil || s.opt.Glance.Save == nil {
		return Glances{}
	}
	return Glances{s.opt.Glance.Request, func(x []float64) { s.opt.Glance.Save(s.Order.back(x)) }}
}

// glances makes a method that corrects x by z, at the exponent e, show the sum of them.
func (c *correction[V, S]) glances(opt *krylov.Options[V], x V, e int) {
	if c.glance.Request == nil || !c.refining {
		return
	}
	opt.Glance = func(z V) {
		select {
		case <-c.glance.Request:
			c.glance.Save(sum(c, x, z, e))
		default:
		}
	}
}

// sum is x corrected by z, on the host.
func sum[V any, S linop.Scalar[S]](c *correction[V, S], x, z V, e int) []float64 {
	now := c.at.New()
	defer c.at.free(now)
	c.scaling.correction(now, z, e)
	c.at.Axpy(c.at.Scalar(1), x, now)
	host := make([]float64, c.at.Dim())
	c.at.download(host, now)
	return host
}
