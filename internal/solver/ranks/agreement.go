package ranks

import (
	"context"
	"sync"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// Agreement is a context that the ranks of a job share: where they look at their own contexts together, it ends if one of
// these has ended, and nowhere else. So what depends on it goes the same way on all ranks.
type Agreement struct {
	context.Context // of this rank
	comm            dist.Comm
	done            chan struct{}
	Patient         bool // what goes on looks at Err where it can be gone on from, and ends there

	mu    sync.Mutex
	Fault error
}

func NewAgreement(ctx context.Context, c dist.Comm) *Agreement {
	return &Agreement{Context: ctx, comm: c, done: make(chan struct{})}
}

// Done is closed when the ranks have agreed that the work ends.
func (a *Agreement) Done() <-chan struct{} { return a.done }

// Err is context.DeadlineExceeded or context.Canceled then.
func (a *Agreement) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.Fault
}

// look returns Err after the ranks have looked at their contexts. Collective.
func (a *Agreement) Look() error {
	a.Reason(krylov.Running)
	return a.Err()
}

// Reason is krylov.Options.Agree: the most serious of the reasons of all ranks, the end of a context included. Collective.
func (a *Agreement) Reason(own krylov.Reason) krylov.Reason {
	ended := krylov.Running
	if a.Context.Err() != nil {
		ended = krylov.Ended(a.Context)
	}
	common := []int64{Seriousness(own), Seriousness(ended)}
	a.comm.Max(common)
	own, ended = OfSeriousness(common[0]), OfSeriousness(common[1])
	if !a.Patient && Limited(ended) {
		own = MoreSerious(own, ended)
	}
	switch MoreSerious(own, ended) {
	case krylov.TimeLimit:
		a.end(context.DeadlineExceeded)
	case krylov.Interrupted:
		a.end(context.Canceled)
	}
	return own
}

// end ends the context, once.
func (a *Agreement) end(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.Fault == nil {
		a.Fault = err
		close(a.done)
	}
}

// outside is the code of a Reason that comes from outside, which goes before all others.
const outside = 1 << 20

// Seriousness is larger for a Reason that ranks follow if one of them has it: failures go before going on, and that before
// having converged.
func Seriousness(r krylov.Reason) int64 {
	if Limited(r) {
		return outside - int64(r)
	}
	return -int64(r)
}

// OfSeriousness is the inverse of seriousness.
func OfSeriousness(code int64) krylov.Reason {
	if code > outside {
		code -= outside
	}
	return krylov.Reason(-code)
}

func MoreSerious(a, b krylov.Reason) krylov.Reason {
	return OfSeriousness(max(Seriousness(a), Seriousness(b)))
}

// OwnContext is the context of this rank alone, for what makes ranks agree by itself.
func OwnContext(ctx context.Context) context.Context {
	if shared, ok := ctx.(*Agreement); ok {
		return shared.Context
	}
	return ctx
}

// limited reports whether a solve was ended from outside.
func Limited(r krylov.Reason) bool { return r == krylov.TimeLimit || r == krylov.Interrupted }
