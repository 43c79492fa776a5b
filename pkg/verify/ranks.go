package verify

import (
	"encoding/binary"
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// ranks are the ranks that a system is spread over; nil: one rank has the whole system. Their methods are collective.
type ranks struct {
	*dist.Matrix
	ask  [][]uint32 // positions of the ghosts that are copies of rows of each rank
	give [][]uint32 // positions of the rows that each rank asks for
}

// newRanks finds out who needs what. What verifies asks by the numbers of rows, and not by the halo with which solvers multiply.
func newRanks(a *dist.Matrix) *ranks {
	c := a.Comm
	r := &ranks{Matrix: a, ask: make([][]uint32, c.Size()), give: make([][]uint32, c.Size())}
	rows := make([][]byte, c.Size())
	for _, p := range a.Parts {
		for k, row := range p.Ghosts {
			at := p.At + k
			if k >= p.Below {
				at += p.Own
			}
			owner := a.Domains.Owner(a.Domains.Of(row), c.Size())
			r.ask[owner] = append(r.ask[owner], uint32(at))
			rows[owner] = binary.LittleEndian.AppendUint64(rows[owner], uint64(row))
		}
	}
	for from, b := range c.Alltoall(rows) {
		for ; len(b) > 0; b = b[8:] {
			r.give[from] = append(r.give[from], r.position(int64(binary.LittleEndian.Uint64(b))))
		}
	}
	return r
}

// position returns the position of a row of this rank.
func (r *ranks) position(row int64) uint32 {
	p := r.Parts[r.Domains.Of(row)-r.Parts[0].Domain]
	return uint32(p.First() + int(row-p.Row))
}

// copies calls set with the position of each ghost and what get gives for the row that it is a copy of.
func (r *ranks) copies(get func(at uint32) uint64, set func(at uint32, v uint64)) {
	out := make([][]byte, len(r.give))
	for to, rows := range r.give {
		for _, at := range rows {
			out[to] = binary.LittleEndian.AppendUint64(out[to], get(at))
		}
	}
	for from, b := range r.Comm.Alltoall(out) {
		for k, at := range r.ask[from] {
			set(at, binary.LittleEndian.Uint64(b[8*k:]))
		}
	}
}

// fold calls join with the position of each own element of v that there are copies of, and with a copy, in the order of the domains that
// have the copies.
func (r *ranks) fold(v []float64, join func(at uint32, copied float64)) {
	if r == nil {
		return
	}
	out := make([][]byte, len(r.ask))
	for to, ghosts := range r.ask {
		for _, at := range ghosts {
			out[to] = binary.LittleEndian.AppendUint64(out[to], math.Float64bits(v[at]))
		}
	}
	for from, b := range r.Comm.Alltoall(out) {
		for k, at := range r.give[from] {
			join(at, math.Float64frombits(binary.LittleEndian.Uint64(b[8*k:])))
		}
	}
}

// foldDD adds the copies of the own elements of v to these, in the order of fold.
func (r *ranks) foldDD(v []dd.DD) {
	half := make([]float64, len(v))
	for _, of := range []func(dd.DD) float64{func(d dd.DD) float64 { return d.Lo }, func(d dd.DD) float64 { return d.Hi }} {
		for j, d := range v {
			half[j] = of(d)
		}
		r.fold(half, func(j uint32, copied float64) { v[j] = v[j].Add(dd.From(copied)) })
	}
}

// spread sets the copies of the own elements of v.
func (r *ranks) spread(v []float64) {
	if r != nil {
		r.copies(func(at uint32) uint64 { return math.Float64bits(v[at]) }, func(at uint32, bits uint64) { v[at] = math.Float64frombits(bits) })
	}
}

// ComputeDistributed is Compute, or ComputeComplex if the system is complex, for a matrix that is spread over ranks: x and b are vectors of this
// rank, whose own elements count. The errors are the same on all ranks and for any number of ranks; maxima are over the whole matrix. They are
// +Inf if the parts of complex numbers are not together. If the matrix was not given square, least are those of ComputeLeastSquares. Collective, as
// the functions below.
func ComputeDistributed(a *dist.Matrix, x, b []float64, complex bool, pool *parallel.Pool) (errors Errors, least *LeastSquares) {
	s, errors := checkDistributed(a, x, b, pool)
	if a.Frame != nil {
		least = &LeastSquares{errors.Row, errors.Normwise}
	}
	switch {
	case s == nil:
		return errors, least
	case complex && s.over.any(!pairs(a)):
		return infinite, least
	case complex:
		return s.complexErrors(pool), least
	}
	all := measureAll(s, pool)
	if least != nil {
		*least = s.leastSquares(pool)
	}
	return all.errors(), least
}

// JudgeDistributed is Judge for a matrix that is spread over ranks, see ComputeDistributed. Weights are a vector of this rank.
func JudgeDistributed(a *dist.Matrix, x, b []float64, tol float64, pool *parallel.Pool) Judgement {
	s, errors := checkDistributed(a, x, b, pool)
	if s == nil {
		return Judgement{Errors: errors, Block: errors.Row}
	}
	return s.judge(tol, pool)
}

// UnexplainedDistributed is Known.Unexplained for a matrix that is spread over ranks, see ComputeDistributed.
func UnexplainedDistributed(a *dist.Matrix, x, b []float64, pool *parallel.Pool) float64 {
	s, errors := checkDistributed(a, x, b, pool)
	if s == nil {
		return errors.Row
	}
	return s.unexplained(pool)
}

// PartSizesDistributed is Known.PartSizes for a matrix that is spread over ranks, see ComputeDistributed, and an x without NaN. It
// returns vectors of this rank; the sizes of ghosts are zero.
func PartSizesDistributed(a *dist.Matrix, x []float64, pool *parallel.Pool) (rows, columns []float64) {
	s := &system{m: a.Local, x: make([]float64, a.Len), own: ownRows(a), over: newRanks(a)}
	for _, own := range s.own {
		copy(s.x[own[0]:own[1]], x[own[0]:own[1]])
	}
	return s.partSizes(pool)
}

// ownRows are the positions of the rows of each domain of this rank.
func ownRows(a *dist.Matrix) (own [][2]int) {
	for _, p := range a.Parts {
		own = append(own, [2]int{p.First(), p.End()})
	}
	return own
}

// checkDistributed returns the system to measure, or the outcome if there is nothing to measure.
func checkDistributed(a *dist.Matrix, x, b []float64, pool *parallel.Pool) (*system, Errors) {
	r := newRanks(a)
	s := &system{m: a.Local, x: make([]float64, a.Len), b: make([]float64, a.Len), own: ownRows(a), over: r}
	bad := false
	for _, own := range s.own {
		copy(s.b[own[0]:own[1]], b[own[0]:own[1]])
		for i := own[0]; i < own[1]; i++ {
			s.x[i] = x[i]
			bad = bad || x[i]-x[i] != 0
		}
	}
	if r.any(bad) {
		return nil, infinite
	}
	r.spread(s.x)
	s.scale(pool)
	return s, Errors{}
}

// any reports whether something is true on any rank.
func (r *ranks) any(v bool) bool {
	if r == nil || !v && r.Comm.Size() == 1 {
		return v
	}
	x := []int64{0}
	if v {
		x[0] = 1
	}
	r.Comm.Max(x)
	return x[0] == 1
}

// largest returns the largest v >= 0; NaN is larger than all.
func (r *ranks) largest(v float64) float64 {
	if r == nil {
		return v
	}
	x := []int64{int64(math.Float64bits(math.Abs(v)))}
	r.Comm.Max(x)
	return math.Float64frombits(uint64(x[0]))
}

// extremes returns the smallest and the largest magnitude that is not zero; zeros if there is none.
func (r *ranks) extremes(least, most float64) (float64, float64) {
	if r == nil {
		return least, most
	}
	x := []int64{math.MinInt64, int64(math.Float64bits(most))}
	if least > 0 {
		x[0] = -int64(math.Float64bits(least))
	}
	r.Comm.Max(x)
	if x[0] == math.MinInt64 {
		return 0, 0
	}
	return math.Float64frombits(uint64(-x[0])), math.Float64frombits(uint64(x[1]))
}

// fielded is a pointer to a partial result, which consists of numbers.
type fielded[P any] interface {
	*P
	fields() ([]*float64, []*int)
}

// partials returns the partial results of all domains, in their order.
func partials[P any, F fielded[P]](r *ranks, own []P) []P {
	if r == nil {
		return own
	}
	var b []byte
	for k := range own {
		values, exponents := F(&own[k]).fields()
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(*v))
		}
		for _, e := range exponents {
			b = binary.LittleEndian.AppendUint64(b, uint64(*e))
		}
	}
	all := make([]P, 0, r.Domains.Count())
	for _, b := range r.Comm.Gather(b) {
		for len(b) > 0 {
			var p P
			values, exponents := F(&p).fields()
			for _, v := range values {
				*v, b = math.Float64frombits(binary.LittleEndian.Uint64(b)), b[8:]
			}
			for _, e := range exponents {
				*e, b = int(binary.LittleEndian.Uint64(b)), b[8:]
			}
			all = append(all, p)
		}
	}
	return all
}

