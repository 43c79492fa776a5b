package precond

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
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

// leastTogether is the number of cycles from which on they run together: any number of them then takes the time of
// kernels.ChunkVectors cycles, about the time of three separate ones.
const leastTogether = 4

// manyCycle is a cycle on kernels.ChunkVectors vectors of float32, which are interleaved.
type manyCycle struct {
	cycleOf[[]float32, float32]
	coarse coarseSolver
	b, y   []vector // f and x of the coarsest level in float64
}

// newManyCycle makes one with the matrices of c; nil if they are not all chunks of this process.
func newManyCycle(c *cycle[float32]) *manyCycle {
	if c.inner != nil {
		return nil
	}
	m := &manyCycle{coarse: c.coarse}
	wide := func(x []float32) []float32 { return make([]float32, kernels.ChunkVectors*len(x)) }
	for k := range c.levels {
		from := &c.levels[k]
		l := level[[]float32, float32]{steps: from.steps, f: wide(from.f), x: wide(from.x), t: wide(from.t), twice: from.twice, add: add[float32]}
		for _, p := range []struct {
			to   *multiplier[[]float32, float32]
			from multiplier[[]float32, float32]
		}{{&l.a, from.a}, {&l.p, from.p}, {&l.r, from.r}} {
			chunks, ok := p.from.(*chunked)
			if !ok {
				return nil
			}
			*p.to = chunks.forMany()
		}
		if l.twice {
			l.r1, l.c = wide(from.r1), wide(from.c)
		}
		m.levels = append(m.levels, l)
	}
	m.f, m.x = wide(c.f), wide(c.x)
	for range kernels.ChunkVectors {
		m.b, m.y = append(m.b, make(vector, len(c.b))), append(m.y, make(vector, len(c.y)))
	}
	m.solve = m.solveCoarsest
	return m
}

// solveCoarsest sets the solutions of the coarsest level.
func (m *manyCycle) solveCoarsest() {
	for v, b := range m.b {
		for i := range b {
			b[i] = float64(m.f[kernels.ChunkVectors*i+v])
		}
	}
	m.coarse.solveMany(m.y, m.b)
	for v, y := range m.y {
		for i, e := range y {
			m.x[kernels.ChunkVectors*i+v] = float32(e)
		}
	}
}

// ForkWaiting is Fork; where the copy needs a cycle, it calls wait with itself, in which the caller calls Together.
func (c *fusedCycle) ForkWaiting(wait func(copy Preconditioner)) Preconditioner {
	fork := c.Fork().(*fusedCycle)
	fork.wait = wait
	return fork
}

// Together runs the cycles that copies wait for, with the bits of one after the other. The matrices of all levels are then
// read and decoded once.
func (c *fusedCycle) Together(copies []Preconditioner) {
	for len(copies) > kernels.ChunkVectors {
		c.Together(copies[:kernels.ChunkVectors])
		copies = copies[kernels.ChunkVectors:]
	}
	if len(copies) >= leastTogether && c.many == nil && !c.alone {
		c.many = newManyCycle(c.cycle)
		c.alone = c.many == nil
	}
	if len(copies) < leastTogether || c.alone {
		for _, p := range copies {
			p.(*fusedCycle).runAlone()
		}
		return
	}
	var inputs, solutions [kernels.ChunkVectors][]float32
	for v, p := range copies {
		fork := p.(*fusedCycle)
		inputs[v], solutions[v] = fork.input, fork.x
	}
	top := &c.many.levels[0]
	each := func(do func(vectors [][]float32, x []float32), all *[kernels.ChunkVectors][]float32, x []float32) {
		bounds := evenly(len(c.input), convertRows)
		c.cycle.pool.RunRanges(bounds, func(_, lo, hi int) {
			var parts [kernels.ChunkVectors][]float32
			for v := range copies {
				parts[v] = all[v][lo:hi]
			}
			do(parts[:], x[kernels.ChunkVectors*lo:kernels.ChunkVectors*hi])
		})
	}
	each(func(vectors [][]float32, x []float32) { kernels.Interleave(x, vectors) }, &inputs, top.f)
	c.many.run(0)
	each(kernels.Separate[float32], &solutions, top.x)
}
