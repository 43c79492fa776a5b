package dist

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// NewReducer returns the Reducer of vectors that the ranks of c share. Sums are exact and rounded once, to nearest,
// ties to even, so that they depend neither on the number of ranks nor on an order. The methods of the Reducer are
// collective.
func NewReducer(c Comm) linop.Reducer { return newReducer(c, &held{}) }

func newReducer(c Comm, h *held) *reducer {
	return &reducer{comm: c, held: h, first: (1074+64)/32 + 1 - leastWidth, width: leastWidth} // for sums of up to 2^64
}

type reducer struct {
	comm  Comm
	held  *held
	sums  []exactSum
	send  []int64
	first int // first limb that is sent
	width int // number of limbs that are sent
}

// leastWidth is the least number of limbs that are sent for a sum, 256 bits, as long as that suffices.
const leastWidth = 8

// Sum implements linop.Reducer.
func (r *reducer) Sum(sums, partial []float64) {
	exact := r.exact(len(sums), func(s *exactSum, k int) {
		for at := k; at < len(partial); at += len(sums) {
			s.add(partial[at])
		}
	})
	for k := range exact {
		sums[k] = exact[k].float()
	}
}

// SumDD is Sum for double-double numbers, of which the sums are the exact ones rounded to double-double.
func (r *reducer) SumDD(sums, partial []dd.DD) {
	exact := r.exact(len(sums), func(s *exactSum, k int) {
		for at := k; at < len(partial); at += len(sums) {
			s.add(partial[at].Hi)
			s.add(partial[at].Lo)
		}
	})
	for k := range exact {
		upper := exact[k] // float changes it
		if sums[k] = dd.From(upper.float()); math.Abs(sums[k].Hi) <= math.MaxFloat64 {
			exact[k].add(-sums[k].Hi)
			sums[k].Lo = exact[k].float()
		}
	}
}

// held are sums that wait for the message of another one. The reducers of a layout share them.
type held struct {
	sums    []exactSum
	waiting bool // they are those of this rank
}

// Hold keeps the sum of partial results, which goes with the next sum of the layout.
func (r *reducer) Hold(partial []float64) {
	var s exactSum
	for _, v := range partial {
		s.add(v)
	}
	r.held.sums, r.held.waiting = append(r.held.sums, s), true
}

// Held sets sums to those that have been held, all of them, in their order.
func (r *reducer) Held(sums []float64) {
	if r.held.waiting {
		r.exact(0, nil)
	}
	for k := range sums {
		sums[k] = r.held.sums[k].float()
	}
	r.held.sums = r.held.sums[:0]
}

// exact returns m sums over all ranks, to which add adds the numbers of this one. The sums that are held go with them.
func (r *reducer) exact(m int, add func(s *exactSum, k int)) []exactSum {
	r.sums = r.sums[:0]
	for k := range m {
		r.sums = append(r.sums, exactSum{})
		add(&r.sums[k], k)
	}
	if r.held.waiting {
		r.sums = append(r.sums, r.held.sums...)
	}
	if r.comm.Size() > 1 && len(r.sums) > 0 {
		r.combine(r.sums)
	}
	if r.held.waiting {
		copy(r.held.sums, r.sums[m:])
		r.held.waiting = false
	}
	return r.sums[:m]
}

// combine adds the sums of all ranks. Most sums of a solve have the order of magnitude of the previous ones, so it
// sends only the limbs around those, and all limbs in a second message if that omits any on any rank. The choice
// depends on results that all ranks have.
func (r *reducer) combine(sums []exactSum) {
	if r.width < limbs && r.window(sums) {
		return
	}
	r.width = min(2*r.width, limbs)
	r.send = r.send[:0]
	for k := range sums {
		r.send = append(r.send, sums[k][:]...)
	}
	r.comm.Sum(r.send)
	for k := range sums {
		copy(sums[k][:], r.send[k*exactLimbs:])
	}
	r.follow(sums)
}

// window adds the sums of all ranks if the chosen limbs suffice for all of them.
func (r *reducer) window(sums []exactSum) bool {
	first, end := r.first, r.first+r.width
	r.send = r.send[:0]
	beyond := int64(0)
	for k := range sums {
		s := &sums[k]
		if lo, hi := s.span(); lo < hi && (lo < first || hi > end) || !s.finite() {
			beyond = 1
		}
		r.send = append(r.send, s[first:end]...)
	}
	r.send = append(r.send, beyond)
	r.comm.Sum(r.send)
	if r.send[len(r.send)-1] > 0 {
		return false
	}
	for k := range sums {
		copy(sums[k][first:end], r.send[k*r.width:])
	}
	r.follow(sums)
	return true
}

// follow chooses the limbs of the next message: one limb more than the sums have, and the limbs below it.
func (r *reducer) follow(sums []exactSum) {
	high := 0
	for k := range sums {
		_, hi := sums[k].span()
		high = max(high, hi)
	}
	if high > 0 {
		r.first = min(max(high+1-r.width, 0), limbs-r.width)
	}
}

// Max implements linop.Reducer.
func (r *reducer) Max(partial []float64) float64 {
	largest := linop.Local.Max(partial)
	if r.comm.Size() == 1 {
		return largest
	}
	x := [1]int64{ordered(largest)}
	r.comm.Max(x[:])
	return unordered(x[0])
}

// ordered maps numbers to integers of the same order; NaN is above all of them.
func ordered(v float64) int64 {
	b := int64(math.Float64bits(v))
	switch {
	case v != v:
		return math.MaxInt64
	case b < 0:
		return b ^ math.MaxInt64
	}
	return b
}

// unordered is the inverse of ordered.
func unordered(k int64) float64 {
	if k < 0 {
		k ^= math.MaxInt64
	}
	return math.Float64frombits(uint64(k)) // MaxInt64 is a NaN
}

// NewSpace returns the space of vectors of a layout on the threads of pool; its dimension is the number of rows of
// all ranks. Operations act elementwise on own elements; the ghosts of a result are stale. Inner products, norms and
// maxima are collective, and are exact sums of the results of blocks, each of which lies within a domain; see
// NewReducer.
func NewSpace(l *Layout, pool *parallel.Pool) linop.Host {
	var own []linop.Range
	for _, p := range l.Parts {
		own = append(own, linop.Range{Lo: p.First(), Hi: p.End(), First: int(p.Row)})
	}
	h := linop.NewHostOf(int(l.Domains.Rows()), l.Len, own, pool)
	var r linop.Reducer = newReducer(l.Comm, &l.held)
	if !l.Domains.JoinsSums() {
		r = struct{ linop.Reducer }{r}
	}
	h.SetReducer(r)
	return h
}
