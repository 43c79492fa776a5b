package solve

import (
	"errors"
	"iter"
	"time"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// Solves in lockstep are ordinary solves, each in a coroutine, which wait where they need what may be had together:
// a product with a matrix, or an application of a preconditioner. When all of them wait, those that
// wait for the same are served in one pass. Each gets the bits that it would get alone, whatever its
// method does in between, and however many iterations it takes.

// A request is what a solve waits for: a product, an application, which has Dst and Src alone, a cycle of multigrid, a solve by block CG, or the
// judgement of its x.
type request struct {
	linop.Product
	copy   precond.Preconditioner // that waits for its cycle
	column *krylov.Column         // of block CG, of which so many are solved for together
	size   int
	alone  bool // there are none to solve with
	spent  away // share of the time of products and applications of a block
	judge  func(pool *parallel.Pool)
	of     served
	passed int           // how often others were served before it
	share  time.Duration // that serving it took
}

// served is what serves several requests in one pass. It is comparable: requests with the same one
// are served together.
type served interface{ serve(requests []*request) }

// patience is how often a request is passed over for a larger group, so that solves which are a step
// apart fall in step.
const patience = 2

// member is a solve in lockstep.
type member struct {
	next    func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	waiting *request // nil: it has ended
	rhs     int      // that it solves for
	away    away
}

// away is the time that a member has waited, less its share of serving what it waited for.
type away struct{ products, applications, solves, judgements time.Duration }

// errStopped ends a member whose lockstep has failed.
var errStopped = errors.New("solve: lockstep stopped")

// ask waits until a request has been served.
func (m *member) ask(r *request) {
	start := time.Now()
	m.waiting = r
	if !m.yield(struct{}{}) {
		panic(errStopped)
	}
	waited := time.Since(start) - r.share
	switch r.of.(type) {
	case severalProducts:
		m.away.products += waited
	case blockSolves:
		m.away.solves += waited
	case judgements:
		m.away.judgements += waited
	default:
		m.away.applications += waited
	}
}

// together runs solves, each of which may ask as a member, to their ends.
func together(members []*member, solve func(m *member)) {
	for _, m := range members {
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
	going := members
	for _, m := range members {
		m.goOn()
	}
	for {
		var waiting []*member
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
func (m *member) goOn() {
	m.waiting = nil
	m.next()
}

// serveNext serves the largest group of those that wait for the same, or that of one which has been
// patient, and lets it go on. Solves by block CG and judgements wait for all others.
func serveNext(waiting []*member) {
	var brief []*member
	for _, m := range waiting {
		switch m.waiting.of.(type) {
		case blockSolves, judgements:
		default:
			brief = append(brief, m)
		}
	}
	if len(brief) > 0 {
		waiting = brief
	}
	groups := map[served]int{}
	for _, m := range waiting {
		groups[m.waiting.of]++
	}
	best := waiting[0].waiting.of
	for _, m := range waiting {
		if m.waiting.passed >= patience {
			best = m.waiting.of
			break
		}
		if groups[m.waiting.of] > groups[best] {
			best = m.waiting.of
		}
	}
	var requests []*request
	var group []*member
	for _, m := range waiting {
		if m.waiting.of == best {
			requests, group = append(requests, m.waiting), append(group, m)
		} else {
			m.waiting.passed++
		}
	}
	start := time.Now()
	best.serve(requests)
	share := time.Since(start) / time.Duration(len(requests))
	for _, m := range group {
		m.waiting.share = share
		m.goOn()
	}
}

// severalProducts are the products with a matrix.
type severalProducts struct{ linop.SeveralOperator }

func (p severalProducts) serve(requests []*request) {
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
func (m *member) product(of severalProducts, p linop.Product) [2]float64 {
	r := request{Product: p, of: of}
	m.ask(&r)
	return r.Sums
}

// memberOperator is an operator whose products a member waits for; the rest is its own.
type memberOperator struct {
	linop.Operator[vector, scalar]
	*member
	of severalProducts
}

// Apply computes dst = A src.
func (a memberOperator) Apply(dst, src vector) {
	a.product(a.of, linop.Product{Dst: dst, Src: src})
}

// ApplyDot computes dst = A src and returns dst·w.
func (a memberOperator) ApplyDot(dst, src, w vector) scalar {
	return scalar(a.product(a.of, linop.Product{Epilogue: linop.WithDot, Dst: dst, Src: src, W: w})[0])
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a memberOperator) ApplyDots(dst, src, w vector) (dw, dd scalar) {
	sums := a.product(a.of, linop.Product{Epilogue: linop.WithDots, Dst: dst, Src: src, W: w})
	return scalar(sums[0]), scalar(sums[1])
}

// severalApplications are those of a preconditioner.
type severalApplications struct{ precond.Several }

func (p severalApplications) serve(requests []*request) {
	dst, src := make([]vector, len(requests)), make([]vector, len(requests))
	for k, r := range requests {
		dst[k], src[k] = r.Dst, r.Src
	}
	p.ApplyMany(dst, src)
}

// memberApplication is a preconditioner whose applications a member waits for.
type memberApplication struct {
	by precond.Several
	*member
}

// Apply computes dst = M^-1 src.
func (p memberApplication) Apply(dst, src vector) {
	p.ask(&request{Product: linop.Product{Dst: dst, Src: src}, of: severalApplications{p.by}})
}

// severalCycles are those of multigrid.
type severalCycles struct{ precond.Cycles }

func (p severalCycles) serve(requests []*request) {
	copies := make([]precond.Preconditioner, len(requests))
	for k, r := range requests {
		copies[k] = r.copy
	}
	p.Together(copies)
}
