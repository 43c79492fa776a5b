package checkpoint

import (
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Taken implements solve.Checkpoint: a Solver has taken it, or Read has read it.
type Taken struct {
	identity identity
	solved   []solve.Result // the right-hand sides that are done
	systems  []digest       // checksums of these right-hand sides, and of the one in progress if there is one
	Current  *Progress      // of the right-hand side in progress; nil: at its beginning

	gather func(k int) ([]float64, error) // returns the k-th vector, which ranks share; nil: this rank has all vectors
}

// Threads returns the number of threads of the Solver.
func (c *Taken) Threads() int { return c.identity.Threads }

// MaxMemory returns Options.MaxMemory of the Solver.
func (c *Taken) MaxMemory() int64 { return c.identity.MaxMemory }

// Solved returns how many right-hand sides are done.
func (c *Taken) Solved() int { return len(c.solved) }

// Iterations returns how many iterations the right-hand side in progress has had.
func (c *Taken) Iterations() int {
	if c.Current == nil {
		return 0
	}
	return c.Current.iterations()
}

// Progress is the state of the solve with one right-hand side.
type Progress struct {
	Used     refine.Used
	Position refine.Position

	// The state before a step of refinement or of its method; or Finished, with the last X.
	Steps, Method *krylov.State[vector] // Method nil: the method is at its beginning
	Finished      *krylov.Result
	X             vector // in the order chosen
}

// iterations returns the number of iterations so far.
func (p *Progress) iterations() int {
	if p.Finished != nil {
		return p.Finished.Iterations
	}
	n := p.Steps.Result.Iterations
	if p.Method != nil {
		n += p.Method.Result.Iterations
	}
	return n
}

// Vectors of the host.
type (
	vector = []float64
	scalar = linop.Float64
)
