package precond

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// supernodes are the rows of u = D (L^T - I) grouped by pattern: those of supernode J, first[J]
// to first[J+1]-1, have the columns of pattern[J] that follow them, the first of which are the
// rows themselves.
type supernodes struct {
	first   []int32
	of      []int32 // the supernode of a row
	pattern [][]int32
	ptr     []int64 // offsets of the rows of u
}

// ldl factors the symmetric matrix of a plan, A = L D L^T: supernode by supernode, each from
// those above that have a column among its rows, whose updates are sums of dense rows
// ([NgPeyton93], left-looking). Each pivot is what accept returns for it.
func (s *setup) ldl(p *symmetricPlan, accept func(k int, pivot float64) (float64, error)) (*factors, error) {
	if err := s.checkEstimate(p.work); err != nil {
		return nil, err
	}
	if err := s.checkEntries(p.work.Entries, width(s.Epsilon)); err != nil {
		return nil, err
	}
	watch := s.eliminating()
	g, err := p.supernodes(watch)
	if err != nil {
		return nil, err
	}
	n := p.a.Rows
	t := &supernodal{
		supernodes: g, watch: watch, f: &factors{d: make([]float64, n), symmetric: true},
		place: make([]int32, n), head: marks(len(g.pattern)), after: make([]int32, len(g.pattern)), next: make([]int, len(g.pattern)),
		sum: make([]float64, n),
	}
	t.f.u = rows{g.ptr, make([]int32, g.ptr[n]), make([]float64, g.ptr[n])}
	for j := range g.pattern {
		t.gather(p.a, int32(j))
		for k := t.head[j]; k >= 0; {
			following := t.after[k]
			if err := t.update(int32(j), k); err != nil {
				return nil, err
			}
			t.link(k)
			k = following
		}
		if err := t.factor(int32(j), accept); err != nil {
			return nil, err
		}
		t.next[j] = int(g.first[j+1] - g.first[j])
		t.link(int32(j))
	}
	return t.f, nil
}

// supernodal is the state of ldl.
type supernodal struct {
	*supernodes
	watch *elimination
	f     *factors
	place []int32 // of a column in the pattern of the current supernode
	head  []int32 // supernodes whose next column is in a supernode, linked by after, -1: end
	after []int32
	next  []int // place of that column in the pattern of a supernode
	sum   []float64
	a     []float64
	vs    [][]float64
}

// row returns u_i of row i of supernode j from place q of its pattern on.
func (t *supernodal) row(j, i int32, q int) []float64 {
	return t.f.u.val[t.ptr[i]+int64(q)-int64(i-t.first[j])-1 : t.ptr[i+1]]
}

// gather sets the rows of supernode j to those of A.
func (t *supernodal) gather(a *csr.Matrix, j int32) {
	pattern := t.pattern[j]
	for q, column := range pattern {
		t.place[column] = int32(q)
	}
	for k := t.first[j]; k < t.first[j+1]; k++ {
		own := int(k - t.first[j])
		copy(t.f.u.col[t.ptr[k]:t.ptr[k+1]], pattern[own+1:])
		row := t.row(j, k, own+1)
		cols, vals := a.Row(int(k))
		at, _ := slices.BinarySearch(cols, k)
		for e := at; e < len(cols); e++ {
			if cols[e] == k {
				t.f.d[k] = vals[e]
			} else {
				row[int(t.place[cols[e]])-own-1] = vals[e]
			}
		}
	}
}

// link puts supernode k into the list of the supernode of its next column.
func (t *supernodal) link(k int32) {
	if q := t.next[k]; q < len(t.pattern[k]) {
		j := t.of[t.pattern[k][q]]
		t.after[k], t.head[j] = t.head[j], k
	}
}

// multiply returns the sum over the rows i of supernode k, up to row end, of u_iq/d_i times
// u_i from place q on.
func (t *supernodal) multiply(k, end int32, q int) []float64 {
	sum := t.sum[:len(t.pattern[k])-q]
	clear(sum)
	t.a, t.vs = t.a[:0], t.vs[:0]
	for i := t.first[k]; i < end; i++ {
		row := t.row(k, i, q)
		t.a, t.vs = append(t.a, row[0]/t.f.d[i]), append(t.vs, row)
	}
	kernels.MultiAxpy(t.a, t.vs, 0, len(sum), sum)
	return sum
}

// update subtracts from the rows of supernode j what supernode k contributes.
func (t *supernodal) update(j, k int32) error {
	pattern, q := t.pattern[k], t.next[k]
	for ; q < len(pattern) && pattern[q] < t.first[j+1]; q++ {
		to := pattern[q]
		own := to - t.first[j]
		sum := t.multiply(k, t.first[k+1], q)
		t.f.d[to] -= sum[0]
		row := t.row(j, to, int(own)+1)
		for e, column := range pattern[q+1:] {
			row[t.place[column]-own-1] -= sum[e+1]
		}
		if err := t.watch.row(len(sum), len(sum)*len(t.a)); err != nil {
			return err
		}
	}
	t.next[k] = q
	return nil
}

// factor factors the rows of supernode j.
func (t *supernodal) factor(j int32, accept func(k int, pivot float64) (float64, error)) error {
	for k := t.first[j]; k < t.first[j+1]; k++ {
		own := int(k - t.first[j])
		if own > 0 {
			sum := t.multiply(j, k, own)
			t.f.d[k] -= sum[0]
			row := t.row(j, k, own+1)
			for e := range row {
				row[e] -= sum[e+1]
			}
			if err := t.watch.row(len(sum), len(sum)*own); err != nil {
				return err
			}
		}
		var err error
		if t.f.d[k], err = accept(int(k), t.f.d[k]); err != nil {
			return err
		}
	}
	return nil
}
