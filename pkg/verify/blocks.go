package verify

import (
	"math"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// blocks are the parts of a system that do not matter to each other.
type blocks struct {
	*system
	pool      *parallel.Pool
	of        []uint32 // parent of row i, and of column j at Rows + j; a block's first row is its own parent
	rows      []row    // nil until measure
	largest   []scaled // of a block's representative: X_c
	explained []scaled // f_c
	across    across   // blocks that reach over ranks
}

// newBlocks makes a block of each row and each column.
func (s *system) newBlocks(pool *parallel.Pool) *blocks {
	k := &blocks{system: s, pool: pool, of: make([]uint32, s.m.Rows+s.m.Cols)}
	for i := range k.of {
		k.of[i] = uint32(i)
	}
	return k
}

// findBlocks joins rows and columns by the entries that matter.
func (s *system) findBlocks(pool *parallel.Pool) *blocks {
	k := s.newBlocks(pool)
	k.eachRow(func(i int) { k.joinRow(i) })
	k.joinRanks()
	return k
}

// eachRow calls do with each row that is not a copy, in parallel.
func (k *blocks) eachRow(do func(i int)) {
	for _, own := range k.own {
		k.each(own[0], own[1], do)
	}
}

// eachColumn is eachRow for columns.
func (k *blocks) eachColumn(do func(j int)) {
	if k.over != nil {
		k.eachRow(do)
		return
	}
	k.each(0, k.m.Cols, do)
}

// each calls do with the numbers lo to hi-1, in parallel.
func (k *blocks) each(lo, hi int, do func(i int)) {
	parts := (hi - lo + blockRows - 1) / blockRows
	k.pool.Each(parts, func(p int) {
		for i := lo + p*blockRows; i < min(lo+(p+1)*blockRows, hi); i++ {
			do(i)
		}
	})
}

// joinRow joins row i to the columns of its entries that matter.
func (k *blocks) joinRow(i int) {
	if r, ok := k.plainTerms(i); ok {
		level, own := joined*(r.absAx+r.b), k.find(uint32(i))
		cols, vals := k.m.Row(i)
		x, columns, vals := k.x, k.of[k.m.Rows:], vals[:len(cols)]
		for p, j := range cols {
			if math.Abs(vals[p]*x[j]) > level && atomic.LoadUint32(&columns[j]) != own { // not joined yet
				own = k.join(own, uint32(j))
			}
		}
		return
	}
	r := k.row(i)
	k.eachTerm(i, &r, func(j uint32, matters bool, _ scaled) {
		if matters {
			k.join(uint32(i), j)
		}
	})
}

// eachTerm calls do with the column and the size of each term of row i, and whether it
// matters.
func (k *blocks) eachTerm(i int, r *row, do func(j uint32, matters bool, term scaled)) {
	cols, vals := k.m.Row(i)
	scale := r.absAx.plus(r.b)
	e := scale.exponent()
	level := joined * scale.at(e)
	for p, j := range cols {
		a, ea := split(vals[p])
		x, ex := split(k.x[j])
		term := scaled{math.Abs(a * x), ea + ex}
		do(uint32(j), term.at(e) > level, term)
	}
}

// join unites the blocks of row i and column j, and returns the representative of the result. The first
// of a block represents it, so the outcome does not depend on the order in which threads join.
func (k *blocks) join(i, j uint32) uint32 { return k.unite(i, j+uint32(k.m.Rows)) }

// unite is join of two blocks.
func (k *blocks) unite(i, j uint32) uint32 {
	for {
		i, j = k.find(i), k.find(j)
		if i == j {
			return i
		}
		if i > j {
			i, j = j, i
		}
		if atomic.CompareAndSwapUint32(&k.of[j], j, i) {
			return i
		}
	}
}

// find returns the representative of row i, or of column i - Rows, and halves the path to it.
func (k *blocks) find(i uint32) uint32 {
	for {
		p := atomic.LoadUint32(&k.of[i])
		if p == i {
			return i
		}
		next := atomic.LoadUint32(&k.of[p])
		if next != p {
			atomic.CompareAndSwapUint32(&k.of[i], p, next)
		}
		i = next
	}
}

// one reports whether all rows are in one block, together with the largest element of x:
// then Block is the row-wise error, and Unexplained at most the Unexplained of the whole system.
func (k *blocks) one() bool {
	var other, largest atomic.Bool
	first := k.firstRow()
	k.eachRow(func(i int) {
		if k.find(uint32(i)) != first {
			other.Store(true)
		}
	})
	if k.over.any(other.Load()) || !k.acrossAll(first) {
		return false
	}
	k.eachColumn(func(j int) {
		if dd.Ldexp(math.Abs(k.x[j]), -k.ex) == k.xmax && k.find(uint32(k.m.Rows+j)) == first {
			largest.Store(true)
		}
	})
	return k.over.any(largest.Load())
}

// none is no block: rows and columns together are fewer.
const none = math.MaxUint32

// firstRow is the block of the first row that is not a copy, or none.
func (k *blocks) firstRow() uint32 {
	if len(k.own) == 0 {
		return none
	}
	return k.find(uint32(k.own[0][0]))
}

// measure computes X_c and f_c.
func (k *blocks) measure() {
	n := k.m.Rows
	k.rows = make([]row, n)
	k.largest, k.explained = make([]scaled, n+k.m.Cols), make([]scaled, n+k.m.Cols)
	for j, v := range k.x {
		c := k.find(uint32(n + j))
		k.largest[c] = k.largest[c].max(scaled{math.Abs(v), 0})
	}
	k.joinLargest(k.largest)
	outer := make([]scaled, n) // the largest of |b_i| and the terms of other blocks, by T_i
	k.eachRow(func(i int) { k.rows[i], outer[i] = k.outerRow(i) })
	for i, f := range outer {
		c := k.find(uint32(i))
		k.explained[c] = k.explained[c].max(f)
	}
	k.joinLargest(k.explained)
}

// negligible reports whether the x of block c is below what double-double tells from zero beside the largest element of x. What other blocks ask of it does not
// count then.
func (k *blocks) negligible(c uint32) bool {
	return k.largest[c].over(scaled{k.xmax, k.ex}) <= negligible
}

// plainAt is row i, if its numbers are ordinary.
func (s *system) plainAt(i int) (plainRow, bool) {
	if s.measured(i) {
		return s.rows[i], true
	}
	var few [64]float64 // so that short rows need no memory
	return s.plainRow(i, s.elements(few[:0], i, i+1))
}

// outerRow computes row i, and the largest of |b_i| and the terms of other blocks by T_i, which counts unless the x of its own block is negligible.
func (k *blocks) outerRow(i int) (r row, outer scaled) {
	c, n := k.find(uint32(i)), uint32(k.m.Rows)
	if p, ok := k.plainAt(i); ok {
		level, most := joined*(p.absAx+p.b), p.b
		cols, vals := k.m.Row(i)
		if k.negligible(c) {
			cols = nil
		}
		for e, j := range cols {
			if term := math.Abs(vals[e] * k.x[j]); term > most && term <= level && c != k.find(n+uint32(j)) {
				most = term
			}
		}
		r = p.scaled(dd.Ldexp(k.xmax, k.ex))
		return r, r.perT(scaled{most, 0})
	}
	r = k.row(i)
	if outer = r.perT(r.b); k.negligible(c) {
		return r, outer
	}
	k.eachTerm(i, &r, func(j uint32, matters bool, term scaled) {
		if !matters && c != k.find(n+j) {
			outer = outer.max(r.perT(term))
		}
	})
	return r, outer
}

// scale returns T_i X_c for row i of block c.
func (k *blocks) scale(i int) scaled {
	r, c := &k.rows[i], k.find(uint32(i))
	if k.explained[c].v == 0 {
		return r.normAx
	}
	return r.t.times(k.largest[c])
}

// worst returns Block and Unexplained of a Judgement.
func (k *blocks) worst() (block, unexplained float64) {
	shares := make([][2]float64, (len(k.rows)+blockRows-1)/blockRows)
	k.each(0, len(k.rows), func(i int) {
		r, most := &k.rows[i], &shares[i/blockRows]
		most[0] = math.Max(most[0], r.error(k.scale(i)))
		if f := k.explained[k.find(uint32(i))]; f.v != 0 {
			k.resolve(r, i, r.t.times(f))
			most[1] = math.Max(most[1], r.unexplained(f))
		}
	})
	for _, s := range shares {
		block, unexplained = math.Max(block, s[0]), math.Max(unexplained, s[1])
	}
	return k.over.largest(block), k.over.largest(unexplained)
}

// weights returns the Weights of a Judgement, within the range of float64.
func (k *blocks) weights(tol float64) []float64 {
	w := make([]float64, len(k.rows))
	for i := range k.rows {
		scale := k.scale(i)
		if f := k.explained[k.find(uint32(i))]; f.v != 0 {
			explained := k.rows[i].t.times(f).times(scaled{MaxUnexplained(tol) / 2 / tol, 0})
			if explained.over(scale) < 1 {
				scale = explained
			}
		}
		w[i] = min(scale.at(0), math.MaxFloat64)
	}
	return w
}
