package solve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

type (
	vector = []float64
	scalar = linop.Float64
	method = krylov.Method[vector, scalar]
)

// correction solves A d = r as the scaled system
//
//	(s D_r A D_c) z = s D_r r / 2^e,  d = 2^e D_c z
//
// where s = -1 makes a matrix with a negative diagonal positive definite, and
// 2^e is the magnitude of the right-hand side, so that no inner product over-
// or underflows.
type correction struct {
	attempts     []*attempt
	current      int // the one in use
	scaling      csr.Scaling
	sign         float64
	first        Storage                       // of the matrix, to begin with
	matrix       stored                        // s D_r A D_c, in reduced precision
	scaled       *linop.Timed[vector, scalar]  // the same, timed
	store        func(Storage) (stored, error) // stores it in another precision
	precondition func(candidate) (*preconditioner, error)
	made         map[candidate]*preconditioner // by precondition so far; nil: it failed
	settingUp    time.Duration                 // these
	measure      *measure
	innerTol     float64
	log          func(string)
	loop         loop // over the unknowns

	rhs, z       vector // of the scaled system
	fullX, fullR vector // x + d and the residual, unscaled, for the measure
}

// Correct implements krylov.Corrector.
func (c *correction) Correct(ctx context.Context, d, r, x vector, goal krylov.Goal) krylov.Result {
	e := c.scaleResidual(r)
	opt := krylov.Options[vector]{
		Tol: goal.To, MaxIter: goal.MaxIter, Monitor: goal.Monitor,
		Unconfirmed: true, // refinement recomputes the residual
		Measure: func(z, rhs vector) float64 {
			c.loop.each(func(j int) {
				c.fullX[j] = x[j] + csr.Ldexp(z[j], e+c.scaling.Col[j])
				c.fullR[j] = csr.Ldexp(rhs[j], e-c.scaling.Row[j])
			})
			m := c.measure.of(c.fullX, c.fullR)
			if m > goal.To && m <= storageFloor*c.storageError(z, e) {
				return goal.To // as good as it gets
			}
			return m
		},
	}
	if c.innerTol > 0 {
		opt.Tol = max(opt.Tol, c.innerTol*goal.From)
	}
	a := c.attempt()
	if p := c.made[a.candidate]; p != nil {
		opt.Precond, opt.Flexible = p, precond.Varies(p.Preconditioner)
	}
	onTrial := !a.last && goal.MaxIter > trialIterations
	if onTrial {
		opt.MaxIter = trialIterations
	}
	result := a.method.Solve(ctx, c.scaled, c.z, c.rhs, opt)
	if onTrial && result.Reason == krylov.IterationLimit {
		result.Reason = krylov.Stagnation
		if result.Measure <= trialReduction*goal.From {
			result.Reason = krylov.Converged // as far as this step is to
		}
	}
	c.loop.each(func(j int) { d[j] = csr.Ldexp(c.z[j], e+c.scaling.Col[j]) })
	return result
}

// A preconditioner after which another may be tried has trialIterations to reduce
// the measure by trialReduction.
const (
	trialIterations = 1000
	trialReduction  = 0.1
)

// storageFloor is the share of the storage error to which a correction is worth
// being solved for.
const storageFloor = 0.25

// storageError is what the measure of x + d would be, d = 2^e D_c z, if the
// residual were what the stored matrix may make of z,
//
//	|(A - A~) z|_i ~ theta_i ||z||_inf.
//
// It uses c.fullX = x + d and overwrites c.fullR.
func (c *correction) storageError(z vector, e int) float64 {
	if c.matrix.theta == nil {
		return 0
	}
	norm := c.loop.absMax(z)
	c.loop.each(func(i int) { c.fullR[i] = csr.Ldexp(c.matrix.theta(i)*norm, e-c.scaling.Row[i]) })
	return c.measure.of(c.fullX, c.fullR)
}

// scaleResidual sets c.rhs = s D_r r / 2^e and returns e. The exponents are
// joined before they are applied, so that nothing over- or underflows on the
// way.
func (c *correction) scaleResidual(r vector) (e int) {
	e = math.MinInt32 // for r = 0, which stays 0
	for _, top := range c.loop.parts(func(lo, hi int) float64 {
		top := math.MinInt32
		for i := lo; i < hi; i++ {
			if v := r[i]; v != 0 {
				top = max(top, csr.Exponent(v)+c.scaling.Row[i])
			}
		}
		return float64(top)
	}) {
		e = max(e, int(top))
	}
	c.loop.each(func(i int) { c.rhs[i] = c.sign * csr.Ldexp(r[i], c.scaling.Row[i]-e) })
	return e
}

