package verify

import (
	"encoding/binary"
	"math"
	"slices"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
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
		own := k.find(uint32(i))
		cols, vals := k.m.Row(i)
		columns, vals := k.of[k.m.Rows:], vals[:len(cols)]
		for p, j := range cols {
			if vals[p] != 0 && atomic.LoadUint32(&columns[j]) != own { // not joined yet
				own = k.join(own, uint32(j))
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
		r, c := &p.rows[i], p.find(uint32(i))
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
		r, f := &p.rows[i], p.explained[p.find(uint32(i))]
		if f.v == 0 {
			return
		}
		p.resolve(r, i, r.t.times(f))
		most := &shares[i/blockRows]
		*most = math.Max(*most, r.unexplained(f))
	})
	for _, s := range shares {
		unexplained = math.Max(unexplained, s)
	}
	return p.over.largest(unexplained)
}

// limit reduces weights to those with which each part is explained, as far as roundings let.
func (p *parts) limit(w []float64, tol float64) {
	for i := range p.rows {
		r, f := &p.rows[i], p.explained[p.find(uint32(i))]
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
		c := k.find(uint32(s.m.Rows + j))
		largest[c] = largest[c].max(scaled{math.Abs(v), 0})
	}
	k.joinLargest(largest)
	rows, columns = make([]float64, s.m.Rows), make([]float64, s.m.Cols)
	k.eachRow(func(i int) { rows[i] = largest[k.find(uint32(i))].at(0) })
	k.eachColumn(func(j int) { columns[j] = largest[k.find(uint32(s.m.Rows+j))].at(0) })
	return rows, columns
}

// across are the blocks of a rank that reach over domains: their number of the whole, by representative.
type across map[uint32]int64

// joinRanks joins blocks that reach over domains, through the columns of ghosts. Each rank has joined what it has itself; what is left are edges
// between its blocks and the blocks of the owners of ghosts. There are few such edges, since most of them are the same.
func (k *blocks) joinRanks() {
	if k.over == nil {
		return
	}
	whole := unions{}
	all := k.over.Comm.Gather(k.edges())
	for _, b := range all {
		for ; len(b) > 0; b = b[16:] {
			whole.join(int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:])))
		}
	}
	first := map[int64]uint32{} // of this rank, by number of the whole
	for label := range whole {
		at, here := k.labelled(label)
		if !here {
			continue
		}
		root := whole.find(label)
		if other, found := first[root]; found {
			at = k.unite(at, other)
		}
		first[root] = k.find(at)
	}
	k.across = across{}
	for root, at := range first {
		k.across[k.find(at)] = root
	}
}

// edges are pairs of labels of blocks that are the same one, as bytes: a block of this rank, and the block of the owner of a column.
func (k *blocks) edges() []byte {
	columns := uint32(k.m.Rows)
	var pairs [][2]int64
	k.over.copies(func(at uint32) uint64 { return uint64(k.label(k.find(columns + at))) }, func(at uint32, owner uint64) {
		if own := k.find(columns + at); own != columns+at { // a row of this rank is joined to it
			pairs = append(pairs, [2]int64{k.label(own), int64(owner)})
		}
	})
	slices.SortFunc(pairs, func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) })
	var out []byte
	for _, p := range slices.Compact(pairs) {
		out = binary.LittleEndian.AppendUint64(out, uint64(p[0]))
		out = binary.LittleEndian.AppendUint64(out, uint64(p[1]))
	}
	return out
}

// unions are sets of labels: the parent of each, which is itself for the smallest of a set.
type unions map[int64]int64

// find returns the smallest label of the set of one.
func (u unions) find(label int64) int64 {
	for {
		p, found := u[label]
		if !found {
			u[label] = label
			return label
		}
		if p == label {
			return label
		}
		if next := u[p]; next != p {
			u[label] = next
		}
		label = p
	}
}

// join unites the sets of two labels.
func (u unions) join(a, b int64) {
	if a, b = u.find(a), u.find(b); a != b {
		u[max(a, b)] = min(a, b)
	}
}

// joinLargest makes values of blocks that reach over domains, by representative, the largest of all ranks.
func (k *blocks) joinLargest(values []scaled) {
	if k.over == nil {
		return
	}
	var own []byte
	for at, root := range k.across {
		own = binary.LittleEndian.AppendUint64(own, uint64(root))
		own = binary.LittleEndian.AppendUint64(own, math.Float64bits(values[at].v))
		own = binary.LittleEndian.AppendUint64(own, uint64(values[at].e))
	}
	largest := map[int64]scaled{}
	for _, b := range k.over.Comm.Gather(own) {
		for ; len(b) > 0; b = b[24:] {
			root := int64(binary.LittleEndian.Uint64(b))
			v := scaled{math.Float64frombits(binary.LittleEndian.Uint64(b[8:])), int(binary.LittleEndian.Uint64(b[16:]))}
			largest[root] = largest[root].max(v)
		}
	}
	for at, root := range k.across {
		values[at] = largest[root]
	}
}

// acrossAll reports whether the block of this rank, all of whose rows are in it, is the same on all ranks.
func (k *blocks) acrossAll(block uint32) bool {
	if k.over == nil {
		return true
	}
	x := []int64{math.MinInt64, math.MinInt64}
	if block != none {
		root, found := k.across[block]
		if !found {
			root = k.label(block)
		}
		x[0], x[1] = root, -root
	}
	k.over.Comm.Max(x)
	return x[0] == -x[1]
}
