package choice

import (
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// refusal is why a preconditioner could not be set up.
type refusal struct {
	Err    error
	Budget float64
	Took   float64 // multiplications
}

// Tally counts applications of preconditioners.
type Tally struct {
	Count   int
	Elapsed time.Duration
}

func (t *Tally) add(start time.Time) {
	t.Count++
	t.Elapsed += time.Since(start)
}

// A setUp makes a preconditioner within a budget of multiplications (0: no limit), and returns the multiplications that it took. The
// preconditioner is made of the matrix in the precision at, or in the precision in use if at is nil.
type setUp[V any] func(v Variant, budget float64, at *Precision) (by krylov.Preconditioner[V], made precond.Preconditioner, work float64, err error)

// make sets up a preconditioner. If the set-up is interrupted, there is no preconditioner from then on.
func (t *Attempts[V, S]) make(v Variant, budget float64, at *Precision, setUp setUp[V]) (work float64, err error) {
	start := time.Now()
	by, made, work, err := setUp(v, budget, at)
	took := time.Since(start)
	t.SettingUp += took
	t.Current.Setup = took
	switch {
	case errors.Is(err, precond.ErrInterrupted): // there will be no iterations either
		t.log(fmt.Sprintf("precond %v", err))
		t.alone = true
		return work, nil
	case err != nil:
		return work, err
	}
	with := t.State.Fallbacks[t.State.Fallback].Made
	t.Ready[v] = &Preconditioner[V, S]{By: by, Made: made, Setup: took, Work: work, at: with, Solves: t.solves, Tally: &t.Tally}
	t.Known[v] = known{with, work}
	c := made.Cost()
	t.log(fmt.Sprintf("precond %v: set up in %.3f s; %s (%s in FP64)", made, took.Seconds(),
		humanize.Bytes(uint64(c.Bytes)), humanize.Bytes(uint64(c.FP64Bytes))))
	return work, nil
}

// Held returns the memory, in bytes, of the preconditioners that have been set up, and of the current method beyond the method chosen
// first.
func (t *Attempts[V, S]) Held() (bytes int64) {
	bytes = t.beyond(t.Now().Method)
	for _, p := range t.Ready {
		bytes += p.Made.Cost().Bytes
	}
	return bytes
}

// Release releases the preconditioners that have been set up, for one that needs their memory. A fallback that is visited
// again sets its preconditioner up again, see again.
func (t *Attempts[V, S]) Release() {
	t.log("precond released: those of earlier attempts, for their memory")
	clear(t.Ready)
}

// Preconditioner is a preconditioner that has been set up. Its applications are counted and timed.
type Preconditioner[V any, S linop.Scalar[S]] struct {
	By     krylov.Preconditioner[V] // where the vectors are
	Made   precond.Preconditioner   // on the host
	Setup  time.Duration
	Work   float64   // multiplications to set it up
	at     Precision // of the method's matrix at the set-up
	Solves int       // number of solves begun until the set-up
	*Tally
}

// Data returns the data of the preconditioner.
func (p *Preconditioner[V, S]) Data() precond.Data { return p.Made.Data() }

// Apply computes dst = M^-1 src.
func (p *Preconditioner[V, S]) Apply(dst, src V) {
	defer p.add(time.Now())
	p.By.Apply(dst, src)
}

// ApplyTwo computes d = M^-1 r beside dst = M^-1 src, together where M can. It counts as one application.
func (p *Preconditioner[V, S]) ApplyTwo(dst, src, d, r []float64) {
	defer p.add(time.Now())
	switch by := any(p.By).(type) {
	case krylov.SeveralPreconditioner:
		by.ApplyMany([][]float64{dst, d}, [][]float64{src, r})
	case krylov.Preconditioner[[]float64]:
		by.Apply(dst, src)
		by.Apply(d, r)
	}
}

// ForMethod returns p for krylov.Options.Precond.
func (p *Preconditioner[V, S]) ForMethod() krylov.Preconditioner[V] {
	if by, ok := p.By.(krylov.FusedPreconditioner[V, S]); ok {
		return fusedPreconditioner[V, S]{p, by}
	}
	return p
}

// fusedPreconditioner is a preconditioner that does passes of conjugate gradients.
type fusedPreconditioner[V any, S linop.Scalar[S]] struct {
	*Preconditioner[V, S]
	krylov.FusedPreconditioner[V, S]
}

// Apply computes dst = M^-1 src.
func (p fusedPreconditioner[V, S]) Apply(dst, src V) { p.Preconditioner.Apply(dst, src) }

// ApplyInput applies M^-1 to the input.
func (p fusedPreconditioner[V, S]) ApplyInput() S {
	defer p.add(time.Now())
	return p.FusedPreconditioner.ApplyInput()
}

// ApplyT computes dst = M^-T src.
func (p *Preconditioner[V, S]) ApplyT(dst, src V) {
	defer p.add(time.Now())
	p.By.(krylov.TransposedPreconditioner[V]).ApplyT(dst, src)
}

// levels are the accuracies of storage that a solve tries one after the other. Storage without errors follows the last.
var levels = []float64{0x1p-24, 0x1p-37, 0x1p-53}

// Precision is the accuracy of a storage.
type Precision struct {
	Plain    bool // FP64
	Lossless bool // without errors, in slots
	Epsilon  float64
	Layout   adaptive.Layout // of FP64, if it is another one than CSR: the order of sums depends on it
}

// PrecisionOf returns the precision of a storage.
func PrecisionOf(t solve.Storage) Precision {
	p := Precision{Plain: rules.Plain(t), Lossless: rules.Exact(t) && !rules.Plain(t), Epsilon: t.Epsilon}
	if p.Plain && t.Layout.FP64() && t.Layout != adaptive.CSR {
		p.Layout = t.Layout
	}
	return p
}

// NextStorage returns the storage to go on with after a method with storage t has stopped for a reason: the next level if
// the accuracy may be the cause, and one without errors otherwise.
func NextStorage(t solve.Storage, reason krylov.Reason) solve.Storage {
	if reason == krylov.Slow || reason == krylov.Indefinite {
		for _, eps := range levels {
			if eps < t.Epsilon && !t.Set.Uniform {
				return StorageAt(t, Precision{Epsilon: eps})
			}
		}
	}
	return rules.Lossless(t)
}

// StorageAt returns the storage t with another precision.
func StorageAt(t solve.Storage, p Precision) solve.Storage {
	switch {
	case p.Plain:
		t = rules.FP64(t)
		t.Layout = p.Layout
		return t
	case p.Lossless:
		return rules.Lossless(t)
	case rules.Exact(t): // by the rules
		t = rules.StorageWithDefaults(solve.Storage{Epsilon: p.Epsilon, Criterion: t.Criterion, DD: t.DD}, false, false)
	case p.Epsilon == t.Epsilon:
		return t
	}
	t.Epsilon, t.GuardBits = p.Epsilon, 0
	t.NoDrop = t.NoDrop && rules.Spec(t, false).Validate() == nil
	return t
}