// fields are the numbers that a partial consists of.
func (p *partial) fields() (values []*float64, exponents []*int) {
	return fields([]*float64{&p.row, &p.componentwise},
		[]*scaled{&p.residual, &p.b, &p.normAx, &p.unexplained, &p.explained, &p.least}, []*sumSquares{&p.residual2, &p.b2, &p.absAx2})
}

// fields returns the numbers that these consist of.
func fields(values []*float64, all []*scaled, sums []*sumSquares) ([]*float64, []*int) {
	var exponents []*int
	for _, s := range all {
		values, exponents = append(values, &s.v), append(exponents, &s.e)
	}
	for _, s := range sums {
		values, exponents = append(values, &s.sum), append(exponents, &s.e)
	}
	return values, exponents
}

// label is a number of row or column at of blocks, the same on all ranks: the number of the row, or n more than the number of the column.
func (k *blocks) label(at uint32) int64 {
	if rows := uint32(k.m.Rows); at >= rows {
		return k.over.N + k.over.Global(int(at-rows))
	}
	return k.over.Global(int(at))
}

// labelled returns the row or column of this rank with a label; ok is false if another one has it.
func (k *blocks) labelled(label int64) (at uint32, ok bool) {
	row, column := label, uint32(0)
	if row >= k.over.N {
		row, column = row-k.over.N, uint32(k.m.Rows)
	}
	if k.over.Domains.Owner(k.over.Domains.Of(row), k.over.Comm.Size()) != k.over.Comm.Rank() {
		return 0, false
	}
	return k.over.position(row) + column, true
}
