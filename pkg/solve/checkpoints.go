package solve

import (
	"io"
	"time"
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
	Save func(Checkpoint)

	// Every is the time between two checkpoints. 0: they are taken on Request, and when
	// the context of Solve ends.
	Every   time.Duration
	Request <-chan struct{} // each value asks for a checkpoint soon; nil: none does

	// Resume is the checkpoint to go on from; nil: none. The calls of Solve must be those of
	// the Solver that took it, in the same order: those that had returned return the same
	// Result at once, the one in progress goes on. Threads of 0 is their number then.
	Resume Checkpoint

	// Program is put into checkpoints, and one of another program is refused: its name
	// and version, for programs whose arithmetic may change from one version to the next.
	Program string
}

// CheckpointError says why a checkpoint cannot be gone on from: it is damaged, or of another
// matrix, right-hand side, version or processor, or of other options.
type CheckpointError struct{ Msg string }

func (e *CheckpointError) Error() string { return e.Msg }

// CheckpointMagic is what a file of a checkpoint begins with.
const CheckpointMagic = "mpsolve checkpoint "

// Snapshots show x in the middle of a solve, which goes on unchanged; the zero value shows nothing. Ranks that share a matrix show none.
type Snapshots struct {
	// Request asks for x after the current iteration by each value; nil: nobody does. x of GMRES is that from before the current cycle.
	Request <-chan struct{}

	// Save is given the x of the right-hand side in progress, in the order of the matrix as given. It may keep it. It is called from the
	// goroutine of Solve, which waits.
	Save func(x []float64)
}

// A Checkpoint is how far a Solver has come. WriteTo writes it to a file, which package internal/solver/checkpoint reads.
type Checkpoint interface {
	io.WriterTo
	Threads() int     // of the Solver
	MaxMemory() int64 // Options.MaxMemory of the Solver
	Solved() int      // how many right-hand sides are done
	Iterations() int  // how many the right-hand side in progress has had
}
