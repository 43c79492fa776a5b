package refine

import (
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// glances makes a method that corrects x by z, at the exponent e, show the sum of them.
func (c *Correction[V, S]) glances(opt *krylov.Options[V], x V, e int) {
	if c.glance.Request == nil || !c.refining {
		return
	}
	opt.Snapshot = func(z V) {
		select {
		case <-c.glance.Request:
			c.glance.Save(sum(c, x, z, e))
		default:
		}
	}
}

// sum is x corrected by z, on the host.
func sum[V any, S linop.Scalar[S]](c *Correction[V, S], x, z V, e int) []float64 {
	now := c.At.New()
	defer c.At.GiveBack(now)
	c.Scaling.Correction(now, z, e)
	c.At.Axpy(c.At.Scalar(1), x, now)
	host := make([]float64, c.At.Dim())
	c.At.ToHost(host, now)
	return host
}

// glances are those of the options, of x in the order of the matrix as given.
func glances(s *choice.System) solve.Snapshots {
	if s.Job != nil || s.Opt.Snapshot.Save == nil {
		return solve.Snapshots{}
	}
	return solve.Snapshots{Request: s.Opt.Snapshot.Request, Save: func(x []float64) { s.Opt.Snapshot.Save(s.Order.Back(x)) }}
}
