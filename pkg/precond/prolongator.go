package precond

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// tentative is the prolongator that is constant over aggregates, in the sense of
// the near-null space: in each aggregate its columns are an orthonormal basis of
// what the vectors of the near-null space are there, B = T B_c ([Vanek96], section
// 3). Unknown i has the elements value[i*width:(i+1)*width] in the columns that
// begin at first[i]; the elements of unknowns in no aggregate are zero.
type tentative struct {
	width  int
	value  []float64
	first  []int32 // -1: in no aggregate
	coarse nodes   // an aggregate is a node of the coarse level
	null   [][]float64
}

// dependent is the relative length below which what orthogonalisation leaves of a vector
// counts as zero.
const dependent = 1e-8

// newTentative returns the tentative prolongator of aggregates of nodes and a near-null space.
func newTentative(nd nodes, a aggregates, null [][]float64, pool *parallel.Pool) *tentative {
	n, width := len(nd.Of), len(null)
	t := &tentative{width: width, value: make([]float64, n*width), first: make([]int32, n)}
	start, list := nodesOf(a)
	rank := make([]int32, a.count)                   // of each aggregate
	triangle := make([]float64, a.count*width*width) // R of B = Q R, rows of basis vectors
	bounds := evenly(a.count, nodesPerTask)
	pool.RunRanges(bounds, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			at := k * width * width
			rank[k] = int32(t.orthonormalise(nd, list[start[k]:start[k+1]], null, triangle[at:at+width*width]))
		}
	})
	t.coarse.First = make([]int32, 1, a.count+1)
	column := make([]int32, a.count) // the first of each aggregate
	nc := int32(0)
	for k, r := range rank {
		column[k] = nc
		if r == 0 { // the vectors vanish: no aggregate
			column[k] = -1
			continue
		}
		nc += r
		t.coarse.First = append(t.coarse.First, nc)
	}
	t.coarse.Of = make([]int32, nc)
	t.null = make([][]float64, width)
	for c := range t.null {
		t.null[c] = make([]float64, nc)
	}
	node := int32(0)
	for k, r := range rank {
		if r == 0 {
			continue
		}
		for q := range r {
			i := column[k] + q
			t.coarse.Of[i] = node
			for c := range width {
				t.null[c][i] = triangle[(k*width+int(q))*width+c]
			}
		}
		node++
	}
	pool.RunRanges(evenly(n, nodesPerTask), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			t.first[i] = -1
			if k := a.of[nd.Of[i]]; k >= 0 {
				t.first[i] = column[k]
			}
		}
	})
	return t
}

// nodesOf lists the nodes of each aggregate in ascending order: the nodes of
// aggregate k are list[start[k]:start[k+1]].
func nodesOf(a aggregates) (start, list []int32) {
	start = make([]int32, a.count+1)
	for _, k := range a.of {
		if k >= 0 {
			start[k+1]++
		}
	}
	for k := range a.count {
		start[k+1] += start[k]
	}
	list = make([]int32, start[a.count])
	next := append([]int32(nil), start...)
	for node, k := range a.of {
		if k >= 0 {
			list[next[k]] = int32(node)
			next[k]++
		}
	}
	return start, list
}

