package precond

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// mostScaled bounds the factor of truncated weights.
const mostScaled = 10

// interpolation returns the prolongator that injects coarse points and interpolates the others by
// the formula "extended+i" of [DeSterck08]: fine point i from the coarse points C_i on which it, or a fine point k on which it depends
// strongly, depends strongly,
//
//	w_ij = -(a_ij + sum_k a_ik b_kj / b_k) / d_i,    d_i = a_ii + sum over weak l not in C_i of a_il + sum_k a_ik b_ki / b_k,
//
// where b_kl is a_kl if its sign is not that of a_kk, and 0 otherwise, and b_k the sum of the b_kl over C_i and i. The largest
// mostInterpolated of the weights stay, scaled to the sum of all.
func (s splitting) interpolation(m *csr.Matrix, v []float64, g *graph, pool *parallel.Pool) *csr.Matrix {
	spare := make(chan *interpolator, pool.Threads())
	return assemble(m.Rows, s.count, pool, func(lo, hi int) (ptr []int64, col []int32, val []float64) {
		var p *interpolator
		select {
		case p = <-spare:
		default:
			p = &interpolator{splitting: s, m: m, v: v, g: g, at: make([]int32, m.Rows), strong: make([]int32, m.Rows)}
		}
		defer func() { spare <- p }()
		ptr = make([]int64, 1, hi-lo+1)
		col, val = make([]int32, 0, mostInterpolated*(hi-lo)), make([]float64, 0, mostInterpolated*(hi-lo))
		for i := lo; i < hi; i++ {
			if c := s.place[i]; c != fine {
				col, val = append(col, c), append(val, 1)
			} else {
				col, val = p.row(i, col, val)
			}
			ptr = append(ptr, int64(len(col)))
		}
		return ptr, col, val
	})
}

// interpolator makes rows of an interpolation, one after the other.
type interpolator struct {
	splitting
	m       *csr.Matrix
	v       []float64
	g       *graph
	at      []int32 // place of a coarse point among the points, from 1; 0: none
	strong  []int32 // i+1 where i depends on the unknown strongly
	points  []int32 // C_i
	weights []float64
}

// row appends the row of a fine point.
func (p *interpolator) row(i int, col []int32, val []float64) ([]int32, []float64) {
	p.points, p.weights = p.points[:0], p.weights[:0]
	for _, k := range p.g.of(int32(i)) {
		p.strong[k] = int32(i + 1)
		if p.place[k] != fine {
			p.include(k)
			continue
		}
		for _, j := range p.g.of(k) {
			if p.place[j] != fine {
				p.include(j)
			}
		}
	}
	if len(p.points) == 0 {
		return col, val
	}
	d := p.collect(i)
	for _, c := range p.points {
		p.at[c] = 0
	}
	if d == 0 {
		return col, val
	}
	return p.truncated(-p.v[i]/d, col, val)
}

// include makes j one of the points.
func (p *interpolator) include(j int32) {
	if p.at[j] == 0 {
		p.points, p.weights = append(p.points, j), append(p.weights, 0)
		p.at[j] = int32(len(p.points))
	}
}

// collect sets the weights but for the factor -1/d_i, and returns d_i.
func (p *interpolator) collect(i int) (d float64) {
	cols, vals := p.m.Row(i)
	vals = vals[:len(cols)]
	for k, j := range cols {
		a := float64(vals[k] * p.v[j])
		switch {
		case int(j) == i:
			d += a
		case p.at[j] > 0:
			p.weights[p.at[j]-1] += a
		case p.strong[j] != int32(i+1):
			d += a
		default:
			d += p.distribute(i, j, a)
		}
	}
	return d
}

// distribute adds a b_kl / b_k to the weights of all l, and returns that of i.
func (p *interpolator) distribute(i int, k int32, a float64) float64 {
	cols, vals := p.m.Row(int(k))
	vals = vals[:len(cols)]
	sum := 0.0
	for q, l := range cols {
		if vals[q] < 0 && (p.at[l] > 0 || int(l) == i) {
			sum += float64(vals[q] * p.v[l])
		}
	}
	if sum == 0 {
		return a
	}
	f, own := a/sum, 0.0
	for q, l := range cols {
		if vals[q] < 0 {
			if at := p.at[l]; at > 0 {
				p.weights[at-1] += float64(f * vals[q] * p.v[l])
			} else if int(l) == i {
				own += float64(f * vals[q] * p.v[l])
			}
		}
	}
	return own
}

// truncated appends f times the weights that stay, in the order of the columns.
func (p *interpolator) truncated(f float64, col []int32, val []float64) ([]int32, []float64) {
	all, kept := 0.0, 0.0
	for _, w := range p.weights {
		all += w
	}
	n := len(p.points)
	for n > mostInterpolated { // the smallest goes, of equal ones the last
		least := 0
		for k := 1; k < n; k++ {
			if math.Abs(p.weights[k]) <= math.Abs(p.weights[least]) {
				least = k
			}
		}
		n--
		p.points[least], p.weights[least] = p.points[n], p.weights[n]
	}
	for _, w := range p.weights[:n] {
		kept += w
	}
	if scale := all / kept; scale > 1/mostScaled && scale < mostScaled { // else what stays says little of what went
		f *= scale
	}
	first := len(col)
	for k, j := range p.points[:n] {
		c, w, at := p.place[j], f*p.weights[k]/p.v[j], len(col)
		for at > first && col[at-1] > c {
			at--
		}
		col, val = slices.Insert(col, at, c), slices.Insert(val, at, w)
	}
	return col, val
}
