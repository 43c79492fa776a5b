package ranks

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// An Agreement is a context that the ranks of a job share. It ends only where the ranks look at their own contexts together, if
// one of these has ended. So all ranks take the same decisions by it.
type Agreement struct {
	context.Context // of this rank
	comm            dist.Comm
	done            chan struct{}
	Patient         bool // methods end only where a checkpoint has been taken, by Err

	mu    sync.Mutex
	Fault error
}

// NewAgreement returns the agreement of the ranks of c. If that is a [dist.Hearing], its sums tell that the context of a rank has ended.
func NewAgreement(ctx context.Context, c dist.Comm) *Agreement {
	if h, ok := c.(*dist.Hearing); ok {
		h.Speaks = func() bool { return ctx.Err() != nil }
	}
	return &Agreement{Context: ctx, comm: c, done: make(chan struct{})}
}

// Done is closed when the ranks have agreed that the work ends.
func (a *Agreement) Done() <-chan struct{} { return a.done }

// Err returns context.DeadlineExceeded or context.Canceled once the ranks have agreed that the work ends, and nil before.
func (a *Agreement) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.Fault
}

// Look makes the ranks look at their contexts, and returns Err. Collective.
func (a *Agreement) Look() error {
	a.Reason(krylov.Running)
	return a.Err()
}

// Follow implements krylov.Options.Agree for ranks whose own reasons follow from numbers that all ranks have, and so are the same: it
// is Reason, without a message where the ranks go on and the sums of the iteration have told that no context has ended.
func (a *Agreement) Follow(own krylov.Reason) krylov.Reason {
	if h, ok := a.comm.(*dist.Hearing); ok && h.Quiet() && own == krylov.Running {
		return own
	}
	return a.Reason(own)
}

// Reason implements krylov.Options.Agree: it returns the most serious of the reasons of all ranks, the end of a context included.
// Collective.
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

// outside is the code of a Reason that comes from outside, which takes precedence over all others.
const outside = 1 << 20

// Seriousness orders reasons: all ranks follow the most serious one. A failure is more serious than going on, and going on is more
// serious than convergence.
func Seriousness(r krylov.Reason) int64 {
	if Limited(r) {
		return outside - int64(r)
	}
	return -int64(r)
}

// OfSeriousness is the inverse of Seriousness.
func OfSeriousness(code int64) krylov.Reason {
	if code > outside {
		code -= outside
	}
	return krylov.Reason(-code)
}

// MoreSerious returns the more serious of two reasons.
func MoreSerious(a, b krylov.Reason) krylov.Reason {
	return OfSeriousness(max(Seriousness(a), Seriousness(b)))
}

// OwnContext returns the context of this rank alone, for functions in which ranks agree by other means.
func OwnContext(ctx context.Context) context.Context {
	if shared, ok := ctx.(*Agreement); ok {
		return shared.Context
	}
	return ctx
}

// Limited reports whether a solve was ended from outside.
func Limited(r krylov.Reason) bool { return r == krylov.TimeLimit || r == krylov.Interrupted }

// AgreeMemory sets the memory limit to the limit of rank 0. Collective.
func AgreeMemory(c dist.Comm, limit *int64) {
	own := []int64{*limit}
	*limit = dist.Numbers[int64](dist.Share(c, 0, dist.Bytes(own)))[0]
}

// AgreeMachine makes ranks on processors of several kinds store the matrix alike. It sets t.Kernels to the best kernels of rank 0
// that every rank would accept, and t.Model to rank 0's model of them. differ reports whether any rank would have taken other kernels.
// Collective.
func AgreeMachine(c dist.Comm, t *solve.Storage) (differ bool, err error) {
	if c.Size() == 1 {
		return false, nil
	}
	own := kernels.Find(t.Kernels).Or()
	var names []string
	for _, k := range kernels.Sets() {
		if names = append(names, k.String()); k.String() == own.String() {
			break
		}
	}
	var common []string
	for r, b := range c.Gather([]byte(strings.Join(names, " "))) {
		has := strings.Fields(string(b))
		if r == 0 {
			common = has
		}
		differ = differ || !slices.Equal(has, common)
		common = slices.DeleteFunc(common, func(name string) bool { return !slices.Contains(has, name) })
	}
	if len(common) == 0 { // programs of several builds
		return differ, fmt.Errorf("solve: the ranks have no kernels in common")
	}
	if t.Kernels = common[len(common)-1]; t.Kernels != own.String() || t.Model == nil {
		t.Model = adaptive.ModelOf(t.Kernels)
	}
	text, err := json.Marshal(t.Model)
	if text = dist.Share(c, 0, text); c.Rank() > 0 {
		t.Model = new(adaptive.Model)
		err = json.Unmarshal(text, t.Model)
	}
	return differ, AgreeError(c, err)
}
