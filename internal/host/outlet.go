// An Outlet writes to what may never be read: a pipe whose reader has stalled, a terminal that is stopped. Such a
// write may wait for its reader as long as the program runs, but must not keep the program from ending.
package host

import (
	"bytes"
	"errors"
	"sync/atomic"
	"time"
)

// OutletGrace is the time that a write may still take once the program is to end.
const OutletGrace = 300 * time.Millisecond

// ErrStalled is the error of a write that was given up.
var ErrStalled = errors.New("nobody reads it")

// WithinGrace runs f and reports whether it has returned. It gives up waiting [OutletGrace] after ended was closed.
func WithinGrace(ended <-chan struct{}, f func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		return true
	case <-ended:
	}
	select {
	case <-done:
		return true
	case <-time.After(OutletGrace):
		return false
	}
}

// Outlet writes to what may never be read. After a write that was given up all others fail at once.
type Outlet struct {
	write   func([]byte) (int, error)
	ended   <-chan struct{}
	stalled atomic.Bool
}

// NewOutlet returns an Outlet that writes by a function, and stops waiting once ended is closed, which a nil channel
// never is.
func NewOutlet(ended <-chan struct{}, write func([]byte) (int, error)) *Outlet {
	return &Outlet{write: write, ended: ended}
}

// Write writes p, or fails with [ErrStalled].
func (o *Outlet) Write(p []byte) (n int, err error) {
	if o.stalled.Load() {
		return 0, ErrStalled
	}
	type outcome struct {
		n   int
		err error
	}
	own, done := bytes.Clone(p), make(chan outcome, 1) // p may be reused by the caller, whatever becomes of the write
	if !WithinGrace(o.ended, func() { n, err := o.write(own); done <- outcome{n, err} }) {
		o.stalled.Store(true)
		return 0, ErrStalled
	}
	result := <-done
	return result.n, result.err
}
