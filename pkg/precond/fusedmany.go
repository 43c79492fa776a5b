package precond

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

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
	each(func(vectors [][]float32, x []float32) { linop.Interleave(x, vectors) }, &inputs, top.f)
	c.many.run(0)
	each(linop.Separate[float32], &solutions, top.x)
}
