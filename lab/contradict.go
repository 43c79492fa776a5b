package lab

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// inconsistent returns the generator of a class: the right-hand side contradicts the rows of a singular matrix,
// grossly or by one part in 10^3 to 10^8. Some systems have rows and columns scaled over decades, some stand beside a
// block of another magnitude.
func inconsistent(base func(r *rand.Rand) degenerate) func(r *rand.Rand) *System {
	return func(r *rand.Rand) *System {
		for {
			if s := contradictory(r, base(r)); s != nil {
				return s
			}
		}
	}
}

// contradictory draws b for d. It returns nil if the draw is consistent or contradicts too little.
func contradictory(r *rand.Rand, d degenerate) *System {
	if len(d.left) == 0 {
		return nil
	}
	n := d.m.Rows
	s := &System{A: d.m, Natural: 10}
	exact := whole(r, n, 10)
	s.B = product(d.m, exact)
	size := stressMaxAbs(s.B)
	switch r.IntN(4) {
	case 0: // every equation is wrong
		s.B = whole(r, n, 10)
	case 1: // one equation is slightly wrong
		s.B[r.IntN(n)] += size * math.Pow(10, -3-5*r.Float64())
	case 2: // all equations are slightly wrong
		f := size * math.Pow(10, -3-5*r.Float64())
		for i := range s.B {
			s.B[i] += f * (1 + r.Float64())
		}
	default: // one equation is grossly wrong
		s.B[r.IntN(n)] += float64(between(r, 1, 9))
	}
	scaled := r.IntN(3) == 0
	if scaled {
		var row, col []int
		d, row, col = d.scaled(r)
		s.A, s.B = d.m, shifted(s.B, row, 1)
		s.Natural = stressMaxAbs(shifted(exact, col, -1))
	}
	for _, y := range d.left {
		if contradicts(s.A, s.B, y) && visible(s, y, 1e-10, false) {
			s.Contradiction = y
		}
	}
	switch {
	case s.Contradiction == nil:
		return nil
	case !scaled && visible(s, s.Contradiction, 1e-4, false) && r.IntN(4) == 0:
		return beside(r, s)
	}
	return s
}

// consistent returns the generator of a class: the right-hand side is in the range of a singular matrix.
func consistent(base func(r *rand.Rand) degenerate) func(r *rand.Rand) *System {
	return func(r *rand.Rand) *System {
		d := base(r)
		s := &System{A: d.m, X: whole(r, d.m.Rows, 10), Natural: 10}
		s.B = product(d.m, s.X)
		if r.IntN(3) == 0 {
			var row, col []int
			d, row, col = d.scaled(r)
			s.A, s.B, s.X = d.m, shifted(s.B, row, 1), shifted(s.X, col, -1)
			s.Natural = stressMaxAbs(s.X)
		}
		return s
	}
}

// contradicts reports whether y proves that A x = b has no solution: yᵀA = 0 and yᵀb ≠ 0, exactly.
func contradicts(m *csr.Matrix, b, y []float64) bool {
	if !annihilates(m, y) {
		return false
	}
	var rhs stressSum
	for i, v := range b {
		rhs.add(y[i], v)
	}
	return !rhs.zero()
}

// annihilates reports whether yᵀA = 0, exactly.
func annihilates(m *csr.Matrix, y []float64) bool {
	columns := make([]stressSum, m.Cols)
	for i := range m.Rows {
		if y[i] == 0 {
			continue
		}
		cols, vals := m.Row(i)
		for k, j := range cols {
			columns[j].add(y[i], vals[k])
		}
	}
	for j := range columns {
		if !columns[j].zero() {
			return false
		}
	}
	return true
}

// leastNorm returns a lower bound of ‖x‖∞ for every x whose row-wise or normwise error is at most tol, from a
// contradiction y: yᵀb = yᵀr, so that
//
//	|yᵀb| <= Σ|y_i||r_i| <= tol Σ|y_i| (T_i ‖x‖∞ + |b_i|),
//
// with ‖A‖∞ and ‖b‖∞ instead of T_i and |b_i| for the normwise error.
func leastNorm(m *csr.Matrix, b, y []float64, tol float64, normwise bool) float64 {
	var yb, weight, size stressSum
	norm := 0.0
	for i := range b {
		norm = max(norm, rowSum(m, i))
	}
	bmax := stressMaxAbs(b)
	for i := range b {
		yb.add(y[i], b[i])
		if normwise {
			size.add(math.Abs(y[i]), bmax)
			weight.add(math.Abs(y[i]), norm)
		} else {
			size.add(math.Abs(y[i]), math.Abs(b[i]))
			weight.add(math.Abs(y[i]), rowSum(m, i))
		}
	}
	gap := new(big.Float).Quo(new(big.Float).Abs(yb.float()), wide(tol))
	gap.Sub(gap, size.float())
	if gap.Sign() <= 0 {
		return 0
	}
	return quotient(gap, weight.float())
}

func rowSum(m *csr.Matrix, i int) (t float64) {
	_, vals := m.Row(i)
	for _, v := range vals {
		t += math.Abs(v)
	}
	return t
}

// visible reports whether a contradiction y shows at the tolerance tol: only an x a hundred times as large as the
// solutions for the consistent part of b could meet tol.
func visible(s *System, y []float64, tol float64, normwise bool) bool {
	return leastNorm(s.A, s.B, y, tol, normwise) > 100*s.Natural
}

// part is a connected part of a system: no entry couples it to the rest.
type part struct{ rows, cols []int }

// parted returns the connected parts of the bipartite graph of rows and columns.
func parted(m *csr.Matrix) []part {
	n := m.Rows
	parent := make([]int, 2*n) // rows, then columns
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for i := range n {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if vals[k] != 0 {
				parent[find(i)] = find(n + int(j))
			}
		}
	}
	at := map[int]int{}
	var list []part
	for i := range 2 * n {
		root := find(i)
		if _, ok := at[root]; !ok {
			at[root] = len(list)
			list = append(list, part{})
		}
		if p := &list[at[root]]; i < n {
			p.rows = append(p.rows, i)
		} else {
			p.cols = append(p.cols, i-n)
		}
	}
	return list
}
