package krylov

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// gmres implements Method.
type gmres[V any, S linop.Scalar[S]] struct {
	driver[V, S]
	opt    GMRESOptions
	v      []V               // the basis; if it is packed, two vectors in turns and one of work
	packed linop.Basis[V, S] // the basis in fewer bits; nil: it is v
	slack  slack

	counted linop.BasisCounts // by solves that have ended
	least   leastSquares[S]
	columns columns[V, S] // of H, that have not been added to least yet
	pace    pace
	steps   int      // of the cycle
	start   State[V] // of the cycle, if there are checkpoints
}

// GMRESOptions are the parameters of GMRES; the zero value is useful.
type GMRESOptions struct {
	Restart int // length m of a cycle; 0: DefaultRestart
	// MaxRestart lets m grow: a cycle that does not halve the residual doubles
	// the next cycle's m, up to MaxRestart. 0: m is fixed.
	MaxRestart int
	// KeepWorse keeps a correction of x that makes the residual worse, as the algorithm is
	// printed.
	KeepWorse bool
	// CGS2 makes vectors orthogonal to the basis by classical Gram-Schmidt, done twice: all inner products at once, so few
	// synchronisations, and orthogonal to working precision ([Giraud05]), for twice the arithmetic. An asynchronous space always has
	// it. Otherwise it is modified Gram-Schmidt, one inner product after the other, each fused with the update before it.
	CGS2 bool

	// Basis is how the basis is stored if the space is a linop.Packer; "": in vectors of the space.
	// Then it is made orthogonal by classical Gram-Schmidt, again where that has cancelled much.
	Basis linop.BasisFormat
}

const (
	// slowCycle is the reduction of ||r|| that a cycle should reach; slower
	// ones grow, if they may.
	slowCycle = 0.5
	// stallCycles slow cycles of the greatest length in a row show the rate of
	// convergence. If the tolerance would need more than hopeless times the
	// iterations that are left, the method stagnates.
	stallCycles = 3
	hopeless    = 4
)

// withDefaults returns the options with the defaults where fields are zero.
func (o GMRESOptions) withDefaults() GMRESOptions {
	if o.Restart <= 0 {
		o.Restart = DefaultRestart
	}
	o.MaxRestart = max(o.MaxRestart, o.Restart)
	return o
}

// gmresVectors is the memory of the longest cycle.
func gmresVectors(n int, use Use) int {
	m := min(use.GMRES.withDefaults().MaxRestart, n)
	switch use.GMRES.Basis { // and three vectors
	case "":
	case linop.BasisFP32:
		m = m/2 + 4
	default:
		m += 4
	}
	switch {
	case use.Preconditioned && use.Flexible:
		return 2*m + 2
	case use.Preconditioned:
		return m + 3
	}
	return m + 2
}

// NewGMRES returns, with its work vectors in space, the generalised minimal residual method of Saad and Schultz for
// general A ([Saad03], algorithm 6.9), restarted. One cycle builds, by
// Arnoldi's process, an orthonormal basis V of the Krylov space of r with
//
//	A V_m = V_(m+1) H,  H upper Hessenberg (m+1 by m),
//
// finds the y that minimises ||beta e_1 - H y|| by Givens rotations, and sets
// x += V y, unless that makes the residual, which is recomputed from A, x and b,
// worse.
//
// A preconditioner is applied from the right ([Saad03], algorithm 9.5): the space is
// that of A M^-1, and x += M^-1 (V y), which after a single step is at hand. Flexible GMRES ([Saad93]) stores z_j = M^-1 v_j,
// with A Z_m = V_(m+1) H, and sets x += Z y.
//
// One product per iteration and one per cycle. Memory: m+2 n-vectors besides x
// and b, taken as they are needed, and one more for M^-1 v, m more for Z. Traffic of
// iteration j of a cycle besides A: about 4j n-vectors, by either way of
// orthogonalisation. On a device whose kernels take k vectors at a time, step j is
// 4 + 4 ceil((j+1)/k) launches.
func NewGMRES[V any, S linop.Scalar[S]](space linop.Space[V, S], opt GMRESOptions) Method[V, S] {
	opt = opt.withDefaults()
	async, ok := space.(linop.Async[V, S])
	if ok {
		opt.CGS2 = true
	}
	m := &gmres[V, S]{
		driver: newDriver(space, deferral[V, S]{}), opt: opt, columns: columns[V, S]{async: async},
		least: newLeastSquares(space.Scalar(1), space.Roundoff()),
	}
	if packer, ok := space.(linop.Packer[V, S]); ok && opt.Basis != "" {
		m.packed = packer.NewBasis(opt.Basis)
	}
	return m
}

