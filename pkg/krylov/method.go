package krylov

import (
	"context"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// initialise computes the first residual r = b - A x (x = 0 unless a guess is
// given), starts c, and returns r·r. A Reason other than Running means that
// there is nothing to do: b = 0 has the solution x = 0, a good guess is good
// enough, and a vector that is not finite cannot be helped.
func initialise[V any, S linop.Scalar[S]](
	ctx context.Context, space linop.Space[V, S], c *convergence[V],
	a linop.Operator[V, S], x, b, r V, opt Options[V], window int,
) (rr S, reason Reason) {
	bb := space.Dot(b, b)
	rr = bb
	if opt.Guess {
		a.Residual(r, b, x)
		rr = space.Dot(r, r)
	} else {
		space.Zero(x)
		space.Copy(r, b)
	}
	bnorm, rnorm := bb.Sqrt().Float(), rr.Sqrt().Float()
	if bnorm == 0 {
		space.Zero(x)
		c.begin(ctx, opt, window, 1, 0)
		return rr, ZeroRHS
	}
	c.begin(ctx, opt, window, bnorm, rnorm)
	if !finite(rnorm) || !finite(bnorm) {
		return rr, NotFinite
	}
	if c.reached(x, r, rnorm) {
		return rr, Converged
	}
	return rr, c.limit()
}

func finite(x float64) bool { return x-x == 0 }

// stagnationWindow is the number of iterations without a new least residual
// after which a method with short recurrences gives up. In exact arithmetic n
// iterations suffice; with rounding, plateaus can be longer than that.
func stagnationWindow(n int) int { return max(1000, 2*n) }
