package krylov

import (
	"context"
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// A State is where a solve can be interrupted: what a method, or refinement, needs to go on
// and to end with the same bits as if it had not been. What follows from A, b and the options
// is not part of it. Scalars are kept in float64.
//
// The state of CG, BiCGStab and MINRES is taken between two iterations, and the state of GMRES, which is
// the residual and not the basis, at the start of a cycle, which is then done again.
type State[V any] struct {
	Vectors []V // x, r and the vectors of the method
	Numbers []float64
	Counts  []int
	Result  Result // so far
}

// unfit is the error of a state that is none of a method.
func (s *State[V]) unfit(name string) error {
	return fmt.Errorf("krylov: %d vectors, %d numbers and %d counts are no state of %s",
		len(s.Vectors), len(s.Numbers), len(s.Counts), name)
}

// A Checkpointer takes states of a solve while it is running. Methods call it where they
// look at the context, from the goroutine that solves.
type Checkpointer[V any] interface {
	// Due reports whether a state should be saved. It is called in every iteration.
	Due() bool

	// Mark says that the solve is now where the next state that is saved is taken.
	Mark()

	// Save takes a state. Its vectors are those that the solve works with: they must be
	// left alone, and change when Save has returned.
	Save(State[V])
}

// kept is what changes in a method from one iteration to the next, besides x, r and the
// record of convergence.
type kept[V any, S linop.Scalar[S]] struct {
	vectors []V
	scalars []*S
	numbers []*float64
	counts  []*int
}

// A keeper lists what the next step, or cycle, needs, x and r first.
type keeper[V any, S linop.Scalar[S]] interface {
	keeps(preconditioned bool) kept[V, S]
}

// record is what changes in the record of convergence.
func (c *convergence[V]) record() (numbers []*float64, counts []*int) {
	return []*float64{&c.start, &c.least, &c.check, &c.measure, &c.at, &c.claimed},
		[]*int{&c.leastAt, &c.seen}
}

// state copies the numbers of a method with record c and refers to its vectors.
func (k kept[V, S]) state(c *convergence[V]) State[V] {
	numbers, counts := c.record()
	s := State[V]{Vectors: k.vectors, Result: c.result}
	for _, a := range k.scalars {
		s.Numbers = append(s.Numbers, (*a).Float())
	}
	for _, a := range append(k.numbers, numbers...) {
		s.Numbers = append(s.Numbers, *a)
	}
	for _, n := range append(k.counts, counts...) {
		s.Counts = append(s.Counts, *n)
	}
	return s
}

// restore is the inverse of state.
func (k kept[V, S]) restore(space linop.Space[V, S], c *convergence[V], s *State[V]) {
	numbers, counts := c.record()
	for i, v := range k.vectors {
		space.Copy(v, s.Vectors[i])
	}
	for i, a := range k.scalars {
		*a = space.Scalar(s.Numbers[i])
	}
	for i, a := range append(k.numbers, numbers...) {
		*a = s.Numbers[len(k.scalars)+i]
	}
	for i, n := range append(k.counts, counts...) {
		*n = s.Counts[i]
	}
	c.result = s.Result
}

// fits reports whether s has the shape of a state.
func (k kept[V, S]) fits(c *convergence[V], s *State[V]) bool {
	numbers, counts := c.record()
	return len(s.Vectors) == len(k.vectors) && len(s.Counts) == len(k.counts)+len(counts) &&
		len(s.Numbers) == len(k.scalars)+len(k.numbers)+len(numbers)
}

// CheckState returns an error if s is no state of the method, with a preconditioner or
// without, and so cannot be its Options.Resume.
func CheckState[V any, S linop.Scalar[S]](m Method[V, S], preconditioned bool, s *State[V]) error {
	k, ok := m.(interface {
		keeper[V, S]
		fits(kept[V, S], *State[V]) bool
	})
	if !ok || !k.fits(k.keeps(preconditioned), s) {
		return s.unfit(m.Name())
	}
	return nil
}

func (d *driver[V, S]) fits(k kept[V, S], s *State[V]) bool { return k.fits(&d.c, s) }

// resume goes on from the state in the options.
func (d *driver[V, S]) resume(it keeper[V, S]) {
	it.keeps(d.pre.by != nil).restore(d.space, &d.c, d.c.opt.Resume)
	d.c.opt.Resume = nil
}

// pause is called between two iterations: it saves their state if that is due or the context
// has ended, and returns the Reason of the latter.
func (d *driver[V, S]) pause(it keeper[V, S]) Reason {
	d.snapshot()
	if !d.due() {
		return Running
	}
	d.c.opt.Checkpoint.Mark()
	return d.save(it.keeps(d.pre.by != nil).state(&d.c))
}

// snapshot passes x to Options.Snapshot.
func (d *driver[V, S]) snapshot() {
	if d.c.opt.Snapshot != nil {
		d.c.opt.Snapshot(d.x)
	}
}

// due reports whether a state should be saved, now that one can be.
func (d *driver[V, S]) due() bool {
	c := &d.c
	return c.opt.Checkpoint != nil && (c.ctx.Err() != nil || c.opt.Checkpoint.Due())
}

// save saves a state, after which the context may end the solve.
func (d *driver[V, S]) save(s State[V]) Reason {
	c := &d.c
	ended := c.ctx.Err() != nil
	c.opt.Checkpoint.Save(s)
	if !ended {
		return Running
	}
	c.done = c.ctx.Done()
	return c.agree(c.limit())
}

// State returns the state before the correction, or the escalation, that is in progress: for
// a Corrector that takes checkpoints. Its vectors are x and r, as in Checkpointer.
func (f *Refinement[V, S]) State() State[V] {
	progress := 0
	if f.at.progress {
		progress = 1
	}
	return State[V]{
		Vectors: []V{f.at.x, f.r},
		Counts:  []int{f.at.slow, progress, int(f.at.escalate)},
		Result:  f.at.total,
	}
}

// CheckState returns an error if s is no state of refinement.
func (f *Refinement[V, S]) CheckState(s *State[V]) error {
	if len(s.Vectors) != 2 || len(s.Numbers) != 0 || len(s.Counts) != 3 {
		return s.unfit("refinement")
	}
	return nil
}

// restore is the inverse of State.
func (f *Refinement[V, S]) restore(s *State[V]) {
	f.space.Copy(f.at.x, s.Vectors[0])
	f.space.Copy(f.r, s.Vectors[1])
	f.at.slow, f.at.progress, f.at.escalate = s.Counts[0], s.Counts[1] != 0, Reason(s.Counts[2])
	f.at.total = s.Result
}

// watched is what limit looks at: the context, unless it may only end a solve where a
// checkpoint has been taken.
func watched[V any](ctx context.Context, opt Options[V]) <-chan struct{} {
	if opt.Checkpoint != nil {
		return nil
	}
	return ctx.Done()
}