// orthonormalise applies modified Gram-Schmidt, twice, to the near-null space restricted to
// the nodes of an aggregate, leaving out dependent vectors. It returns
// the rank, and in r the coefficients: null_c = sum_q basis_q r[q*width+c].
func (t *tentative) orthonormalise(nd nodes, list []int32, null [][]float64, r []float64) (rank int) {
	w := t.width
	each := func(do func(i int)) {
		for _, k := range list {
			for i := nd.First[k]; i < nd.First[k+1]; i++ {
				do(int(i))
			}
		}
	}
	unknowns := 0
	each(func(int) { unknowns++ })
	for c := range w {
		if rank == unknowns {
			// The basis spans all there is.
			for q := range rank {
				each(func(i int) { r[q*w+c] += float64(t.value[i*w+q] * null[c][i]) })
			}
			continue
		}
		v := func(i int) *float64 { return &t.value[i*w+rank] }
		before := 0.0
		each(func(i int) {
			*v(i) = null[c][i]
			before += float64(null[c][i] * null[c][i])
		})
		for range 2 {
			for q := range rank {
				dot := 0.0
				each(func(i int) { dot += float64(t.value[i*w+q] * *v(i)) })
				each(func(i int) { *v(i) -= float64(dot * t.value[i*w+q]) })
				r[q*w+c] += dot
			}
		}
		after := 0.0
		each(func(i int) { after += float64(*v(i) * *v(i)) })
		if !(after > dependent*dependent*before) {
			each(func(i int) { *v(i) = 0 })
			continue
		}
		norm := math.Sqrt(after)
		each(func(i int) { *v(i) /= norm })
		r[rank*w+c] = norm
		rank++
	}
	return rank
}

// leastLumped is the share of a diagonal entry that must be left when weak connections are added
// to it; else these are dropped.
const leastLumped = 0.05

// smooth returns the prolongator
//
//	P = (I - omega D_F^-1 A_F) T,
//
// where A_F is m with its weak connections lumped to the diagonal block of the node, which
// preserves A v for a vector v, without zeros, of the near-null space ([Vanek96], section 4), and D_F
// is its diagonal. If that leaves hardly anything of the diagonal of m, weak connections are dropped.
func (t *tentative) smooth(m *csr.Matrix, nd nodes, v []float64, strong *graph, f filtered, omega float64, pool *parallel.Pool) *csr.Matrix {
	if t.width == 1 && nd.count() == m.Rows {
		return assemble(m.Rows, len(t.coarse.Of), pool, func(lo, hi int) ([]int64, []int32, []float64) {
			return t.smoothRows(m, strong, f.diagonal, omega, lo, hi)
		})
	}
	return byRows(m.Rows, t.coarse, evenly(m.Rows, nodesPerTask), pool, func(i int, row *accumulator) {
		t.smoothRow(row, m, nd, v, strong, omega, i)
	})
}

// smoothRow makes row i of P.
func (t *tentative) smoothRow(row *accumulator, m *csr.Matrix, nd nodes, v []float64, strong *graph, omega float64, i int) {
	cols, vals := m.Row(i)
	node := nd.Of[i]
	// lumpTo returns the unknown to which column j belongs in A_F.
	near := strong.of(node)
	lumpTo := func(j int32) int {
		to := nd.Of[j]
		for len(near) > 0 && near[0] < to {
			near = near[1:]
		}
		if to == node || len(near) > 0 && near[0] == to {
			return int(j)
		}
		return int(min(nd.First[node]+j-nd.First[to], nd.First[node+1]-1))
	}
	d, lumped := 0.0, 0.0
	for k, j := range cols {
		if int(j) == i {
			d = vals[k]
		} else if lumpTo(j) == i {
			lumped += vals[k] * v[j] / v[i]
		}
	}
	drop := !((d+lumped)/d > leastLumped)
	if !drop {
		d += lumped
	}
	t.add(row, i, 1)
	if d == 0 {
		return
	}
	f := omega / d
	near = strong.of(node)
	for k, j := range cols {
		if to := lumpTo(j); to == int(j) || !drop {
			t.add(row, to, -f*vals[k]*v[j]/v[to])
		}
	}
}

// filtered holds the properties of A_F that smoothing a prolongator needs.
type filtered struct {
	diagonal []float64
	bound    float64 // of the eigenvalues of D_F^-1 A_F, by row sums in units of v
}

