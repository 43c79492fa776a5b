package solve

import (
	"io"
	"time"
)

// Checkpoints configure the checkpoints of a Solver, from which a later Solver goes on and ends with the same bits. The zero value takes
// none. A checkpoint has the state of the solve: x, the vectors and scalars of the method, and the attempts so far. It does not have what
// follows from the matrix and the options: the later Solver is made from the same ones, and sets up the preconditioner in use again.
//
// Taking checkpoints does not change the numbers. There are no checkpoints on devices.
type Checkpoints struct {
	// Save gets every checkpoint. It must not keep the checkpoint after it returns, since the vectors are those of the solve,
	// which waits. The goroutine of Solve calls it; nil: no checkpoints are taken.
	Save func(Checkpoint)

	// Every is the time between two checkpoints; 0: checkpoints are taken on Request, and when the context of Solve ends.
	Every   time.Duration
	Request <-chan struct{} // each value asks for a checkpoint soon; nil: none does

	// Resume is the checkpoint to go on from, see mpsolve.ReadCheckpoint; nil: none. The calls of Solve must be those of the Solver
	// that took it, in the same order. The calls that had returned return the same Result at once; the call in progress goes
	// on. If Threads is 0, the number of threads is that of the checkpoint. Layouts are chosen by the Storage.Model of that Solver.
	Resume Checkpoint

	// Program is the name and version of the program, for programs whose arithmetic may change from one version to the next.
	// A checkpoint of another program is refused.
	Program string
}

// CheckpointError says why a solve cannot go on from a checkpoint: it is damaged, or of another matrix, right-hand side, version or
// processor, or of other options.
type CheckpointError struct{ Msg string }

func (e *CheckpointError) Error() string { return e.Msg }

// Snapshots show x in the middle of a solve, which goes on unchanged. The zero value shows nothing.
type Snapshots struct {
	// Request asks for a snapshot after the current iteration with each value. With GMRES the snapshot is the x before the current
	// cycle. nil: no snapshots are taken.
	Request <-chan struct{}

	// Save gets the x of the right-hand side in progress, in the order of the matrix as given, and may keep it. The goroutine of Solve
	// calls it, and waits.
	Save func(x []float64)
}

// A Checkpoint is the state of a Solver. WriteTo writes it to a file, which mpsolve.ReadCheckpoint reads.
type Checkpoint interface {
	io.WriterTo
	Threads() int     // of the Solver
	MaxMemory() int64 // Options.MaxMemory of the Solver
	Solved() int      // number of right-hand sides that are done
	Iterations() int  // number of iterations for the right-hand side in progress
}
