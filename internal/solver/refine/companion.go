package refine

import (
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// companion is a right-hand side p that complete factors solve for beside that of a method: they are read once for both. Two solves together take 1.2 times
// as long as one where the factors are in memory, and 1.5 times in a cache. The matrix alone makes p, so that d serves for all solves with the factors.
type companion[V any, S linop.Scalar[S]] struct {
	make func() []float64             // returns p; nil: there is none
	d, p []float64                    // M^-1 p and p
	of   *choice.Preconditioner[V, S] // M
}

// Accompany makes the first application of complete factors compute M^-1 p as well, for the p of the matrix that a function returns; nil: there is none.
// On a device nothing accompanies.
func (f *Refinement[V, S]) Accompany(p func() []float64) { f.Correction.companion.make = p }

// Accompanied returns d = M^-1 p and p for the p of Accompany; nil if the complete factors in use have not been applied. It counts the application, even
// if that was for an earlier solve: a solve that goes on from a checkpoint makes it again.
func (f *Refinement[V, S]) Accompanied() (d, p []float64) {
	c := f.Correction
	if c.companion.of == nil || c.companion.of != c.Attempts.Preconditioner() {
		return nil, nil
	}
	c.Attempts.Tally.Count++
	return c.companion.d, c.companion.p
}

// precond returns the preconditioner in use for a method, accompanied where a companion waits for complete factors.
func (c *Correction[V, S]) precond(p *choice.Preconditioner[V, S]) krylov.Preconditioner[V] {
	if _, here := any(c.Z).(vector); here && c.companion.make != nil && c.companion.of != p && c.Attempts.Now().Complete() {
		return accompanied[V, S]{p, c}
	}
	return p.ForMethod()
}

// accompanied is a preconditioner whose first application has a companion.
type accompanied[V any, S linop.Scalar[S]] struct {
	*choice.Preconditioner[V, S]
	c *Correction[V, S]
}

// Apply computes dst = M^-1 src.
func (a accompanied[V, S]) Apply(dst, src V) {
	c := a.c
	with := &c.companion
	if with.of == a.Preconditioner {
		a.Preconditioner.Apply(dst, src)
		return
	}
	with.p, with.of = with.make(), a.Preconditioner
	rhs, d := c.At.New(), c.At.New()
	e := c.Scaling.Residual(rhs, any(with.p).(V))
	a.ApplyTwo(any(dst).(vector), any(src).(vector), any(d).(vector), any(rhs).(vector))
	c.Scaling.Correction(d, d, e)
	with.d = any(d).(vector)
}
