package precond

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Values of MultigridOptions.Smoother.
const (
	smootherAuto      = ""
	smootherSPAI0     = "spai0"
	smootherChebyshev = "chebyshev"
	smootherL1Jacobi  = "l1-jacobi"
)

const (
	safeEigenvalue = 2.2 // bound by row sums that needs no better estimate

	chebyshevDegree = 3  // steps before and after the correction from the coarser level
	smootherRatio   = 10 // of the largest eigenvalue of D^-1 A to the least that is to be smoothed
	l1JacobiSteps   = 2
	safeStep        = 1.8
)

// rowFacts are sums over the rows of A. For a sum of magnitudes unknowns are measured in a vector v of the near-null space, for one
// of squares in 1/sqrt|a_ii|, so that smoothers do not depend on how A is scaled.
type rowFacts struct {
	v        []float64
	diagonal []float64 // of A
	sum      []float64 // of |a_ij| v_j
	square   []float64 // of a_ij^2 / |a_jj|
	bound    float64   // of the eigenvalues of D^-1 A
	bound0   float64   // of the eigenvalues of M A, M of SPAI0
}

// newRowFacts reads the current matrix once. An unknown without an equation, which coarsening may
// leave, has none; another zero on the diagonal is an error.
func (h *hierarchy) newRowFacts(v []float64) (f rowFacts, err error) {
	n := h.a.Rows
	f.v, f.diagonal, f.sum, f.square = v, make([]float64, n), make([]float64, n), make([]float64, n)
	w := h.a.Diagonal(h.pool)
	for i, d := range w {
		if w[i] = 1 / math.Abs(d); !finite(w[i]) {
			w[i] = 0
		}
	}
	h.over.fill(w)
	bounds := evenly(n, nodesPerTask)
	parts := make([][2]float64, len(bounds)-1)
	bad := make([]int, len(bounds)-1) // a row with a bad diagonal entry, from 1
	h.pool.RunRanges(bounds, func(part, lo, hi int) {
		most, most0 := 0.0, 0.0
		for i := lo; i < hi; i++ {
			cols, vals := h.a.Row(i)
			cols = cols[:len(vals)]
			d, sum, square := 0.0, 0.0, 0.0
			for k, a := range vals {
				square += float64(float64(a*a) * w[cols[k]])
				a *= f.v[cols[k]]
				sum += math.Abs(a)
				if int(cols[k]) == i {
					d = a
				}
			}
			f.diagonal[i], f.sum[i], f.square[i] = d/f.v[i], sum, square
			switch {
			case d == 0 && sum == 0:
			case !finite(d), !finite(1 / d), h.Symmetric && d < 0:
				bad[part] = i + 1
				return
			default:
				if bound := sum / math.Abs(d); bound > most {
					most = bound
				}
				if bound := sum / (f.v[i] * square); bound > most0 {
					most0 = bound
				}
			}
		}
		parts[part] = [2]float64{most, most0}
	})
	for k, p := range parts {
		if i := bad[k] - 1; i >= 0 && err == nil {
			err = errDiagonal(h.over.given(i), f.diagonal[i], h.Symmetric)
		}
		f.bound, f.bound0 = max(f.bound, p[0]), max(f.bound0, p[1])
	}
	f.bound, f.bound0 = h.over.greatest(f.bound), h.over.greatest(f.bound0)
	return f, h.over.agree(err)
}

// magnitudes returns what unknowns are measured in: the norm of what the near-null vectors are
// there or, if that is zero anywhere, 1/sqrt|a_ii|.
func (h *hierarchy) magnitudes() []float64 {
	v := magnitudesOf(h.null)
	h.over.fillAll(v, 1)
	bad := int64(0)
	if slices.ContainsFunc(v, func(v float64) bool { return !(v > 0) || !finite(v) }) {
		bad = 1
	}
	if h.over.sum(&bad); bad == 0 {
		return v
	}
	for i, d := range h.a.Diagonal(h.pool) {
		if v[i] = 1 / math.Sqrt(math.Abs(d)); !finite(v[i]) {
			v[i] = 1
		}
	}
	h.over.fillAll(v, 1)
	return v
}

