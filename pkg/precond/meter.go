package precond

import "context"

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