// filteredRow returns the diagonal entry of row i of A_F where nodes are single unknowns, and the sum
// of |a_ij| v_j over the strong connections.
func filteredRow(i int, cols []int32, vals []float64, near []int32, v []float64) (d, sum float64) {
	lumped := 0.0
	vals = vals[:len(cols)]
	for k, j := range cols {
		switch {
		case int(j) == i:
			d = vals[k]
		case len(near) > 0 && near[0] == j:
			near = near[1:]
			sum += math.Abs(vals[k]) * v[j]
		default:
			lumped += float64(vals[k] * v[j])
		}
	}
	if whole := d + lumped/v[i]; whole/d > leastLumped {
		d = whole
	}
	return d, sum
}

// newFiltered reads m once; where nodes are several unknowns, it does not know the diagonal, and the
// bound is infinite.
func newFiltered(m *csr.Matrix, nd nodes, v []float64, strong *graph, over spreading, pool *parallel.Pool) filtered {
	if over.several(nd) {
		return filtered{bound: math.Inf(1)}
	}
	f := filtered{diagonal: make([]float64, m.Rows)}
	bounds := evenly(m.Rows, nodesPerTask)
	parts := make([]float64, len(bounds))
	pool.RunRanges(bounds, func(part, lo, hi int) {
		most := 0.0
		for i := lo; i < hi; i++ {
			cols, vals := m.Row(i)
			d, sum := filteredRow(i, cols, vals, strong.of(int32(i)), v)
			f.diagonal[i] = d
			if bound := 1 + sum/math.Abs(d)/v[i]; bound > most && d != 0 {
				most = bound
			}
		}
		parts[part] = most
	})
	f.bound = over.greatest(slices.Max(parts))
	return f
}

// smoothRows makes rows of P where nodes are single unknowns and there is one near-null vector.
func (t *tentative) smoothRows(m *csr.Matrix, strong *graph, diagonal []float64, omega float64, lo, hi int) (ptr []int64, col []int32, val []float64) {
	most := int(strong.count(lo, hi)) + hi - lo
	ptr = make([]int64, 1, hi-lo+1)
	col, val = make([]int32, most), make([]float64, most)
	end := 0
	for i := lo; i < hi; i++ {
		cols, vals := m.Row(i)
		vals = vals[:len(cols)]
		near := strong.of(int32(i))
		own, f := 1-omega, -omega/diagonal[i]
		if diagonal[i] == 0 {
			own, f = 1, 0
		}
		first := end
		if c := t.first[i]; c >= 0 {
			col[end], val[end] = c, own*t.value[i]
			end++
		}
		for k, j := range cols {
			if len(near) == 0 {
				break
			}
			if near[0] != j {
				continue
			}
			near = near[1:]
			c := t.first[j]
			if c < 0 {
				continue
			}
			p := f * vals[k] * t.value[j]
			at := end
			for at > first && col[at-1] > c {
				at--
			}
			if at > first && col[at-1] == c {
				val[at-1] += p
				continue
			}
			for k := end; k > at; k-- {
				col[k], val[k] = col[k-1], val[k-1]
			}
			col[at], val[at] = c, p
			end++
		}
		ptr = append(ptr, int64(end))
	}
	return ptr, slices.Clone(col[:end]), slices.Clone(val[:end])
}

// add adds a times row i of the tentative prolongator.
func (t *tentative) add(row *accumulator, i int, a float64) {
	first := t.first[i]
	if first < 0 {
		return
	}
	g := t.coarse.Of[first]
	rank := int(t.coarse.First[g+1] - first)
	row.addBlock(g, a, t.value[i*t.width:i*t.width+rank])
}

// pattern is a matrix with one element in each nonzero block of the tentative prolongator.
func (t *tentative) pattern() *csr.Matrix {
	n := len(t.first)
	p := &csr.Matrix{Rows: n, Cols: len(t.coarse.Of), RowPtr: make([]int64, n+1), Col: make([]int32, 0, n)}
	for i, j := range t.first {
		if j >= 0 {
			p.Col = append(p.Col, j)
		}
		p.RowPtr[i+1] = int64(len(p.Col))
	}
	p.Val = make([]float64, len(p.Col))
	return p
}
