package solve

import (
	"context"
	"sync"

	"github.com/mpsolve/mpsolve/pkg/dist"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// agreement is a context that the ranks of a job share: where they look at their own contexts together, it ends if one of
// these has ended, and nowhere else. So what depends on it goes the same way on all ranks.
type agreement struct {
	context.Context // of this rank
	comm            dist.Comm
	done            chan struct{}
	patient         bool // what goes on looks at Err where it can be gone on from, and ends there

	mu  sync.Mutex
	err error
}

func newAgreement(ctx context.Context, c dist.Comm) *agreement {
	return &agreement{Context: ctx, comm: c, done: make(chan struct{})}
}

// Done is closed when the ranks have agreed that the work ends.
func (a *agreement) Done() <-chan struct{} { return a.done }

// Err is context.DeadlineExceeded or context.Canceled then.
func (a *agreement) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// look returns Err after the ranks have looked at their contexts. Collective.
func (a *agreement) look() error {
	a.reason(krylov.Running)
	return a.Err()
}

// reason is krylov.Options.Agree: the most serious of the reasons of all ranks, the end of a context included. Collective.
func (a *agreement) reason(own krylov.Reason) krylov.Reason {
	ended := krylov.Running
	if a.Context.Err() != nil {
		ended = krylov.Ended(a.Context)
	}
	common := []int64{seriousness(own), seriousness(ended)}
	a.comm.Max(common)
	own, ended = ofSeriousness(common[0]), ofSeriousness(common[1])
	if !a.patient && limited(ended) {
		own = moreSerious(own, ended)
	}
	switch moreSerious(own, ended) {
	case krylov.TimeLimit:
		a.end(context.DeadlineExceeded)
	case krylov.Interrupted:
		a.end(context.Canceled)
	}
	return own
}

// end ends the context, once.
func (a *agreement) end(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
		close(a.done)
	}
}

// outside is the code of a Reason that comes from outside, which goes before all others.
const outside = 1 << 20

// seriousness is larger for a Reason that ranks follow if one of them has it: failures go before going on, and that before
// having converged.
func seriousness(r krylov.Reason) int64 {
	if limited(r) {
		return outside - int64(r)
	}
	return -int64(r)
}

// ofSeriousness is the inverse of seriousness.
func ofSeriousness(code int64) krylov.Reason {
	if code > outside {
		code -= outside
	}
	return krylov.Reason(-code)
}

func moreSerious(a, b krylov.Reason) krylov.Reason {
	return ofSeriousness(max(seriousness(a), seriousness(b)))
}

// ownContext is the context of this rank alone, for what makes ranks agree by itself.
func ownContext(ctx context.Context) context.Context {
	if shared, ok := ctx.(*agreement); ok {
		return shared.Context
	}
	return ctx
}
