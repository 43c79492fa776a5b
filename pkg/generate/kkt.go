package generate

import "github.com/mpsolve/mpsolve/pkg/parallel"

// quadratic is the system of a step of a primal-dual interior-point method for a quadratic
// program, min x'Hx/2 + c'x, Jx = b, x >= 0 (Nocedal, Wright: Numerical Optimization, 16.6):
//
//	| H + D + delta I     J'     |
//	| J                -delta I  |
//
// H sums q_k (x_k + x_i + x_j)^2 over all k, with i and j behind k by at most window, as
// the CVXQP problems of CUTEst do (Gould, Orban, Toint), a fraction nonconvex of the q_k
// negative as in NCVXQP. D = s/x has 10^(decades/2) for variables at their bound and
// 10^(-decades/2) for the others, half of each, within a factor of about 10. A constraint
// has a variable of its own, which gives J full rank, and others within the window, with
// coefficients +-1, 2, 3; dense constraints have all variables that are no constraint's own.
type quadratic struct {
	n, m         int // variables, constraints
	mean, window int
	dense        int
	decades      float64
	nonconvex    float64
	delta        float64
	seed         uint64
}

func kkt() Kind {
	return Kind{
		Name: "kkt", Symmetric: true,
		Help: "interior-point step of a quadratic program, variables before multipliers, symmetric indefinite",
		Use:  "KKT systems: a graded diagonal before a zero block, as in the CVXQP and Maros-Meszaros problems; a direct solver fills in by the window",
		Params: []Param{
			{Name: "n", Help: "number of variables", Default: 2000, Min: 2, Max: 1e8, Whole: true},
			{Name: "constraints", Help: "constraints per variable", Default: 0.5, Max: 0.9},
			{Name: "mean", Help: "variables in a constraint", Default: 3, Min: 1, Max: 100, Whole: true},
			{Name: "window", Help: "largest distance of coupled variables", Default: 40, Min: 1, Max: 1e8, Whole: true},
			{Name: "dense", Help: "number of constraints on all variables", Default: 0, Max: 100, Whole: true},
			{Name: "nonconvex", Help: "fraction of H's terms that are negative; the matrix may then be singular", Default: 0, Max: 1},
			decadesParam("decades of the interior-point diagonal D", 8),
			{Name: "regularisation", Help: "delta, added to the diagonal and subtracted below; 0: a zero block", Default: 0, Max: 1e6},
			seedParam(),
		},
		size: func(v values) (rows, nnz int64) { return newQuadratic(v).size() },
		source: func(_ *parallel.Pool, v values) source {
			q := newQuadratic(v)
			rows, _ := q.size()
			return q.stamps().source(int(rows))
		},
	}
}

func newQuadratic(v values) quadratic {
	n := v.int("n")
	m := int(v["n"] * v["constraints"])
	return quadratic{
		n, m, v.int("mean"), min(v.int("window"), n-1), min(v.int("dense"), m),
		v["decades"], v["nonconvex"], v["regularisation"], v.seed(),
	}
}

// size counts what the terms of H and the constraints hold if none meet.
func (q quadratic) size() (rows, nnz int64) {
	rows = int64(q.n + q.m)
	nnz = int64(q.n) + 6*int64(q.n) + 2*int64(q.m-q.dense)*int64(q.mean) + 2*int64(q.dense)*int64(q.n-q.m+1)
	if q.delta > 0 {
		nnz += int64(q.m)
	}
	return rows, nnz
}

const (
	drawTerm = iota
	drawCurvature
	drawConvex
	drawBound
	drawBarrier
	drawMember
	drawCoefficient
)

func (q quadratic) stamps() *stamps {
	s := &stamps{}
	q.hessian(s)
	for j := range q.n {
		d := logNormal(hash(q.seed, drawBarrier, j), min(q.decades, 2))
		if hash(q.seed, drawBound, j)&1 == 0 {
			d *= pow10(q.decades / 2)
		} else {
			d *= pow10(-q.decades / 2)
		}
		s.add(j, j, float64(d)+q.delta)
	}
	for r := range q.m {
		q.constraint(s, r)
		if q.delta > 0 {
			s.add(q.n+r, q.n+r, -q.delta)
		}
	}
	return s
}

// hessian adds H: for each k the square of a sum of three variables.
func (q quadratic) hessian(s *stamps) {
	for k := range q.n {
		weight := uniform(hash(q.seed, drawCurvature, k))
		if uniform(hash(q.seed, drawConvex, k)) < q.nonconvex {
			weight = -weight
		}
		i, j := q.near(k, hash(q.seed, drawTerm, k, 0)), q.near(k, hash(q.seed, drawTerm, k, 1))
		term := [3]int{k, i, j}
		for a := range term {
			s.add(term[a], term[a], weight)
			for _, b := range term[:a] {
				if term[a] == b {
					s.add(b, b, 2*weight)
				} else {
					s.pair(term[a], b, weight)
				}
			}
		}
	}
}

// near returns a variable behind variable k by at most the window, in a ring.
func (q quadratic) near(k int, h uint64) int {
	return (k + 1 + below(h, q.window)) % q.n
}

// own returns the variable that no other constraint has.
func (q quadratic) own(r int) int { return int(int64(r) * int64(q.n) / int64(q.m)) }

// isOwn reports whether a variable is a constraint's own.
func (q quadratic) isOwn(j int) bool {
	r := int((int64(j)*int64(q.m) + int64(q.n) - 1) / int64(q.n))
	return r < q.m && q.own(r) == j
}

// constraint adds row r of J and its transpose.
func (q quadratic) constraint(s *stamps, r int) {
	own := q.own(r)
	s.pair(q.n+r, own, 1)
	if r < q.dense {
		for j := range q.n {
			if !q.isOwn(j) {
				s.pair(q.n+r, j, 1)
			}
		}
		return
	}
	for k := 1; k < q.mean; k++ {
		j := q.near(own, hash(q.seed, drawMember, r, k))
		if q.isOwn(j) {
			j = (j + 1) % q.n
		}
		if q.isOwn(j) {
			continue
		}
		h := hash(q.seed, drawCoefficient, r, k)
		v := float64(1 + below(h, 3))
		if h&1 == 0 {
			v = -v
		}
		s.pair(q.n+r, j, v)
	}
}
