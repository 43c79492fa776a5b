package generate

import "github.com/mpsolve/mpsolve/pkg/parallel"

// levelling is the augmented system of a weighted least-squares problem with equality
// constraints, min (y - Ax)' D^-1 (y - Ax) subject to Cx = d (Bjorck: Numerical Methods for
// Least Squares Problems, 5.1; the AUG2D problems of CUTEst):
//
//	| D   A   0  |
//	| A'  0   C' |
//	| 0   C   0  |
//
// x are the heights of the points of a grid. Observations are the differences in height of
// neighbours, and the height of the first point; their variances D are log-normal. Some
// heights are fixed by C, one in every (points / fixed).
type levelling struct {
	grid
	fixed   int
	decades float64
	seed    uint64
}

func leastSquares() Kind {
	return Kind{
		Name: "leastsquares", Symmetric: true,
		Help: "augmented system of a levelling network of n x n points by least squares, residuals before heights before multipliers, symmetric indefinite",
		Use:  "saddle points with a diagonal (1,1) block of many decades, as in surveying, tomography and mixed-hybrid elements",
		Params: []Param{
			edgeParam(2, 4, 30),
			{Name: "fixed", Help: "number of heights fixed by constraints, at most the points", Default: 0, Max: 1e8, Whole: true},
			decadesParam("decades of the variances", 6),
			seedParam(),
		},
		size: func(v values) (rows, nnz int64) { return newLevelling(v).size() },
		source: func(_ *parallel.Pool, v values) source {
			l := newLevelling(v)
			rows, _ := l.size()
			return l.stamps().source(int(rows))
		},
	}
}

func newLevelling(v values) levelling {
	g := cube(2, v.int("n"))
	return levelling{g, min(v.int("fixed"), g.points()), v["decades"], v.seed()}
}

// observations counts the edges of the grid and the height of the first point.
func (l levelling) observations() int { return 2*l.nx*(l.nx-1) + 1 }

func (l levelling) size() (rows, nnz int64) {
	m := int64(l.observations())
	return m + int64(l.points()) + int64(l.fixed), m + 2*(2*m-1) + 2*int64(l.fixed)
}

func (l levelling) stamps() *stamps {
	s := &stamps{}
	heights := l.observations()
	observation := 0
	observe := func(from, to int) {
		s.add(observation, observation, logNormal(hash(l.seed, observation), l.decades))
		s.pair(observation, heights+to, 1)
		if from >= 0 {
			s.pair(observation, heights+from, -1)
		}
		observation++
	}
	observe(-1, 0)
	for i := range l.points() {
		x, y, _ := l.at(i)
		if x > 0 {
			observe(i-1, i)
		}
		if y > 0 {
			observe(i-l.nx, i)
		}
	}
	multipliers := heights + l.points()
	for k := range l.fixed {
		s.pair(multipliers+k, heights+int(int64(k)*int64(l.points())/int64(l.fixed)), 1)
	}
	return s
}