// Escalate implements krylov.Corrector: the matrix is stored more accurately
// or, when it is in FP64, the next method takes over.
func (c *correction) Escalate(reason krylov.Reason) bool {
	stopped := fmt.Sprintf("%s stopped (%s)", c.attempt(), reason)
	if !c.matrix.storage.plain() && reason != krylov.IndefinitePreconditioner {
		matrix, err := c.store(c.matrix.storage.next(reason))
		if err != nil {
			return false // cannot be: what was stored once can be stored more accurately
		}
		c.use(matrix)
		c.log(fmt.Sprintf("%s: continuing with %v", stopped, matrix.storage))
		return true
	}
	if c.current == len(c.attempts)-1 || c.enter(c.current+1) != nil {
		return false
	}
	c.log(fmt.Sprintf("%s: continuing with %s", stopped, c.attempt()))
	return true
}

// enter goes to attempt k, or to the first after it whose preconditioner can be set
// up.
func (c *correction) enter(k int) error {
	for ; ; k++ {
		a := c.attempts[k]
		p, known := c.made[a.candidate]
		if !known && a.kind != precond.None {
			var err error
			start := time.Now()
			p, err = c.precondition(a.candidate)
			c.settingUp += time.Since(start)
			if errors.Is(err, precond.ErrInterrupted) { // there will be no iterations either
				c.log(fmt.Sprintf("precond %v", err))
				k, err = c.unpreconditioned(), nil
				a = c.attempts[k]
			}
			if err != nil {
				if k == len(c.attempts)-1 || a.last {
					return err
				}
				c.made[a.candidate] = nil
				for c.attempts[k+1].kind == a.kind { // fails as well; another kind comes last
					k++
					c.made[c.attempts[k].candidate] = nil
				}
				c.log(fmt.Sprintf("precond %v: trying %s", err, c.attempts[k+1].candidate))
				continue
			}
			c.made[a.candidate] = p
		}
		if p != nil || a.kind == precond.None {
			c.current = k
			return nil
		}
	}
}

// unpreconditioned is the attempt without a preconditioner; it is added if there is
// none.
func (c *correction) unpreconditioned() int {
	for k, a := range c.attempts {
		if a.kind == precond.None {
			return k
		}
	}
	c.attempts = append(c.attempts, &attempt{c.attempt().method, candidate{kind: precond.None}, true})
	return len(c.attempts) - 1
}

// use makes matrix the one that the method multiplies with.
func (c *correction) use(matrix stored) {
	c.matrix = matrix
	c.scaled.Operator = matrix.Operator
}

// Patience implements krylov.Corrector. With a matrix in reduced precision a
// step is to reduce the measure tenfold: two that do not, or one that does not
// even halve it, show that a more accurate matrix takes less work.
func (c *correction) Patience(reduction float64) int {
	switch {
	case c.matrix.storage.plain():
		return krylov.DefaultPatience(reduction)
	case reduction <= 0.1:
		return -1
	case reduction <= 0.5:
		return 1
	}
	return 0
}

// begin goes back to the first method and the first precision, so that what a
// right-hand side gets does not depend on those before it.
func (c *correction) begin() error {
	if err := c.enter(0); err != nil {
		return err
	}
	if c.matrix.storage.same(c.first) {
		return nil
	}
	matrix, err := c.store(c.first)
	if err == nil {
		c.use(matrix)
	}
	return err
}

func (c *correction) attempt() *attempt { return c.attempts[c.current] }

// applications counts and times those of all preconditioners so far.
func (c *correction) applications() (count int, elapsed time.Duration) {
	for _, p := range c.made {
		if p != nil {
			count += p.count
			elapsed += p.elapsed
		}
	}
	return count, elapsed
}

// precondResult says what the preconditioner in use is.
func (c *correction) precondResult(epsilon float64) PrecondResult {
	p := c.made[c.attempt().candidate]
	if p == nil {
		return PrecondResult{Kind: precond.None, Text: string(precond.None)}
	}
	if epsilon == 0 {
		epsilon = precond.DefaultEpsilon
	}
	return PrecondResult{Kind: p.kind, Text: p.String(), Epsilon: epsilon, Cost: p.Cost(), Setup: p.setup}
}
