package solve

import (
	"context"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/pkg/dist"
)

// recorder takes the checkpoints of a Solver, and hands out what the one to resume has.
// A nil recorder does neither.
type recorder struct {
	opt      Checkpoints
	job      *job // nil: this is the only rank that solves
	saves    bool // rank 0 has Checkpoints.Save
	identity identity
	calls    int // of Solve
	solved   []Result
	systems  []digest
	last     time.Time // that a checkpoint was taken

	ctx      context.Context // of the Solve in progress
	start    time.Time       // of it
	before   used            // what had been used when it started; what was used by those that it goes on from counts as well
	resume   *progress       // to go on from; nil: there is none
	refining bool            // refinement is yet to end
	ended    bool            // with the context: what comes is no progress any more
	finished *progress       // after refinement
}

// newRecorder returns the recorder of s, or an error if it cannot resume.
func newRecorder(s *Solver) (*recorder, error) {
	opt := s.opt.Checkpoint
	if opt.Save == nil && opt.Resume == nil {
		return nil, nil
	}
	r := &recorder{opt: opt, identity: s.identify(), last: time.Now()}
	if c := opt.Resume; c != nil {
		if why := c.identity.differs(r.identity); why != "" {
			return nil, refusedCheckpoint("%s", why)
		}
	}
	return r, nil
}

// begin is called by Solve. If the right-hand side is one that is done, ok is true and there
// is nothing to do.
func (r *recorder) begin(ctx context.Context, b, x0 []float64) (done Result, ok bool, err error) {
	if r == nil {
		return done, false, nil
	}
	k, system := r.calls, r.digest(b, x0)
	if c := r.opt.Resume; c != nil {
		if k < len(c.systems) && system != c.systems[k] {
			return done, false, refusedCheckpoint("has another right-hand side %d, or another guess", k+1)
		}
		if k < len(c.solved) {
			r.calls++
			r.solved, r.systems = append(r.solved, c.solved[k]), append(r.systems, system)
			done = c.solved[k]
			done.X = slices.Clone(done.X)
			return done, true, nil
		}
		if r.resume = nil; k == len(c.solved) {
			r.resume = c.current
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
func (r *recorder) digest(b, x0 []float64) digest {
	if r.job != nil {
		return r.job.vectorsDigest(b, x0)
	}
	return systemDigest(b, x0)
}

// since sets what had been used before this solve, and returns it.
func (r *recorder) since(before used) used {
	if r == nil {
		return before
	}
	if p := r.resume; p != nil {
		before = before.minus(p.Used)
	}
	r.before = before
	return before
}

// resuming reports whether the first thing to do is to go on.
func (r *recorder) resuming() bool {
	return r != nil && r.opt.Resume != nil && r.opt.Resume.current != nil
}

// active reports whether the refinement that begins is the one that can be resumed.
func (r *recorder) active() bool { return r != nil && r.refining }

// refined says that refinement has ended, and that nothing is to be gone on from any more.
func (r *recorder) refined() {
	if r.refining = false; r.job != nil {
		r.job.patient = false
	}
}

// due reports whether it is time for a checkpoint, by the clock of rank 0.
func (r *recorder) due() bool {
	if r.job != nil {
		return dist.Any(r.job.Comm, r.dueHere())
	}
	return r.dueHere()
}

// dueHere is due of this rank.
func (r *recorder) dueHere() bool {
	select {
	case <-r.opt.Request:
		return true
	default:
	}
	return r.opt.Every > 0 && time.Since(r.last) >= r.opt.Every
}

// save takes a checkpoint, the last one if the context has ended.
func (r *recorder) save(p *progress) {
	if r.ended {
		return
	}
	r.ended = r.ctx.Err() != nil
	c := &Checkpoint{identity: r.identity, solved: r.solved, systems: r.systems, current: p}
	switch {
	case r.job != nil && r.saves:
		r.send(c)
	case r.job == nil && r.opt.Save != nil:
		r.opt.Save(c)
	}
	r.last = time.Now()
}

// end is called when Solve returns.
func (r *recorder) end(result Result) {
	switch {
	case r == nil || r.ended:
	case r.ctx.Err() != nil:
		r.save(r.finished)
	default:
		result.X = slices.Clone(result.X)
		r.solved = append(r.solved, result)
	}
}
