package checkpoint

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// saver puts a checkpoint together: the states of refinement and method, and the position of the correction. It is the
// krylov.Checkpointer of the methods.
type saver[V any, S linop.Scalar[S]] struct {
	*Recorder
	f        *refine.Refinement[V, S]
	resume   *krylov.State[V] // of the method, for the next correction; nil: none
	position refine.Position  // at the last mark
	used     refine.Used      // work until the last mark
}

// recordedRefinement is a refinement that takes checkpoints.
type recordedRefinement[V any, S linop.Scalar[S]] struct {
	*Recorder
	f *refine.Refinement[V, S]
}

// Record makes a recorder take the checkpoints of a refinement.
func Record[V any, S linop.Scalar[S]](f *refine.Refinement[V, S], by *Recorder) {
	if by != nil {
		f.Recording = recordedRefinement[V, S]{by, f}
	}
}

// Solve is refine.Refinement.Solve with checkpoints. It goes on from the checkpoint to resume if there is one.
func (r recordedRefinement[V, S]) Solve(ctx context.Context, x, b V, opt krylov.Options[V]) (krylov.Result, error) {
	f := r.f
	s := &saver[V, S]{Recorder: r.Recorder, f: f}
	p := r.Recorder.resume
	if err := s.begin(ctx, p); err != nil {
		return krylov.Result{}, err
	}
	if s.over(ctx) { // setting up may be incomplete
		r.Recorder.save(p)
	}
	var result krylov.Result
	switch {
	case p != nil && p.Finished != nil:
		s.take(x, p.X)
		result = *p.Finished
	case p != nil && r.Recorder.ended:
		s.take(x, p.Steps.Vectors[0])
		result = p.Steps.Result
		result.Reason = krylov.Ended(ctx)
	default:
		if p != nil {
			opt.Resume, s.resume = s.upload(p.Steps), s.upload(p.Method)
			f.Correction.Log(fmt.Sprintf("resumed after %d iterations of right-hand side %d", p.iterations(), len(r.Recorder.systems)))
		}
		f.Correction.Join = s.join
		result = f.Steps.Solve(ctx, f.Refined, recorded[V, S]{f.Correction, s}, x, b, opt)
		f.Correction.Join = nil
		f.Correction.Attempts.Current.Reason = result.Reason.String()
	}
	r.Recorder.refined()
	if r.Recorder.ended {
		return result, f.At.Fault()
	}
	s.Mark()
	r.Recorder.finished = &Progress{Used: s.used, Position: s.position, Finished: &result, X: slices.Clone(s.host(x))}
	return result, f.At.Fault()
}

// begin goes to the first fallback, or to the fallback of the checkpoint.
func (s *saver[V, S]) begin(ctx context.Context, p *Progress) error {
	c := s.f.Correction
	if p == nil {
		return c.Begin(ctx)
	}
	if err := c.Resume(ctx, p.Position); err != nil || s.over(ctx) || p.Finished != nil {
		return err
	}
	steps, inner := s.upload(p.Steps), s.upload(p.Method)
	err := s.f.Steps.CheckState(steps)
	if err == nil && inner != nil {
		var method krylov.Method[V, S]
		if method, err = c.Attempts.Method(); err == nil {
			err = krylov.CheckState(method, c.Attempts.Preconditioner() != nil, inner)
		}
	}
	if err != nil {
		return choice.Damaged("%v", err)
	}
	return nil
}

// join makes a solve of the correction take checkpoints, and go on from the checkpoint if it is the first.
func (s *saver[V, S]) join(opt *krylov.Options[V]) {
	if opt.Checkpoint = s; s.resume != nil {
		opt.Resume, s.resume = s.resume, nil
		s.f.Correction.Probe.Lookout = s.Recorder.resume.Position.Probe
	}
}

// Due implements krylov.Checkpointer.
func (s *saver[V, S]) Due() bool { return s.due() }

// Mark implements krylov.Checkpointer.
func (s *saver[V, S]) Mark() {
	s.position = s.f.Correction.Position()
	s.used = s.f.Usage().Used().Minus(s.before)
	s.used.Total += time.Since(s.start)
}

// Save implements krylov.Checkpointer.
func (s *saver[V, S]) Save(method krylov.State[V]) { s.saveSteps(&method) }

// saveSteps saves the state of refinement, and of its method unless that is nil.
func (s *saver[V, S]) saveSteps(method *krylov.State[V]) {
	steps := s.f.Steps.State()
	s.save(&Progress{Used: s.used, Position: s.position, Steps: s.download(&steps), Method: s.download(method)})
}

// recorded is a correction with checkpoints. If an escalation is interrupted, the checkpoint is of its beginning.
type recorded[V any, S linop.Scalar[S]] struct {
	*refine.Correction[V, S]
	saver *saver[V, S]
}

// Escalate implements krylov.Corrector.
func (c recorded[V, S]) Escalate(reason krylov.Reason) bool {
	c.saver.Mark()
	ok := c.Correction.Escalate(reason)
	if c.saver.over(c.Ctx) {
		c.saver.saveSteps(nil)
	}
	return ok
}

// host returns v as a vector of the host: v itself if it is one, a copy otherwise.
func (s *saver[V, S]) host(v V) vector {
	if x, ok := any(v).(vector); ok {
		return x
	}
	x := make(vector, s.f.At.Dim())
	s.f.At.ToHost(x, v)
	return x
}

// take sets v = x.
func (s *saver[V, S]) take(v V, x vector) {
	at := s.f.At
	from := at.FromHost(x)
	at.Copy(v, from)
	at.GiveBack(from)
}

// download returns a state with vectors of the host.
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

// upload is the inverse of download. The vectors are not given back: only the host has checkpoints, and there they are the vectors
// of the checkpoint.
func (s *saver[V, S]) upload(state *krylov.State[vector]) *krylov.State[V] {
	if state == nil {
		return nil
	}
	u := &krylov.State[V]{Numbers: state.Numbers, Counts: state.Counts, Result: state.Result}
	for _, v := range state.Vectors {
		u.Vectors = append(u.Vectors, s.f.At.FromHost(v))
	}
	return u
}

var (
	_ krylov.Corrector[vector]    = recorded[vector, scalar]{}
	_ krylov.Checkpointer[vector] = (*saver[vector, scalar])(nil)
)
