package checkpoint

import (
	"context"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A Recorder takes the checkpoints of a Solver, and hands out the state of the checkpoint to resume. A nil Recorder does neither.
type Recorder struct {
	opt      solve.Checkpoints
	from     *Taken     // Checkpoints.Resume; nil: none
	job      *ranks.Job // nil: this is the only rank that solves
	identity identity
	calls    int // number of calls of Solve
	solved   []solve.Result
	systems  []digest
	last     time.Time // when the last checkpoint was taken

	inProgress
}

// inProgress is the Solve of which checkpoints are taken.
type inProgress struct {
	ctx      context.Context // of the Solve in progress
	start    time.Time       // of this Solve
	before   refine.Used     // work before this Solve, less the work of the solve that it goes on from
	resume   *Progress       // to go on from; nil: there is none
	refining bool            // refinement has not ended yet
	ended    bool            // the context has ended: no more progress is recorded
	finished *Progress       // after refinement
}

// New returns the recorder of s, or an error if the checkpoint to resume does not suit s. It returns nil without checkpoints.
func New(s *choice.System) (*Recorder, error) {
	opt := s.Opt.Checkpoint
	if opt.Save == nil && opt.Resume == nil {
		return nil, nil
	}
	from, err := takenOf(opt.Resume)
	if err != nil {
		return nil, err
	}
	if from != nil {
		s.Opt.Storage.Model = from.identity.Model
	}
	r := &Recorder{opt: opt, from: from, identity: identify(s), last: time.Now()}
	if c := r.from; c != nil {
		if why := c.identity.differs(r.identity); why != "" {
			return nil, choice.RefusedCheckpoint("%s", why)
		}
		r.from, err = c.whole()
	}
	return r, err
}

// Begin is called at the beginning of Solve. If the checkpoint has the result of this right-hand side, Begin returns it, with ok set.
func (r *Recorder) Begin(ctx context.Context, b, x0 []float64) (done solve.Result, ok bool, err error) {
	if r == nil {
		return done, false, nil
	}
	k, system := r.calls, r.digest(b, x0)
	if c := r.from; c != nil {
		if k < len(c.systems) && system != c.systems[k] {
			return done, false, choice.RefusedCheckpoint("has another right-hand side %d, or another guess", k+1)
		}
		if k < len(c.solved) {
			r.calls++
			r.solved, r.systems = append(r.solved, c.solved[k]), append(r.systems, system)
			done = c.solved[k]
			done.X = slices.Clone(done.X)
			return done, true, nil
		}
		if r.resume = nil; k == len(c.solved) {
			r.resume = c.Current
		}
	}
	r.calls++
	if !r.ended {
		r.systems = append(r.systems, system)
	}
	r.ctx, r.start, r.refining, r.finished = ctx, time.Now(), true, nil
	return done, false, nil
}

// digest is systemDigest of the whole.
func (r *Recorder) digest(b, x0 []float64) digest {
	if r.job != nil {
		return vectorsDigest(r.job, b, x0)
	}
	return systemDigest(b, x0)
}

// Since sets the work before this solve, and returns it.
func (r *Recorder) Since(before refine.Used) refine.Used {
	if r == nil {
		return before
	}
	if p := r.resume; p != nil {
		before = before.Minus(p.Used)
	}
	r.before = before
	return before
}

// Resuming reports whether the first solve goes on from a checkpoint.
func (r *Recorder) Resuming() bool {
	return r != nil && r.from != nil && r.from.Current != nil
}

// Active reports whether the refinement that begins takes checkpoints and can be resumed.
func (r *Recorder) Active() bool { return r != nil && r.refining }

// refined records that refinement has ended, after which no checkpoint is taken.
func (r *Recorder) refined() {
	if r.refining = false; r.job != nil {
		r.job.Patient = false
	}
}

// over reports whether the context has ended, which may have interrupted a set-up. Ranks look at their contexts together, since that of one rank
// ends the set-up of all. Collective.
func (r *Recorder) over(ctx context.Context) bool {
	if r.job != nil {
		return r.job.Look() != nil
	}
	return ctx.Err() != nil
}

// due reports whether it is time for a checkpoint, by the clock of rank 0.
func (r *Recorder) due() bool {
	if r.job != nil {
		return dist.Any(r.job.Comm, r.dueHere())
	}
	return r.dueHere()
}

// dueHere is due by the clock of this rank.
func (r *Recorder) dueHere() bool {
	select {
	case <-r.opt.Request:
		return true
	default:
	}
	return r.opt.Every > 0 && time.Since(r.last) >= r.opt.Every
}

// save takes a checkpoint. It is the last one if the context has ended.
func (r *Recorder) save(p *Progress) {
	if r.ended {
		return
	}
	r.ended = r.ctx.Err() != nil
	if r.opt.Save != nil {
		c := &Taken{identity: r.identity, solved: r.solved, systems: r.systems, Current: p, job: r.job, start: []int64{0, int64(r.identity.Rows)}}
		if r.job != nil {
			c.start = r.job.Domains.Start
		}
		r.opt.Save(c)
	}
	r.last = time.Now()
}

// End is called at the end of Solve.
func (r *Recorder) End(result solve.Result) {
	switch {
	case r == nil || r.ended:
	case r.ctx.Err() != nil:
		r.save(r.finished)
	default:
		result.X = slices.Clone(result.X)
		r.solved = append(r.solved, result)
	}
}

// takenOf returns the Taken of a checkpoint to go on from; nil: there is none.
func takenOf(c solve.Checkpoint) (*Taken, error) {
	if c == nil {
		return nil, nil
	}
	t, ok := c.(*Taken)
	if !ok {
		return nil, choice.RefusedCheckpoint("was not read by this version: it is a %T", c)
	}
	return t, nil
}

// Taken implements solve.Checkpoint: a Solver has taken it, or Read has read it.
type Taken struct {
	identity identity
	solved   []solve.Result // the right-hand sides that are done
	systems  []digest       // checksums of these right-hand sides, and of the one in progress if there is one
	Current  *Progress      // of the right-hand side in progress; nil: at its beginning

	job    *ranks.Job // whose ranks share the vectors; nil: they are whole
	start  []int64    // first rows of the domains, and the number of rows
	stored *stored    // the file where the vectors still are; nil: they are here
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