// magnitudesOf returns the norm of what the vectors are at each unknown.
func magnitudesOf(null [][]float64) []float64 {
	v := make([]float64, len(null[0]))
	for i := range v {
		square := 0.0
		for _, b := range null {
			square += float64(b[i] * b[i])
		}
		v[i] = math.Sqrt(square)
	}
	return v
}

// inverse returns D^-1.
func (f rowFacts) inverse() []float64 {
	w := make([]float64, len(f.diagonal))
	for i, d := range f.diagonal {
		if d != 0 {
			w[i] = 1 / d
		}
	}
	return w
}

// smoother sets m and steps of a level and returns the largest eigenvalue of D_F^-1 A_F, a bound or
// an estimate; see tentative.smooth.
func (h *hierarchy) smoother(l *levelMatrices, v []float64, bound float64) (filtered float64, err error) {
	f, err := h.newRowFacts(v)
	if err != nil {
		return 0, err
	}
	lambda := f.bound
	chebyshev := h.Multigrid.Smoother == smootherChebyshev ||
		h.Multigrid.Smoother == smootherAuto && h.Symmetric && h.over.several(h.nodes)
	if filtered = lambda; lambda > safeEigenvalue {
		filtered = min(lambda, bound)
		if h.Symmetric && (chebyshev || filtered > safeEigenvalue) {
			estimate, err := h.largestEigenvalue(f.inverse())
			if err != nil {
				return 0, err
			}
			lambda = min(lambda, estimate)
			filtered = min(filtered, lambda)
		}
	}
	degree := h.Degree
	kind := h.Multigrid.Smoother
	switch {
	case chebyshev:
		if degree == 0 {
			degree = chebyshevDegree
		}
		l.m, l.steps = f.inverse(), chebyshevSteps(degree, lambda/smootherRatio, lambda)
		return filtered, nil
	case kind == smootherSPAI0, kind == smootherAuto && h.Symmetric:
		if l.m, err = h.spai0(f, lambda); err != nil {
			return 0, err
		}
	default:
		l.m = f.sum
		for i, s := range f.sum {
			if s > 0 {
				l.m[i] = math.Copysign(f.v[i]/s, f.diagonal[i])
			}
		}
		if degree == 0 && kind == smootherAuto {
			degree = l1JacobiSteps
		}
	}
	l.steps = slices.Repeat([]float64{1}, max(degree, 1))
	return filtered, nil
}

// largestEigenvalue estimates the largest eigenvalue of diag(w) A, A the current matrix, with a margin.
func (h *hierarchy) largestEigenvalue(w []float64) (float64, error) {
	lambda, err := h.over.largestEigenvalue(h.a, w, h.pool)
	return eigenvalueMargin * lambda, err
}

// spai0 returns the diagonal of the sparse approximate inverse that is diagonal, in units of A: m_i minimises ||e_i - m_i a_i||,
// a_i row i of D^-1/2 A D^-1/2 for the diagonal D of A, so that m_i = 1 / sum_j a_ij^2/a_jj ([BroekerGrote02]). Where A is
// symmetric, it is scaled so that the eigenvalues of M A are below 2, without which a cycle
// need not be definite. That takes an estimate if neither row sums nor lambda, the largest eigenvalue of
// D^-1 A, tell that they are: the eigenvalues of M A are at most lambda max m_i a_ii.
func (h *hierarchy) spai0(f rowFacts, lambda float64) ([]float64, error) {
	m, ratio := f.square, 0.0
	for i, s := range f.square {
		if s > 0 {
			m[i] = math.Copysign(1/s, f.diagonal[i])
			ratio = max(ratio, m[i]*f.diagonal[i])
		}
	}
	ratio = h.over.greatest(ratio)
	if !h.Symmetric || min(f.bound0, ratio*lambda) <= 2 {
		return m, nil
	}
	lambda, err := h.largestEigenvalue(m)
	if err != nil {
		return nil, err
	}
	if f := safeStep / lambda; f < 1 {
		for i := range m {
			m[i] *= f
		}
	}
	return m, nil
}

