package krylov

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// basis returns the vector with which step j begins, and into which that before it multiplies.
func (m *gmres[V, S]) basis(j int) V {
	if m.packed != nil {
		j %= 2
	}
	return m.vector(j)
}

// free returns a vector that is of no use when the basis has k vectors.
func (m *gmres[V, S]) free(k int) V {
	if m.packed != nil {
		k = 2
	}
	return m.vector(k)
}

// vector returns v[j], which is new when no solve has come so far.
func (m *gmres[V, S]) vector(j int) V {
	for len(m.v) <= j {
		m.v = append(m.v, m.space.New())
	}
	return m.v[j]
}

// store makes a w the vector j of the basis; w is the result of basis(j), and becomes the stored vector.
func (m *gmres[V, S]) store(j int, a S, w V) {
	if m.packed != nil {
		m.packed.Set(j, a, w, m.slack.at(m.least.residual()))
		return
	}
	m.space.Scale(a, w)
}

// multiply computes w = A z, as accurately as it has to be.
func (m *gmres[V, S]) multiply(w, z V) {
	if a, ok := m.a.(linop.Graded[V, S]); ok {
		a.ApplyWithin(m.slack.at(m.least.residual()), w, z)
		return
	}
	m.a.Apply(w, z)
}

// cancelled2 is the cancellation of classical Gram-Schmidt after which it is done again: the norm of what
// remains relative to that of what there was ([Daniel76]), squared.
const cancelled2 = 0x1p-6

// projectPacked makes w orthogonal to the packed basis by classical Gram-Schmidt, done again where it
// has cancelled much, or where that is not known yet, and returns the norm of what remains; the coefficients are h - g.
func (m *gmres[V, S]) projectPacked(h, g []S, w V) S {
	m.packed.MultiDot(h, w)
	negate(g, h)
	if m.columns.async != nil {
		m.packed.MultiAxpy(g, w)
		m.packed.MultiDot(g, w)
		negate(g, g)
		return m.packed.MultiAxpyDot(g, w).Sqrt()
	}
	ww := m.packed.MultiAxpyDot(g, w)
	size := ww.Float()
	for k := range h {
		size += h[k].Float() * h[k].Float()
		g[k] = m.space.Scalar(0)
	}
	if ww.Float() < cancelled2*size {
		m.packed.MultiDot(g, w)
		negate(g, g)
		ww = m.packed.MultiAxpyDot(g, w)
	}
	return ww.Sqrt()
}

// combine computes w += sum a_k v_k.
func (m *gmres[V, S]) combine(a []S, w V) {
	if m.packed != nil {
		m.packed.MultiAxpy(a, w)
		return
	}
	m.space.MultiAxpy(a, m.v[:len(a)], w)
}

// tally takes over what the basis has counted.
func (m *gmres[V, S]) tally() {
	if m.packed != nil {
		counts := m.packed.Counts()
		m.c.result.Basis = linop.BasisCounts{
			Elements: counts.Elements - m.counted.Elements, Bytes: counts.Bytes - m.counted.Bytes, Read: counts.Read - m.counted.Read,
		}
		m.counted = counts
	}
}

// pace is how long cycles are, and how they get on.
type pace struct {
	restart     int
	slow, since int // slow cycles since ||r|| was before, after since iterations
	before      float64
}

// mark takes the state at the start of a cycle, to which x and r belong to its end.
func (m *gmres[V, S]) mark() Reason {
	checkpoint := m.c.opt.Checkpoint
	if checkpoint == nil {
		return Running
	}
	checkpoint.Mark()
	m.start = m.keeps(false).state(&m.c)
	return m.pause()
}

// pause is driver.pause with the state at the start of the cycle.
func (m *gmres[V, S]) pause() Reason {
	m.snapshot()
	if !m.due() {
		return Running
	}
	return m.save(m.start)
}

func (m *gmres[V, S]) keeps(bool) kept[V, S] {
	return kept[V, S]{
		vectors: []V{m.x, m.r}, scalars: []*S{&m.rr},
		numbers: []*float64{&m.pace.before, &m.slack.rate, &m.slack.caution}, counts: []*int{&m.pace.restart, &m.pace.slow, &m.pace.since},
	}
}

