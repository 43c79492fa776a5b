package verify

import (
	"math"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// parts are the parts of a system that no entry joins to others, whatever x is.
type parts struct {
	*blocks
	explained []scaled // max |b_i|/T_i, of a part's representative
}

// findParts joins rows and columns by all entries that are not zero.
func (s *system) findParts(pool *parallel.Pool) *blocks {
	if s.known != nil {
		s.known.mu.Lock() // others wait for what this one finds
		defer s.known.mu.Unlock()
		if s.known.parts != nil {
			return &blocks{system: s, pool: pool, of: s.known.parts}
		}
	}
	k := s.newBlocks(pool)
	k.eachRow(func(i int) {
		own := k.find(int32(i))
		cols, vals := k.m.Row(i)
		columns, vals := k.of[k.m.Rows:], vals[:len(cols)]
		for p, j := range cols {
			if vals[p] != 0 && atomic.LoadInt32(&columns[j]) != own { // not joined yet
				own = k.join(own, j)
			}
		}
	})
	k.joinRanks()
	if s.known != nil && s.over == nil {
		s.known.parts = k.of
	}
	return k
}

// parts returns the parts of the system whose rows have been measured.
func (k *blocks) parts() *parts {
	p := &parts{blocks: k.findParts(k.pool), explained: make([]scaled, k.m.Rows+k.m.Cols)}
	p.rows = k.rows
	for i := range p.rows {
		r, c := &p.rows[i], p.find(int32(i))
		p.explained[c] = p.explained[c].max(r.perT(r.b))
	}
	p.joinLargest(p.explained)
	return p
}

// rounded is the multiple of the roundings of the rounded solution that can be asked for.
const rounded = 8

// worst returns the largest max (|r_i|/T_i) / max (|b_i|/T_i) of a part.
func (p *parts) worst() (unexplained float64) {
	shares := make([]float64, (len(p.rows)+blockRows-1)/blockRows)
	p.each(0, len(p.rows), func(i int) {
		r, f := &p.rows[i], p.explained[p.find(int32(i))]
		if f.v == 0 {
			return
		}
		p.resolve(r, i, r.t.times(f))
		most := &shares[i/blockRows]
		*most = math.Max(*most, r.perT(r.residual).over(f))
	})
	for _, s := range shares {
		unexplained = math.Max(unexplained, s)
	}
	return p.over.largest(unexplained)
}

// limit reduces weights to those with which each part is explained, as far as roundings let.
func (p *parts) limit(w []float64, tol float64) {
	for i := range p.rows {
		r, f := &p.rows[i], p.explained[p.find(int32(i))]
		if f.v == 0 {
			continue
		}
		most := r.t.times(f).times(scaled{MaxUnexplained(tol) / 2 / tol, 0}).max(r.absAx.times(scaled{rounded * roundoff / 2 / tol, 0}))
		w[i] = min(w[i], most.at(0))
	}
}

// Unexplained returns max (|r_i|/T_i) / max (|b_i|/T_i) of the part of the system where that is
// largest, among those that no entry joins: with 1 or more, x = 0 does as well there.
func (k *Known) Unexplained(m *csr.Matrix, x, b []float64, pool *parallel.Pool) (float64, error) {
	s, errors, err := check(m, x, b, pool)
	if s == nil {
		return errors.Row, err
	}
	s.known = k
	return s.unexplained(pool), nil
}

func (s *system) unexplained(pool *parallel.Pool) float64 {
	k := s.findParts(pool)
	k.measure()
	_, unexplained := k.worst()
	return unexplained
}

// PartSizes returns, for each row and for each column, the largest magnitude of x in the part of the system that it belongs to.
func (k *Known) PartSizes(m *csr.Matrix, x []float64, pool *parallel.Pool) (rows, columns []float64) {
	s := &system{m: m, x: x, own: [][2]int{{0, m.Rows}}, known: k}
	return s.partSizes(pool)
}

func (s *system) partSizes(pool *parallel.Pool) (rows, columns []float64) {
	k := s.findParts(pool)
	largest := make([]scaled, s.m.Rows+s.m.Cols)
	for j, v := range s.x {
		c := k.find(int32(s.m.Rows + j))
		largest[c] = largest[c].max(scaled{math.Abs(v), 0})
	}
	k.joinLargest(largest)
	rows, columns = make([]float64, s.m.Rows), make([]float64, s.m.Cols)
	k.eachRow(func(i int) { rows[i] = largest[k.find(int32(i))].at(0) })
	k.eachColumn(func(j int) { columns[j] = largest[k.find(int32(s.m.Rows+j))].at(0) })
	return rows, columns
}
