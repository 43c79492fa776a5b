package matrixmarket

import (
	"sync"
	"sync/atomic"
	"time"
)

// A progress reports how much of a file has been read.
type progress struct {
	report func(done, total int64) // may be nil
	total  int64                   // -1: unknown
	done   atomic.Int64

	mu      sync.Mutex
	last    int64 // reported
	when    time.Time
	stopped bool
}

// Reports come after so much time or so many bytes, whichever is first.
const (
	progressEvery = 50 * time.Millisecond
	progressBytes = 4 << 20
)

// add counts n bytes more. It may be called by several goroutines at a time.
func (p *progress) add(n int64) {
	done := p.done.Add(n)
	if p.report == nil || !p.mu.TryLock() {
		return // another goroutine is reporting
	}
	defer p.mu.Unlock()
	if p.stopped || done <= p.last {
		return
	}
	if now := time.Now(); done-p.last >= progressBytes || now.Sub(p.when) >= progressEvery {
		p.when, p.last = now, done
		p.report(done, p.total)
	}
}

// finish reports the end of the file.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	done := p.done.Load()
	if p.total >= 0 {
		done = p.total
	}
	if p.report != nil && !p.stopped && done > p.last {
		p.last = done
		p.report(done, p.total)
	}
}

// stop waits for a report in progress and prevents others.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
}
