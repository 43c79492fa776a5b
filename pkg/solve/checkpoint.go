package solve

import (
	"time"

	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// Checkpoints configure what a Solver keeps of its work, so that a later one goes on from
// there and ends with the same bits; the zero value is none. What is kept is where the solve
// is: x, the vectors and scalars of the method, the attempts so far. What follows from the
// matrix and the options is not: the later Solver is made from the same ones, and sets up
// the preconditioner in use again.
//
// Taking checkpoints does not change the numbers. There are none on devices.
type Checkpoints struct {
	// Save is given every checkpoint, and must be done with it when it returns: its vectors
	// are those of the solve, which waits. It is called from the goroutine of Solve; nil: no
	// checkpoints are taken.
	Save func(*Checkpoint)

	// Every is the time between two checkpoints. 0: they are taken on Request, and when
	// the context of Solve ends.
	Every   time.Duration
	Request <-chan struct{} // each value asks for a checkpoint soon; nil: none does

	// Resume is the checkpoint to go on from; nil: none. The calls of Solve must be those of
	// the Solver that took it, in the same order: those that had returned return the same
	// Result at once, the one in progress goes on. Threads of 0 is their number then.
	Resume *Checkpoint

	// Program is put into checkpoints, and one of another program is refused: its name
	// and version, for programs whose arithmetic may change from one version to the next.
	Program string
}

// A Checkpoint is how far a Solver has come. WriteTo writes it, ReadCheckpoint reads it.
type Checkpoint struct {
	identity identity
	solved   []Result  // the right-hand sides that are done
	systems  []digest  // of these, and of the one in progress if there is one
	current  *progress // of it; nil: at its beginning

	gather func(k int) ([]float64, error) // the k-th of its vectors, which ranks share; nil: they are here
}

// Threads returns the number of threads of the Solver.
func (c *Checkpoint) Threads() int { return c.identity.Threads }

// MaxMemory returns Options.MaxMemory of the Solver.
func (c *Checkpoint) MaxMemory() int64 { return c.identity.MaxMemory }

// Solved returns how many right-hand sides are done.
func (c *Checkpoint) Solved() int { return len(c.solved) }

// Iterations returns how many iterations the right-hand side in progress has had.
func (c *Checkpoint) Iterations() int {
	if c.current == nil {
		return 0
	}
	return c.current.iterations()
}

// CheckpointError says why a checkpoint cannot be gone on from: it is damaged, or of another
// matrix, right-hand side, version or processor, or of other options.
type CheckpointError struct{ Msg string }

func (e *CheckpointError) Error() string { return e.Msg }

// progress is where the solve with one right-hand side is.
type progress struct {
	Used     used
	Position position

	// Before a step of refinement or of its method; or Finished, and X is the last one.
	Steps, Method *krylov.State[vector] // nil: the method is at its beginning
	Finished      *krylov.Result
	X             vector // in the order of Solver.Order
}

// iterations returns how many there have been.
func (p *progress) iterations() int {
	if p.Finished != nil {
		return p.Finished.Iterations
	}
	n := p.Steps.Result.Iterations
	if p.Method != nil {
		n += p.Method.Result.Iterations
	}
	return n
}

// used is what a solve has used so far.
type used struct {
	Products, Applications                         int
	Total, Multiplying, Preconditioning, SettingUp time.Duration
}

// minus returns u - o.
func (u used) minus(o used) used {
	return used{
		u.Products - o.Products, u.Applications - o.Applications,
		u.Total - o.Total, u.Multiplying - o.Multiplying, u.Preconditioning - o.Preconditioning, u.SettingUp - o.SettingUp,
	}
}
