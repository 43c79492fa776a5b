package solver

import (
	"errors"
	"iter"
	"time"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// Solves in lockstep are ordinary solves, each in a coroutine. They wait where they need something that can be done for several solves
// together: a product with a matrix, or an application of a preconditioner. When all of them wait, the solves that wait for the same
// are served in one pass. Each solve gets the bits that it would get alone, whatever its method does in between, and
// however many iterations it takes.

// A Request is what a solve waits for: a product, an application (with Dst and Src alone), a cycle of multigrid, or the
// judgement of its x.
type Request struct {
	linop.Product
	copy   precond.Preconditioner // waits for its cycle
	Judge  func(pool *parallel.Pool)
	Of     served
	passed int           // how often other requests were served before this one
	share  time.Duration // of the time of serving
}

// A served value serves several requests in one pass. It is comparable: requests with equal values are served together.
type served interface{ Serve(requests []*Request) }

// patience is how often a request is passed over for a larger group, so that solves that are a step apart fall into step.
const patience = 2

// A Column is a solve in lockstep.
type Column struct {
	next    func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	waiting *Request // nil: it has ended
	Rhs     int      // index of the right-hand side
	Away    Away
}

// Away is the time that a column has waited, less its share of the serving.
type Away struct{ products, applications, judgements time.Duration }

func (a Away) total() time.Duration { return a.products + a.applications + a.judgements }

// errStopped ends a column whose lockstep has failed.
var errStopped = errors.New("solve: lockstep stopped")

// Ask waits until a request has been served.
func (m *Column) Ask(r *Request) {
	start := time.Now()
	m.waiting = r
	if !m.yield(struct{}{}) {
		panic(errStopped)
	}
	waited := time.Since(start) - r.share
	switch r.Of.(type) {
	case severalProducts:
		m.Away.products += waited
	case Judgements:
		m.Away.judgements += waited
	default:
		m.Away.applications += waited
	}
}

// Together runs a solve for each column to its end. The solves may call Column.Ask.
func Together(columns []*Column, solve func(m *Column)) {
	for _, m := range columns {
		m.next, m.stop = iter.Pull(func(yield func(struct{}) bool) {
			defer func() {
				if r := recover(); r != nil && r != errStopped {
					panic(r)
				}
			}()
			m.yield = yield
			solve(m)
		})
		defer m.stop()
	}
	going := columns
	for _, m := range columns {
		m.goOn()
	}
	for {
		var waiting []*Column
		for _, m := range going {
			if m.waiting != nil {
				waiting = append(waiting, m)
			}
		}
		if going = waiting; len(going) == 0 {
			return
		}
		serveNext(going)
	}
}

// goOn runs the solve until it asks or ends.
func (m *Column) goOn() {
	m.waiting = nil
	m.next()
}

// serveNext serves the largest group of columns that wait for the same, or the group of a column that has been passed over
// too often, and lets it go on. Judgements wait for all others.
func serveNext(waiting []*Column) {
	var brief []*Column
	for _, m := range waiting {
		if _, is := m.waiting.Of.(Judgements); !is {
			brief = append(brief, m)
		}
	}
	if len(brief) > 0 {
		waiting = brief
	}
	groups := map[served]int{}
	for _, m := range waiting {
		groups[m.waiting.Of]++
	}
	best := waiting[0].waiting.Of
	for _, m := range waiting {
		if m.waiting.passed >= patience {
			best = m.waiting.Of
			break
		}
		if groups[m.waiting.Of] > groups[best] {
			best = m.waiting.Of
		}
	}
	var requests []*Request
	var group []*Column
	for _, m := range waiting {
		if m.waiting.Of == best {
			requests, group = append(requests, m.waiting), append(group, m)
		} else {
			m.waiting.passed++
		}
	}
	start := time.Now()
	best.Serve(requests)
	share := time.Since(start) / time.Duration(len(requests))
	for _, m := range group {
		m.waiting.share = share
		m.goOn()
	}
}

// severalProducts are the products with a matrix.
type severalProducts struct{ linop.SeveralOperator }

func (p severalProducts) Serve(requests []*Request) {
	all := make([]linop.Product, len(requests))
	for k, r := range requests {
		all[k] = r.Product
	}
	p.Several(all)
	for k, r := range requests {
		r.Sums = all[k].Sums
	}
}

// product waits for a product, and returns its sums.
func (m *Column) product(of severalProducts, p linop.Product) [2]float64 {
	r := Request{Product: p, Of: of}
	m.Ask(&r)
	return r.Sums
}

// columnOperator is an operator whose products a column waits for.
type columnOperator struct {
	linop.Operator[vector, scalar]
	*Column
	of severalProducts
}

// Apply computes dst = A src.
func (a columnOperator) Apply(dst, src vector) {
	a.product(a.of, linop.Product{Dst: dst, Src: src})
}

// ApplyDot computes dst = A src and returns dst·w.
func (a columnOperator) ApplyDot(dst, src, w vector) scalar {
	return scalar(a.product(a.of, linop.Product{Epilogue: linop.WithDot, Dst: dst, Src: src, W: w})[0])
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a columnOperator) ApplyDots(dst, src, w vector) (dw, dd scalar) {
	sums := a.product(a.of, linop.Product{Epilogue: linop.WithDots, Dst: dst, Src: src, W: w})
	return scalar(sums[0]), scalar(sums[1])
}

// severalApplications are the applications of a preconditioner.
type severalApplications struct{ krylov.SeveralPreconditioner }

func (p severalApplications) Serve(requests []*Request) {
	dst, src := make([]vector, len(requests)), make([]vector, len(requests))
	for k, r := range requests {
		dst[k], src[k] = r.Dst, r.Src
	}
	p.ApplyMany(dst, src)
}

// columnApplication is a preconditioner whose applications a column waits for.
type columnApplication struct {
	by krylov.SeveralPreconditioner
	*Column
}

// Apply computes dst = M^-1 src.
func (p columnApplication) Apply(dst, src vector) {
	p.Ask(&Request{Product: linop.Product{Dst: dst, Src: src}, Of: severalApplications{p.by}})
}

// A forker keeps state from one call to the next. Fork returns another preconditioner with the same M^-1, so that each of
// several solves that take turns has its own.
type forker interface{ Fork() precond.Preconditioner }

// cycles are forks of one cycle of multigrid that can run together: the matrices of all levels are then read and decoded once.
type cycles interface {
	// ForkWaiting is Fork; where the copy needs a cycle, it calls wait with itself, in which the caller calls Together.
	ForkWaiting(wait func(copy precond.Preconditioner)) precond.Preconditioner

	// Together runs the cycles that copies wait for, with the bits of one after the other.
	Together(copies []precond.Preconditioner)
}

// severalCycles are cycles of multigrid for several requests.
type severalCycles struct{ cycles }

func (p severalCycles) Serve(requests []*Request) {
	copies := make([]precond.Preconditioner, len(requests))
	for k, r := range requests {
		copies[k] = r.copy
	}
	p.Together(copies)
}
