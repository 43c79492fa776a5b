package precond

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// fusedCycle is a linear, symmetric cycle on vectors of float32 that does the passes of
// conjugate gradients (krylov.FusedPreconditioner): what updates the residual r writes the
// right-hand side f = S r, r·M^-1 r is f·x, and the direction is made from S x, where x is the
// solution of the cycle; z = M^-1 r is never stored.
//
// Where float32 could over- or underflow, z is stored and made by Apply, which scales.
type fusedCycle struct {
	*multigrid
	*cycle[float32]
	space linop.Host
	input []float32 // f
	x     []float32 // the solution of the cycle
	r     vector    // the residual that it belongs to, r·r = rr
	rr    scalar
	z     vector    // of residuals that must be scaled, or nil
	scale bool      // such a one
	apart []float32 // right-hand side of Apply

	wait  func(copy Preconditioner) // of a fork: for what Together does; nil: it runs its cycles itself
	many  *manyCycle                // of Together
	alone bool                      // there is none
}

// fuse makes a fusedCycle of g if it can be one.
func fuse(g *multigrid, s *setup) Preconditioner {
	c, ok := g.cycles.(*cycle[float32])
	if !ok || g.varies || !s.Symmetric || &c.left[0] != &c.root[0] {
		return g
	}
	return newFusedCycle(g, c, s.space(len(c.root)))
}

// newFusedCycle makes one of g, whose cycles are c, for vectors of a space.
func newFusedCycle(g *multigrid, c *cycle[float32], space linop.Host) *fusedCycle {
	return &fusedCycle{multigrid: g, cycle: c, space: space, input: c.levels[0].f, x: c.levels[0].x}
}

// Fork returns another cycle with the same M^-1, for a solve that takes turns with others.
func (c *fusedCycle) Fork() Preconditioner {
	l := &c.cycle.levels[0]
	return &fusedCycle{multigrid: c.multigrid, cycle: c.cycle, space: c.space, input: make([]float32, len(l.f)), x: make([]float32, len(l.x))}
}

// with makes the cycle one from f to the own x.
func (c *fusedCycle) with(f []float32) {
	l := &c.cycle.levels[0]
	l.f, l.x = f, c.x
}

// Apply computes dst = M^-1 src, with a right-hand side of its own.
func (c *fusedCycle) Apply(dst, src []float64) {
	if c.apart == nil {
		c.apart = make([]float32, len(c.input))
	}
	c.with(c.apart)
	c.cycle.Apply(dst, src)
}

// Input implements krylov.FusedPreconditioner.
func (c *fusedCycle) Input(r vector, rr scalar) {
	c.r, c.rr = r, rr
	c.space.Input32(c.root, r, c.f32(c.input))
}

// f32 returns the elements of a padded vector.
func (c *fusedCycle) f32(x []float32) []float32 { return x[:len(c.root)] }

// StepInput implements krylov.FusedPreconditioner.
func (c *fusedCycle) StepInput(a scalar, p, x, q, r vector) scalar {
	c.r, c.rr = r, c.space.StepInput32(a, p, x, q, r, c.root, c.f32(c.input))
	return c.rr
}

// ApplyInput implements krylov.FusedPreconditioner.
func (c *fusedCycle) ApplyInput() scalar {
	c.scale = false
	if norm := math.Sqrt(float64(c.rr)); norm == norm && norm != 0 && !(norm > leastInput && norm < mostInput) {
		if c.scale = true; c.z == nil {
			c.z = c.space.New()
		}
		c.Apply(c.z, c.r)
		return c.space.Dot(c.r, c.z)
	}
	if c.wait != nil {
		c.wait(c)
	} else {
		c.runAlone()
	}
	return c.space.Dot32(c.f32(c.input), c.f32(c.x))
}

// runAlone runs the cycle for the input.
func (c *fusedCycle) runAlone() {
	c.with(c.input)
	c.run(0)
}

// Direction implements krylov.FusedPreconditioner.
func (c *fusedCycle) Direction(b scalar, p vector) {
	if c.scale {
		c.space.Xpay(c.z, b, p)
		return
	}
	c.space.Direction32(c.root, c.f32(c.x), b, p)
}