// column is one of H, as the Gram-Schmidt passes leave it: h - g, or h where there is no
// second pass, and the norm of what remains.
type column[S any] struct {
	h, g []S
	next S
}

// columns are the columns of the Hessenberg matrix of GMRES that its least-squares problem does
// not have yet: the last one where scalars are at hand. On an asynchronous space Stride
// columns are fetched together, and are due one step late.
type columns[V any, S linop.Scalar[S]] struct {
	async   linop.Async[V, S] // nil: scalars are at hand
	list    []column[S]       // the first n are in use
	n       int
	fetched int // columns whose scalars have been fetched
}

// mostPending is the number of coefficients at which columns are fetched at the latest.
const mostPending = 1 << 13

// begin begins a cycle.
func (c *columns[V, S]) begin() { c.n, c.fetched = 0, 0 }

// next returns a new column, which has the memory of an earlier one.
func (c *columns[V, S]) next() *column[S] {
	if len(c.list) == c.n {
		c.list = append(c.list, column[S]{})
	}
	c.n++
	return &c.list[c.n-1]
}

// due returns the columns to add to the least-squares problem now, all of them after the
// last step.
func (c *columns[V, S]) due(last bool) []column[S] {
	switch {
	case c.async == nil:
		return c.list[:c.n]
	case last:
		c.async.Fetch()
		c.async.Await()
		return c.list[:c.n]
	case c.fetched > 0:
		c.async.Await()
		return c.list[:c.fetched]
	case c.n >= c.async.Stride() || c.n*len(c.list[c.n-1].h) >= mostPending:
		c.async.Fetch()
		c.fetched = c.n
	}
	return nil
}

// drop drops the first n columns, and keeps their memory.
func (c *columns[V, S]) drop(n int) {
	for k := n; k < c.n; k++ {
		c.list[k-n], c.list[k] = c.list[k], c.list[k-n]
	}
	c.n, c.fetched = c.n-n, 0
}

// known is a, as a scalar of the host.
func (c *columns[V, S]) known(a S) S {
	if c.async == nil {
		return a
	}
	return c.async.Known(a)
}

// slack is how inaccurate the products of a cycle of GMRES, and the vectors of its basis, may be.
//
// With A v_j + f_j in place of A v_j, the residual that the cycle knows and the true residual of its x differ by
// sum f_j y_j at most, and |y_j| falls as the residual before step j does: ([SimonciniSzyld03], [Eshof04],
// [Gratton19])
//
//	||f_j|| <= eta ||r_0|| / ||r_j||
//
// keeps it near eta ||r_0||. A vector of the basis that is off by as much, relative to ||A||, does no more
// harm. eta is a part of what the cycle may reduce the residual to: what the tolerance asks for, or,
// if that is less, what the rate of the last cycle promises. A cycle whose x does not have the residual
// that it knows makes eta smaller for those that follow.
type slack struct {
	eta, start float64 // of the cycle; start is ||r_0||
	rate       float64 // reduction of the last cycle for each step; 0: there was none
	caution    float64 // eta is divided by 2^caution
}

const (
	slackShare = 0x1p-8 // eta relative to the reduction
	mostSlack  = 0x1p-8
	deceived   = 2 // true residual relative to the known one, beyond which eta was too large
	moreCare   = 8 // by which caution grows then
)

// begin begins a cycle of that many steps from ||r_0|| = start.
func (s *slack) begin(start, target float64, steps int) {
	s.start = start
	goal := target / start
	if s.rate > 0 {
		goal = max(goal, math.Pow(s.rate, float64(steps)))
	}
	s.eta = slackShare * min(goal, 1) * math.Exp2(-s.caution)
}

// at returns what may be off where the residual is known to be rnorm, relative to ||A||.
func (s *slack) at(rnorm float64) float64 { return min(s.eta*s.start/rnorm, mostSlack) }

// learn looks back at a cycle of that many steps from start to a residual rnorm, which it knew as
// known.
func (s *slack) learn(start, rnorm, known float64, steps int) {
	if !(rnorm <= deceived*known) && !(rnorm <= s.eta*start) {
		s.caution += moreCare
	}
	if rate := math.Pow(min(rnorm, known)/start, 1/float64(steps)); rate < 1 {
		s.rate = rate
	}
}
