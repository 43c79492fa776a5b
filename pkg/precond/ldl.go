package precond

// ldl factors the symmetric matrix of a plan, A = L D L^T, as u = D (L^T - I), row by row of L
// [Davis05]: row k is the solution of a triangular system with the rows of u above, whose
// pattern are the paths to k in the elimination tree from the entries of row k of A. Each
// pivot is what accept returns for it.
func (s *setup) ldl(p *symmetricPlan, accept func(k int, pivot float64) (float64, error)) (*factors, error) {
	if err := s.checkEstimate(p.work); err != nil {
		return nil, err
	}
	if err := s.checkEntries(p.work.Entries, width(s.Epsilon)); err != nil {
		return nil, err
	}
	watch := s.eliminating()
	n := p.a.Rows
	t := &eliminationTree{parent: marks(n), in: marks(n), stack: make([]int32, n)}
	ptr, err := t.count(p, watch)
	if err != nil {
		return nil, err
	}
	f := &factors{d: make([]float64, n), symmetric: true}
	f.u = rows{ptr, make([]int32, ptr[n]), make([]float64, ptr[n])}
	end := append([]int64(nil), ptr[:n]...) // of each row of u so far
	y := make([]float64, n)
	t.in = marks(n)
	for k := range n {
		cols, vals := p.a.Row(k)
		pattern := t.reach(k, cols)
		for e, j := range cols {
			if int(j) <= k {
				y[j] += vals[e]
			}
		}
		pivot := y[k]
		y[k] = 0
		multiplications := 0
		for _, i := range pattern {
			v := y[i]
			y[i] = 0
			factor := v / f.d[i]
			done := f.u.val[ptr[i]:end[i]]
			for e, j := range f.u.col[ptr[i]:end[i]] {
				y[j] -= float64(factor * done[e])
			}
			multiplications += len(done) + 1
			pivot -= float64(factor * v)
			f.u.col[end[i]], f.u.val[end[i]] = int32(k), v
			end[i]++
		}
		if err := watch.row(len(cols), multiplications); err != nil {
			return nil, err
		}
		if f.d[k], err = accept(k, pivot); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// eliminationTree finds the patterns of rows of L.
type eliminationTree struct {
	parent []int32 // -1: a root
	in     []int32 // the last row whose pattern a column was in
	stack  []int32
}

// count builds the tree and returns the offsets of the rows of u.
func (t *eliminationTree) count(p *symmetricPlan, watch *elimination) (ptr []int64, err error) {
	n := p.a.Rows
	ptr = make([]int64, n+1)
	for k := range n {
		row := int32(k)
		t.in[k] = row
		cols, _ := p.a.Row(k)
		entries := len(cols)
		for _, i := range cols {
			if i >= row {
				break
			}
			for ; t.in[i] != row; i = t.parent[i] {
				if t.parent[i] < 0 {
					t.parent[i] = row
				}
				t.in[i] = row
				ptr[i+1]++
				entries++
			}
		}
		if err := watch.spend(entries); err != nil {
			return nil, err
		}
	}
	for k := range n {
		ptr[k+1] += ptr[k]
	}
	return ptr, nil
}

// reach returns the columns of row k of L in topological order: those on the paths in the
// tree from the given ones to k.
func (t *eliminationTree) reach(k int, cols []int32) []int32 {
	row, top := int32(k), len(t.stack)
	t.in[k] = row
	for _, i := range cols {
		if i >= row {
			break
		}
		length := 0
		for ; t.in[i] != row; i = t.parent[i] {
			t.stack[length] = i
			length++
			t.in[i] = row
		}
		top -= length
		copy(t.stack[top:], t.stack[:length])
	}
	return t.stack[top:]
}
