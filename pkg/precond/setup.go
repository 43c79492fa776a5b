package precond

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// setup is the input of setting up a preconditioner.
type setup struct {
	Options
	ctx  context.Context
	m    *csr.Matrix
	pool *parallel.Pool

	whole  int64                 // nonzeros of the matrix that MaxWork is for; 0: the nonzeros of m
	values func(i int) []float64 // of row i of A, of which m is a diagonal block; nil: of m
}

// newSetup returns a setup whose loops end with the context.
func newSetup(ctx context.Context, m *csr.Matrix, opt Options, pool *parallel.Pool) setup {
	return setup{Options: opt.withDefaults(), ctx: ctx, m: m, pool: pool.Until(ctx)}
}

// space returns vectors of an application.
func (s *setup) space(n int) linop.Host {
	h := linop.NewHost(n, s.pool)
	kernels.Use(h, s.kernels)
	return h
}

// end is deferred by what calls a function that sets up: if a loop was interrupted, the error
// is ErrInterrupted.
func (s *setup) end(err *error) {
	s.pool.Forever()
	if r := recover(); r == parallel.ErrInterrupted {
		*err = ErrInterrupted
	} else if r != nil {
		panic(r)
	}
}

// logf passes a formatted line to Options.Log.
func (s *setup) logf(format string, args ...any) { s.Log(fmt.Sprintf(format, args...)) }

// interrupted returns ErrInterrupted if the context is done.
func (s *setup) interrupted() error {
	if s.ctx.Err() != nil {
		return ErrInterrupted
	}
	return nil
}

// checkWork returns ErrWork if that many multiplications exceed Options.MaxWork.
func (s *setup) checkWork(multiplications int64) error {
	if s.Worked != nil {
		s.Worked(multiplications)
	}
	return s.checkExcess(float64(multiplications)/float64(cmp.Or(s.whole, int64(s.m.NNZ()))), true)
}

// checkExcess returns ErrWork, and an order.Excess, if that many multiplications per nonzero exceed Options.MaxWork.
func (s *setup) checkExcess(work float64, atLeast bool) error {
	if s.MaxWork > 0 && work > s.MaxWork {
		return fmt.Errorf("%w: %w", ErrWork, &order.Excess{Work: work, Limit: s.MaxWork, AtLeast: atLeast})
	}
	return nil
}

// elimination watches over a factorisation row by row, or front by front.
type elimination struct {
	*setup
	meter
	*progress
	multiplications int64
}

// eliminating returns the watch of a factorisation that makes something in so many steps. Each thread needs a copy.
func (s *setup) eliminating(of string, steps float64) *elimination {
	s.Stage("0% of " + of)
	return &elimination{s, meter{ctx: s.ctx}, &progress{of: of, steps: steps}, 0}
}

// count counts operations, and what steps they make. Now and then it tells how many are done.
func (t *elimination) count(operations, steps int) error {
	if t.done.Add(int64(steps)); t.work+int64(operations) >= t.next {
		t.tell(t.Stage)
	}
	return t.spend(operations)
}

// row returns the error that ends the factorisation at a row of that many entries and
// multiplications, if any.
func (t *elimination) row(entries, multiplications int) error {
	t.multiplications += int64(multiplications)
	return cmp.Or(t.count(entries+multiplications, 1), t.checkWork(t.multiplications))
}

// checkMemory returns ErrMemory if setting up something of that many bytes takes more than Options.MaxBytes, see
// Description.Making. It comes before the memory is allocated, and Options.Needs is told.
func (s *setup) checkMemory(bytes int64) error {
	if err := s.fits(bytes); err != nil {
		return err
	}
	if s.Needs != nil {
		s.Needs(s.counted(bytes))
	}
	return nil
}

// counted returns the bytes that setting up something of that many bytes counts as.
func (s *setup) counted(bytes int64) int64 {
	if s.making > 0 {
		return int64(s.making * float64(bytes))
	}
	return bytes
}

// fits is checkMemory for an upper bound of the memory, without telling Options.Needs.
func (s *setup) fits(bytes int64) error {
	if bytes = s.counted(bytes); s.MaxBytes > 0 && bytes > s.MaxBytes {
		return fmt.Errorf("%w: %s are needed, %s are left for it", ErrMemory, humanize.Bytes(uint64(bytes)), humanize.Bytes(uint64(s.MaxBytes)))
	}
	return nil
}

// checkFinite reports a row with an entry that is not finite.
func (s *setup) checkFinite() error {
	if bad := s.infiniteRow(); bad >= 0 {
		return errInfinite(int64(bad))
	}
	return nil
}

func errInfinite(row int64) error {
	return fmt.Errorf("row %d has an entry that is not finite", row+1)
}

// infiniteRow returns the first row with an entry that is not finite, -1 if there is none.
func (s *setup) infiniteRow() int {
	bounds := csr.Panels(s.m)
	bad := make([]int, len(bounds)-1) // the number of such a row; 0: none
	s.pool.RunRanges(bounds, func(panel, lo, hi int) {
		for i := lo; i < hi; i++ {
			if _, vals := s.m.Row(i); slices.ContainsFunc(vals, infinite) {
				bad[panel] = i + 1
				return
			}
		}
	})
	for _, row := range bad {
		if row > 0 {
			return row - 1
		}
	}
	return -1
}

func finite(x float64) bool { return x-x == 0 }

func infinite(x float64) bool { return !finite(x) }

// factorWork is an estimate of the cost of a complete factorisation.
type factorWork struct {
	Entries         int64   // of both factors, without the diagonal
	Multiplications float64 // of the numerical phase
	Bytes           int64   // that the factors take
}

// add adds the factors of a diagonal block, of which that share is needed.
func (w *factorWork) add(e order.Elimination, share float64) {
	w.Entries += int64(2 * share * float64(e.Entries))
	w.Multiplications += share * e.Multiplications
}

// checkEstimate returns ErrWork if the estimated work exceeds the limit.
func (s *setup) checkEstimate(w factorWork) error {
	return s.checkExcess(w.Multiplications/float64(s.m.NNZ()), false)
}

// workBetweenChecks is the number of operations, of a few nanoseconds each, after which
// set-ups look at their context: some milliseconds, and some tens of them at the worst.
const workBetweenChecks = 1 << 20

// A meter counts the operations of a set-up, such as entries visited and multiplications,
// and looks at the context now and then.
type meter struct {
	ctx    context.Context
	work   int64
	next   int64 // work at which it looks again
	budget int64 // 0: no limit
}

// spend counts operations. The error is ErrInterrupted if the context is done, ErrWork
// beyond the budget.
func (t *meter) spend(operations int) error {
	t.work += int64(operations)
	if t.work < t.next {
		return nil
	}
	t.next = t.work + workBetweenChecks
	if t.ctx.Err() != nil {
		return ErrInterrupted
	}
	if t.exhausted() {
		return ErrWork
	}
	return nil
}

// exhausted reports whether the budget is used up.
func (t *meter) exhausted() bool { return t.budget > 0 && t.work > t.budget }
