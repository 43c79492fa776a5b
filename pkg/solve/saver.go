package solve

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// saver puts together what a checkpoint needs: the states of refinement and method, and the
// position of the correction. It is the krylov.Checkpointer of the methods.
type saver[V any, S linop.Scalar[S]] struct {
	*recorder
	f        *refinement[V, S]
	resume   *krylov.State[V] // of the method, for the next correction; nil: none
	position position         // at the last mark
	used     used             // until then
}

// solveRecorded is refinement.solve with checkpoints, from the one to resume if there is one.
func (f *refinement[V, S]) solveRecorded(ctx context.Context, x, b V, opt krylov.Options[V]) (krylov.Result, error) {
	s := &saver[V, S]{recorder: f.recorder, f: f}
	p := f.recorder.resume
	if err := s.begin(ctx, p); err != nil {
		return krylov.Result{}, err
	}
	if ctx.Err() != nil { // setting up may be incomplete
		f.recorder.save(p)
	}
	var result krylov.Result
	switch {
	case p != nil && p.Finished != nil:
		s.take(x, p.X)
		result = *p.Finished
	case p != nil && f.recorder.ended:
		s.take(x, p.Steps.Vectors[0])
		result = p.Steps.Result
		result.Reason = krylov.Ended(ctx)
	default:
		if p != nil {
			opt.Resume, s.resume = s.upload(p.Steps), s.upload(p.Method)
			f.correction.log(fmt.Sprintf("resumed after %d iterations of right-hand side %d", p.iterations(), len(f.recorder.systems)))
		}
		f.correction.saver = s
		result = f.steps.Solve(ctx, f.refined, recorded[V, S]{f.correction}, x, b, opt)
		f.left = result.Reason == krylov.Converged
		f.correction.saver = nil
		f.correction.attempts.current.Reason = result.Reason.String()
	}
	f.recorder.refined()
	if f.recorder.ended {
		return result, f.at.err()
	}
	s.Mark()
	f.recorder.finished = &progress{Used: s.used, Position: s.position, Finished: &result, X: slices.Clone(s.host(x))}
	return result, f.at.err()
}

// begin goes to the first rung, or to that of the checkpoint.
func (s *saver[V, S]) begin(ctx context.Context, p *progress) error {
	c := s.f.correction
	if p == nil {
		return c.begin(ctx)
	}
	if err := c.resume(ctx, p.Position); err != nil || ctx.Err() != nil || p.Finished != nil {
		return err
	}
	steps, inner := s.upload(p.Steps), s.upload(p.Method)
	err := s.f.steps.CheckState(steps)
	if err == nil && inner != nil {
		var method krylov.Method[V, S]
		if method, err = c.attempts.method(); err == nil {
			err = krylov.CheckState(method, c.attempts.preconditioner() != nil, inner)
		}
	}
	if err != nil {
		return damaged("%v", err)
	}
	return nil
}

// join makes a solve of the correction one that is saved, and that goes on from the
// checkpoint if it is the first.
func (s *saver[V, S]) join(opt *krylov.Options[V]) {
	if s == nil {
		return
	}
	if opt.Checkpoint = s; s.resume != nil {
		opt.Resume, s.resume = s.resume, nil
		s.f.correction.probe.lookout = s.recorder.resume.Position.Probe
	}
}

// Due implements krylov.Checkpointer.
func (s *saver[V, S]) Due() bool { return s.due() }

// Mark implements krylov.Checkpointer.
func (s *saver[V, S]) Mark() {
	s.position = s.f.correction.position()
	s.used = s.f.usage().used().minus(s.before)
	s.used.Total += time.Since(s.start)
}

// Save implements krylov.Checkpointer.
func (s *saver[V, S]) Save(method krylov.State[V]) { s.saveSteps(&method) }

// saveSteps saves where refinement is, and its method unless that is nil.
func (s *saver[V, S]) saveSteps(method *krylov.State[V]) {
	steps := s.f.steps.State()
	s.save(&progress{Used: s.used, Position: s.position, Steps: s.download(&steps), Method: s.download(method)})
}

// recorded is a correction with checkpoints. One that is due when an escalation was
// interrupted is that of its beginning.
type recorded[V any, S linop.Scalar[S]] struct{ *correction[V, S] }

// Escalate implements krylov.Corrector.
func (c recorded[V, S]) Escalate(reason krylov.Reason) bool {
	c.saver.Mark()
	ok := c.correction.Escalate(reason)
	if c.ctx.Err() != nil {
		c.saver.saveSteps(nil)
	}
	return ok
}

// host is v as a vector of the host, itself if it is one.
func (s *saver[V, S]) host(v V) vector {
	if x, ok := any(v).(vector); ok {
		return x
	}
	x := make(vector, s.f.at.Dim())
	s.f.at.download(x, v)
	return x
}

// take sets v = x.
func (s *saver[V, S]) take(v V, x vector) {
	at := s.f.at
	from := at.upload(x)
	at.Copy(v, from)
	at.free(from)
}

// download is a state with vectors of the host.
func (s *saver[V, S]) download(state *krylov.State[V]) *krylov.State[vector] {
	if state == nil {
		return nil
	}
	d := &krylov.State[vector]{Numbers: state.Numbers, Counts: state.Counts, Result: state.Result}
	for _, v := range state.Vectors {
		d.Vectors = append(d.Vectors, s.host(v))
	}
	return d
}

// upload is the inverse of download. The vectors are not given back: only the host has
// checkpoints, where they are the ones of the checkpoint.
func (s *saver[V, S]) upload(state *krylov.State[vector]) *krylov.State[V] {
	if state == nil {
		return nil
	}
	u := &krylov.State[V]{Numbers: state.Numbers, Counts: state.Counts, Result: state.Result}
	for _, v := range state.Vectors {
		u.Vectors = append(u.Vectors, s.f.at.upload(v))
	}
	return u
}
