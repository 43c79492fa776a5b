package solve

import (
	"context"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// position is where a correction is among its attempts, and what it has learnt from them.
type position struct {
	Attempt int
	Matrix  precision // in use
	Made    []made    // preconditioners, in the order of the attempts
}

// precision is how a stored matrix differs from the one stored first.
type precision struct {
	FP64      bool
	Epsilon   float64
	GuardBits int
	NoDrop    bool
}

// made is what came of setting up a preconditioner.
type made struct {
	Kind    precond.Kind
	DropTol float64
	Failed  bool
	Matrix  precision // that was in use, which multigrid smooths with
}

// precision returns that of a storage.
func (t Storage) precision() precision {
	if t.plain() {
		return precision{FP64: true}
	}
	return precision{Epsilon: t.Epsilon, GuardBits: t.GuardBits, NoDrop: t.NoDrop}
}

// with returns the storage in a precision.
func (t Storage) with(p precision) Storage {
	if p.FP64 {
		if !t.plain() {
			t = t.fp64()
		}
		return t
	}
	t.Epsilon, t.GuardBits, t.NoDrop = p.Epsilon, p.GuardBits, p.NoDrop
	return t
}

// position returns where the correction is.
func (c *correction[V, S]) position() position {
	p := position{Attempt: c.attempts.current, Matrix: c.matrix.about().storage.precision()}
	listed := map[variant]bool{}
	for _, a := range c.attempts.list {
		if by, known := c.attempts.ready[a.variant]; known && !listed[a.variant] {
			listed[a.variant] = true
			p.Made = append(p.Made, made{a.kind, a.dropTol, by == nil, c.madeWith[a.variant]})
		}
	}
	return p
}

// restore goes to a position, and sets up the preconditioner in use. Others follow when they
// are needed, with the matrix that they were made with.
func (c *correction[V, S]) restore(ctx context.Context, p position) error {
	c.ctx = ctx
	for _, m := range p.Made {
		v := variant{m.Kind, m.DropTol}
		if c.madeWith[v] = m.Matrix; m.Failed {
			c.attempts.ready[v] = nil
		}
	}
	if p.Attempt < 0 || p.Attempt >= len(c.attempts.list) {
		return refused("is damaged: there is no attempt %d", p.Attempt+1)
	}
	if t := c.first.with(p.Matrix); c.matrix.about().storage.precision() != p.Matrix {
		if err := c.use(t); err != nil {
			return err
		}
	}
	want := c.attempts.list[p.Attempt]
	if err := c.enter(p.Attempt); err != nil {
		return err
	}
	if c.attempts.now() != want && ctx.Err() == nil {
		return refused("cannot be gone on from: %v could not be set up again", want.variant)
	}
	return nil
}

// madeOf is the matrix that a preconditioner is set up with: the one in use, unless it is set
// up again.
func (c *correction[V, S]) madeOf(v variant) (stored, error) {
	now := c.matrix.about()
	p, again := c.madeWith[v]
	if !again || p == now.storage.precision() {
		c.madeWith[v] = now.storage.precision()
		return now, nil
	}
	matrix, err := c.at.store(c.scaled.matrix(), c.first.with(p))
	if err != nil {
		return now, err
	}
	return matrix.about(), nil
}

var _ krylov.Corrector[vector] = recorded[vector, scalar]{}

var _ krylov.Checkpointer[vector] = (*saver[vector, scalar])(nil)
