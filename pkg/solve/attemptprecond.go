package solve

import (
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// refusal is why a preconditioner could not be set up.
type refusal struct {
	err    error
	budget float64
	took   float64 // multiplications
}

// tally counts applications of preconditioners.
type tally struct {
	count   int
	elapsed time.Duration
}

func (t *tally) add(start time.Time) {
	t.count++
	t.elapsed += time.Since(start)
}

// setUp is what makes a preconditioner, within a budget of multiplications (0: no limit), and
// says how many it took: of the matrix in use, or of that with the precision at.
type setUp[V any] func(v variant, budget float64, at *precision) (by krylov.Preconditioner[V], made precond.Preconditioner, work float64, err error)

// make sets up a preconditioner. If that is interrupted, there is none from then on.
func (t *attempts[V, S]) make(v variant, budget float64, at *precision, setUp setUp[V]) (work float64, err error) {
	start := time.Now()
	by, made, work, err := setUp(v, budget, at)
	took := time.Since(start)
	t.settingUp += took
	t.current.Setup = took
	switch {
	case errors.Is(err, precond.ErrInterrupted): // there will be no iterations either
		t.log(fmt.Sprintf("precond %v", err))
		t.alone = true
		return work, nil
	case err != nil:
		return work, err
	}
	with := t.state.Rungs[t.state.Rung].Made
	t.ready[v] = &preconditioner[V, S]{by: by, made: made, setup: took, work: work, at: with, solves: t.solves, tally: &t.tally}
	t.known[v] = known{with, work}
	c := made.Cost()
	t.log(fmt.Sprintf("precond %v: set up in %.3f s; %s (%s in FP64)", made, took.Seconds(),
		humanize.Bytes(uint64(c.Bytes)), humanize.Bytes(uint64(c.FP64Bytes))))
	return work, nil
}

// held is the memory of the preconditioners that have been set up, and of the current method beyond that chosen first.
func (t *attempts[V, S]) held() (bytes int64) {
	bytes = t.beyond(t.now().method)
	for _, p := range t.ready {
		bytes += p.made.Cost().Bytes
	}
	return bytes
}

// release gives up the preconditioners that have been set up, for one that needs their memory.
// Those that the ladder comes back to are set up again, see again.
func (t *attempts[V, S]) release() {
	t.log("precond released: those of earlier attempts, for their memory")
	clear(t.ready)
}

// preconditioner is one that has been set up, timed.
type preconditioner[V any, S linop.Scalar[S]] struct {
	by     krylov.Preconditioner[V] // where the vectors are
	made   precond.Preconditioner   // on the host
	setup  time.Duration
	work   float64   // multiplications to set it up
	at     precision // of the method's matrix then
	solves int       // begun then
	*tally
}

// Data is that of the preconditioner.
func (p *preconditioner[V, S]) Data() precond.Data { return p.made.Data() }

// Apply computes dst = M^-1 src.
func (p *preconditioner[V, S]) Apply(dst, src V) {
	defer p.add(time.Now())
	p.by.Apply(dst, src)
}

// forMethod is p as krylov.Options have it.
func (p *preconditioner[V, S]) forMethod() krylov.Preconditioner[V] {
	if by, ok := p.by.(krylov.FusedPreconditioner[V, S]); ok {
		return fusedPreconditioner[V, S]{p, by}
	}
	return p
}

// fusedPreconditioner is one that does passes of conjugate gradients.
type fusedPreconditioner[V any, S linop.Scalar[S]] struct {
	*preconditioner[V, S]
	krylov.FusedPreconditioner[V, S]
}

// Apply computes dst = M^-1 src.
func (p fusedPreconditioner[V, S]) Apply(dst, src V) { p.preconditioner.Apply(dst, src) }

// ApplyInput applies M^-1 to the input.
func (p fusedPreconditioner[V, S]) ApplyInput() S {
	defer p.add(time.Now())
	return p.FusedPreconditioner.ApplyInput()
}