// nineRows is the mean length of rows up to which prolongators are smoothed twice: the length for
// a nine-point stencil, with a margin.
const nineRows = 10

// longestTwice is the longest row of a matrix whose prolongator is smoothed twice: for the rows
// of that to stay short.
const longestTwice = 256

// smoothsTwice reports whether the prolongator of the current level is smoothed twice: if rows of the first coarse
// level are short, on coarse levels. Where rows are as short as in the plane, that costs few entries, and V-cycles
// take fewer iterations, above all where coupling is strong in a direction that is not one of the grid:
// aggregates of the next level follow it badly, and smooth vectors interpolated from these have too
// much energy.
func (h *hierarchy) smoothsTwice() bool {
	if h.level() == 1 {
		rows, nonzeros := int64(h.over.own(h.a.Rows)), int64(h.a.NNZ())
		h.over.sum(&rows, &nonzeros)
		h.twice = h.Symmetric && len(h.null) == 1 && h.nodes.count() == h.a.Rows && nonzeros <= nineRows*rows
	}
	return h.twice && h.over.greatest(float64(h.a.LongestRow())) <= longestTwice
}

// smoothAgain returns (I - omega D_F^-1 A_F) P, see tentative.smooth, where nodes are single unknowns,
// given the diagonal of A_F.
func smoothAgain(p, m *csr.Matrix, strong *graph, diagonal []float64, omega float64, pool *parallel.Pool) *csr.Matrix {
	return assemble(m.Rows, p.Cols, pool, func(lo, hi int) ([]int64, []int32, []float64) {
		row := sortedRow{ptr: make([]int64, 1, hi-lo+1)}
		row.reserve(2 * int(p.RowPtr[hi]-p.RowPtr[lo]))
		for i := lo; i < hi; i++ {
			cols, vals := m.Row(i)
			vals = vals[:len(cols)]
			near := strong.of(int32(i))
			own, f := 1-omega, -omega/diagonal[i]
			if diagonal[i] == 0 {
				own, near = 1, nil
			}
			row.add(p, i, own)
			for k, j := range cols {
				if len(near) == 0 {
					break
				}
				if near[0] == j {
					near = near[1:]
					row.add(p, int(j), f*vals[k])
				}
			}
			row.next()
		}
		return row.ptr, row.col, row.val
	})
}

// sortedRow is the last of rows that are made one after the other, with ascending columns. Adding
// takes time in proportion to its length.
type sortedRow struct {
	ptr   []int64
	col   []int32
	val   []float64
	first int // element of the row
}

func (r *sortedRow) reserve(n int) { r.col, r.val = make([]int32, 0, n), make([]float64, 0, n) }

func (r *sortedRow) next() {
	r.first = len(r.col)
	r.ptr = append(r.ptr, int64(r.first))
}

// add adds f times row i of p.
func (r *sortedRow) add(p *csr.Matrix, i int, f float64) {
	cols, vals := p.Row(i)
	for k, c := range cols {
		v, at := float64(f*vals[k]), len(r.col)
		for at > r.first && r.col[at-1] > c {
			at--
		}
		if at > r.first && r.col[at-1] == c {
			r.val[at-1] += v
			continue
		}
		r.col, r.val = append(r.col, 0), append(r.val, 0)
		copy(r.col[at+1:], r.col[at:])
		copy(r.val[at+1:], r.val[at:])
		r.col[at], r.val[at] = c, v
	}
}
