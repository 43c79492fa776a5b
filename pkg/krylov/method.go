package krylov

import (
	"context"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// initialise computes the first residual r = b - A x (x = 0 unless a guess is
// given), starts c, and returns r·r. A Reason other than Running means that
// there is nothing to do: b = 0 has the solution x = 0, a good guess is good
// enough, and a vector whose norm is out of range cannot be helped.
func initialise[V any, S linop.Scalar[S]](
	ctx context.Context, space linop.Space[V, S], c *convergence[V],
	a linop.Operator[V, S], x, b, r V, opt Options[V], window int,
) (rr S, reason Reason) {
	bb := space.Dot(b, b)
	if isZero(space, b, bb, r) {
		space.Zero(x)
		c.begin(ctx, opt, window, 1, 0)
		return bb, ZeroRHS
	}
	rr = bb
	if opt.Guess {
		a.Residual(r, b, x)
		rr = space.Dot(r, r)
	} else {
		space.Zero(x)
		space.Copy(r, b)
	}
	bnorm, rnorm := bb.Sqrt().Float(), rr.Sqrt().Float()
	c.begin(ctx, opt, window, bnorm, rnorm)
	least := bnorm // norm that must be told from zero
	if c.opt.Measure == nil {
		least *= c.opt.Tol
	}
	if !finite(rnorm) || !finite(bnorm) || least < leastNorm {
		return rr, NotFinite
	}
	return rr, c.judge(x, r, rnorm)
}

// confirm is called where r, which is updated along with x, meets the tolerance: it
// recomputes r = b - A x, one product, and returns r·r. The Reason is Converged if
// that meets the tolerance too, or nearly; Drift if it is hardly better than the one
// before that did not; Running if the method should go on from r.
func confirm[V any, S linop.Scalar[S]](
	space linop.Space[V, S], c *convergence[V], a linop.Operator[V, S], x, b, r V,
) (rr S, reason Reason) {
	if c.opt.Unconfirmed {
		return rr, Converged
	}
	a.Residual(r, b, x)
	rr = space.Dot(r, r)
	rnorm := rr.Sqrt().Float()
	c.result.Residual = rnorm / c.bnorm
	c.take(x, r, rnorm)
	switch {
	case !finite(rnorm):
		return rr, NotFinite
	case c.measure <= nearly*c.opt.Tol:
		return rr, Converged
	case rnorm == 0:
		return rr, Breakdown
	case !(c.measure <= c.claimed/2):
		return rr, Drift
	}
	c.restart(rnorm)
	return rr, c.limit()
}

// nearly is the multiple of the tolerance that confirms that it has been met: what
// rounding leaves of a residual that is updated.
const nearly = 2

// leastNorm is the norm below which squares of elements may vanish.
const leastNorm = 0x1p-500

// isZero reports whether v = 0, given v·v, which is zero for tiny v as well.
func isZero[V any, S linop.Scalar[S]](space linop.Space[V, S], v V, vv S, work V) bool {
	if vv.Float() != 0 {
		return false
	}
	space.Copy(work, v)
	space.Scale(space.Scalar(0x1p600), work)
	return space.Dot(work, work).Float() == 0
}

func finite(x float64) bool { return x-x == 0 }

// stagnationWindow is the number of iterations without a new least residual
// after which BiCGStab gives up. In exact arithmetic n iterations suffice; with
// rounding, plateaus can be longer than that.
func stagnationWindow(n int) int { return max(1000, 2*n) }

// cgWindow is the same for CG, which makes the error small, not the residual:
// on an ill-conditioned matrix this may stay above its starting value for many
// times n iterations, above all in a refinement step, whose right-hand side is
// what the step before found hard.
func cgWindow(n int) int { return max(1000, 10*n) }