// Name returns "gmres".
func (*gmres[V, S]) Name() string { return "gmres" }

// Solve implements Method.
func (m *gmres[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	reason := m.begin(ctx, a, x, b, opt, 0)
	if reason == Running {
		reason = m.cycles()
	}
	m.start = State[V]{}
	m.tally()
	return m.end(reason)
}

// cycles corrects x from the residual r until there is a reason to end.
func (m *gmres[V, S]) cycles() Reason {
	c, p := &m.c, &m.pace
	longest := min(m.opt.MaxRestart, m.space.Dim())
	if c.opt.Resume == nil {
		*p = pace{restart: min(m.opt.Restart, m.space.Dim()), before: norm(m.rr)}
		m.slack = slack{}
	} else {
		m.resume(m)
	}
	for {
		if reason := m.mark(); reason != Running {
			return reason
		}
		start := norm(m.rr)
		reason := m.cycle(p.restart)
		rnorm := norm(m.rr)
		c.result.Residual = rnorm / c.bnorm
		c.least = rnorm // what the cycle thought of it may have been less
		m.slack.learn(start, rnorm, m.least.residual(), p.restart)
		switch {
		case !finite(rnorm):
			reason = NotFinite
		case c.take(m.x, m.r, rnorm):
			reason = Converged
		case rnorm == 0:
			reason = Breakdown
		case reason == Running:
			reason = c.limit()
		}
		if reason = c.agree(reason); reason != Running {
			return reason
		}
		switch p.slow++; {
		case rnorm <= slowCycle*start:
		case p.restart < longest:
			p.restart = min(2*p.restart, longest)
		case p.slow < stallCycles:
			continue
		case c.hopeless(rnorm/p.before, c.result.Iterations-p.since):
			return Stagnation
		}
		p.slow, p.before, p.since = 0, rnorm, c.result.Iterations
	}
}

// cycle does at most `restart` steps of Arnoldi's process from the residual r, and
// corrects x and r.
func (m *gmres[V, S]) cycle(restart int) Reason {
	rr := m.columns.known(m.rr)
	one, beta := m.space.Scalar(1), rr.Sqrt()
	m.space.Copy(m.basis(0), m.r)
	m.least.begin(beta)
	m.columns.begin()
	m.slack.begin(norm(rr), m.c.target(), restart)
	m.c.fresh = m.c.result.Iterations > 0
	m.store(0, one.Div(beta), m.v[0])
	reason, end := Running, false
	m.steps = 0
	for j := 0; j < restart && !end; j++ {
		m.steps++
		w := m.basis(j + 1)
		m.multiply(w, m.pre.apply(m.slot(j), m.basis(j)))
		next := m.orthogonalise(j, w)
		if reason, end = m.add(m.columns.due(j+1 == restart || m.last())); !end {
			m.store(j+1, one.Div(next), w)
			reason = m.pause()
			end = reason != Running
		}
	}
	if reason == NotFinite {
		return reason // the last column is not usable
	}
	y := m.least.solve()
	before := m.free(len(y))
	m.space.Copy(before, m.x)
	m.correct(m.x, y)
	m.residual()
	if !(m.rr.Float() <= rr.Float()) && !m.opt.KeepWorse { // a singular H: take it back
		m.space.Copy(m.x, before)
		m.residual()
	}
	return reason
}

// correct computes x += M^-1 (V y), by Z y if there is Z; m.r is lost.
func (m *gmres[V, S]) correct(x V, y []S) {
	switch {
	case m.pre.by == nil:
		m.combine(y, x)
	case m.c.opt.Flexible, m.steps == 1 && len(y) == 1: // z still is M^-1 v_1
		m.space.MultiAxpy(y, m.pre.z[:len(y)], x)
	default:
		m.space.Zero(m.r)
		m.combine(y, m.r)
		m.space.Axpy(m.space.Scalar(1), m.pre.apply(0, m.r), x)
	}
}

// slot is the index of M^-1 v_j in pre: each has a vector of its own if flexible.
func (m *gmres[V, S]) slot(j int) int {
	if m.c.opt.Flexible {
		return j
	}
	return 0
}

// orthogonalise makes w orthogonal to v[0..j], and a column of H of the coefficients
// v_k·w and the norm of what remains, which it returns.
func (m *gmres[V, S]) orthogonalise(j int, w V) (next S) {
	start := time.Now()
	defer func() { m.c.result.Orthogonalization += time.Since(start) }()
	column := m.columns.next()
	m.c.result.Projections += int64(j + 1)
	column.h = slices.Grow(column.h[:0], j+1)[:j+1]
	h := column.h
	if m.packed == nil && !m.opt.CGS2 {
		v := m.v[:j+1]
		h[0] = m.space.Dot(v[0], w)
		for k := range j {
			h[k+1] = m.space.AxpyDot(h[k].Neg(), v[k], w, v[k+1])
		}
		column.next = m.space.AxpyDot(h[j].Neg(), v[j], w, w).Sqrt()
		return column.next
	}
	column.g = slices.Grow(column.g[:0], j+2)[:j+1]
	g := column.g
	if m.packed != nil {
		column.next = m.projectPacked(h, g, w)
		return column.next
	}
	v := m.v[:j+1]
	m.space.MultiDot(h, v, w)
	negate(g, h)
	m.space.MultiAxpy(g, v, w)
	if m.columns.async == nil {
		column.next = m.projectAgain(g, w)
		return column.next
	}
	m.space.MultiDot(g, v, w)
	negate(g, g)
	column.next = m.space.MultiAxpyDot(g, v, w).Sqrt()
	return column.next
}

// cancelled is the share of w·w below which its difference from the sum of g_k^2 has lost digits.
const cancelled = 0.5

// projectAgain removes from w = v[j+1] what the first projection has left of v[0..j], sets g to -v_k·w, and returns the norm of
// what remains. This norm follows from w·w, by Pythagoras' theorem, so that one reduction has all inner products.
func (m *gmres[V, S]) projectAgain(g []S, w V) S {
	all := g[:len(g)+1]
	m.space.MultiDot(all, m.v[:len(all)], w)
	whole := all[len(g)]
	rest := whole
	for _, gk := range g {
		rest = rest.Sub(gk.Mul(gk))
	}
	negate(g, g)
	if !(rest.Float() > cancelled*whole.Float()) {
		return m.space.MultiAxpyDot(g, m.v[:len(g)], w).Sqrt()
	}
	m.space.MultiAxpy(g, m.v[:len(g)], w)
	return rest.Sqrt()
}

// last reports whether the scalars of a step cannot wait for the next one.
func (m *gmres[V, S]) last() bool {
	return m.columns.async != nil &&
		(m.c.opt.Flexible || m.c.opt.Prompt || m.c.agree(m.c.limitAt(m.c.result.Iterations+m.columns.n)) != Running)
}

// add adds columns to the least-squares problem, and says whether the cycle is at
// its end, because of a Reason if it is not Running. Columns after the end do not count.
func (m *gmres[V, S]) add(due []column[S]) (reason Reason, end bool) {
	if len(due) == 0 {
		return Running, false
	}
	c := &m.c
	for _, column := range due {
		for k, g := range column.g {
			column.h[k] = column.h[k].Sub(g)
		}
		next := m.columns.known(column.next)
		size := m.least.add(column.h, next)
		rnorm := m.least.residual()
		if reason = c.step(rnorm); !finite(size) {
			reason = NotFinite
		}
		if reason != Running {
			return reason, true
		}
		if rnorm <= c.target() || next.Float() <= m.least.zero*size {
			return Running, true // converged by the estimate, or the Krylov space is exhausted
		}
	}
	m.columns.drop(len(due))
	reason = c.agree(c.limit())
	return reason, reason != Running
}

func negate[S linop.Scalar[S]](dst, src []S) {
	for k := range src {
		dst[k] = src[k].Neg()
	}
}

// magnitude is |a|, for comparisons.
func magnitude[S linop.Scalar[S]](a S) float64 { return math.Abs(a.Float()) }
