package solve

import (
	"context"
	"errors"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// position is where a correction stands in the ladder, and what it has learnt on the way.
type position struct {
	Ladder  ladderState
	Ready   []readied // preconditioners
	Refused []refused
	Made    []Attempt
	Current Attempt

	Probe         lookout // of the method in progress
	Slow          bool    // these are those of correction
	Indefinite    bool
	From, Reached float64
}

// readied is a preconditioner that has been set up.
type readied struct {
	Rung int       // the first one that has it
	At   precision // of the method's matrix then
	Work float64
}

// refused is a refusal.
type refused struct {
	Rung         int // the first one with that preconditioner
	Budget, Took float64
	Text         string
	Is           []int // those of causes
}

// causes are the errors of set-ups that the ladder tells from others.
var causes = []error{precond.ErrWork, precond.ErrMemory, precond.ErrNotDefinite}

// causesOf lists those of an error.
func causesOf(err error) (list []int) {
	for k, cause := range causes {
		if errors.Is(err, cause) {
			list = append(list, k)
		}
	}
	return list
}

// recalled is the error of a refusal before a checkpoint.
type recalled struct {
	text string
	is   []error
}

func (e *recalled) Error() string   { return e.text }
func (e *recalled) Unwrap() []error { return e.is }

// position returns where the correction is.
func (c *correction[V, S]) position() position {
	t := c.attempts
	p := position{
		Ladder: t.state, Made: slices.Clone(t.made), Current: t.current,
		Slow: c.slow, Indefinite: c.indefinite, From: c.from, Reached: c.reached,
	}
	p.Ladder.Rungs = slices.Clone(t.state.Rungs)
	p.Ladder.Precision = c.matrix.about().storage.precision()
	if c.probe != nil {
		p.Probe = c.probe.lookout
	}
	listed := map[variant]bool{}
	for rung, r := range t.rungs {
		v := r.variant
		if listed[v] {
			continue
		}
		listed[v] = true
		if k, ok := t.known[v]; ok {
			p.Ready = append(p.Ready, readied{rung, k.at, k.work})
		}
		if no, ok := t.refused[v]; ok {
			p.Refused = append(p.Refused, refused{rung, no.budget, no.took, no.err.Error(), causesOf(no.err)})
		}
	}
	return p
}

// resume goes to a position that a correction for the same system and options had. The
// preconditioner in use is set up again; others follow when they are needed, each with the
// matrix that it was made with, so that all have the bits that they had.
func (c *correction[V, S]) resume(ctx context.Context, p position) error {
	c.ctx = ctx
	t := c.attempts
	t.begin()
	if p.Ladder.Rung < 0 || p.Ladder.Rung >= len(t.rungs) || len(p.Ladder.Rungs) != len(t.rungs) {
		return damaged("rung %d of %d", p.Ladder.Rung+1, len(p.Ladder.Rungs))
	}
	if err := t.recall(p); err != nil {
		return err
	}
	t.state = p.Ladder
	if err := c.usePrecision(p.Ladder.Precision); err != nil {
		return err
	}
	t.state.Rungs = slices.Clone(p.Ladder.Rungs)
	err := errors.Join(t.enter(c.setUp), c.rescale(t.now().variant))
	if ctx.Err() == nil && err != nil {
		return &CheckpointError{"cannot be gone on from: precond " + err.Error()}
	}
	t.state.Rungs = slices.Clone(p.Ladder.Rungs)
	t.made, t.current = slices.Clone(p.Made), p.Current
	c.slow, c.indefinite, c.from, c.reached = p.Slow, p.Indefinite, p.From, p.Reached
	return nil
}

// recall takes over what had been set up, and what had been refused.
func (t *attempts[V, S]) recall(p position) error {
	for _, r := range p.Ready {
		if r.Rung < 0 || r.Rung >= len(t.rungs) {
			return damaged("rung %d", r.Rung+1)
		}
		t.known[t.rungs[r.Rung].variant] = known{r.At, r.Work}
	}
	for _, r := range p.Refused {
		err := &recalled{text: r.Text}
		for _, k := range r.Is {
			if k < 0 || k >= len(causes) {
				return damaged("cause %d", k)
			}
			err.is = append(err.is, causes[k])
		}
		if r.Rung < 0 || r.Rung >= len(t.rungs) {
			return damaged("rung %d", r.Rung+1)
		}
		t.refused[t.rungs[r.Rung].variant] = refusal{err, r.Budget, r.Took}
	}
	return nil
}

// damaged is the error of a checkpoint that contradicts itself.
func damaged(format string, args ...any) error {
	return refusedCheckpoint("is damaged: "+format, args...)
}

// known is what is known of a preconditioner that has been set up.
type known struct {
	at   precision // of the method's matrix then
	work float64
}

// again sets up a preconditioner that had been set up before the checkpoint, as it was then.
func (t *attempts[V, S]) again(v variant, setUp setUp[V]) error {
	k, ok := t.known[v]
	if !ok || t.ready[v] != nil {
		return nil
	}
	_, err := t.make(v, 0, &k.at, setUp)
	return err
}

var (
	_ krylov.Corrector[vector]    = recorded[vector, scalar]{}
	_ krylov.Checkpointer[vector] = (*saver[vector, scalar])(nil)
)
