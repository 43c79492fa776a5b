package precond

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// MultigridOptions are the parameters of AMG; the zero value is useful.
type MultigridOptions struct {
	NearNull   [][]float64 // vectors that A nearly annihilates, each of n elements; none: constants, one for each unknown of a node
	KCycle     bool        // K-cycle, which makes it another map each time, instead of V-cycle
	Aggressive int
	Threshold  float64 // of strong connections on the finest level; 0: DefaultThreshold; negative: all are strong
}

// Defaults of multigrid.
const (
	DefaultThreshold = 0.08 // halved from level to level
	smootherDegree   = 2
	smootherRatio    = 10 // of the largest eigenvalue to the least that smoothing is for
	coarsest         = 500
	maxLevels        = 25
	slowCoarsening   = 0.7 // of the unknowns
)

// Multigrid is smoothed aggregation ([Vanek96]): a hierarchy
//
//	A_(l+1) = P_l^T A_l P_l,  P_l = (I - omega D^-1 A_l) T_l,
//
// where T_l is constant over aggregates of strongly connected nodes.
type Multigrid struct {
	levels []level
	coarse coarseSolver
	cost   Cost
	text   string
}

// level is one of the hierarchy but the coarsest.
type level struct {
	space      *linop.Host
	a          linop.Relaxer[vector, scalar]
	p, r       linop.Relaxer[vector, scalar] // prolongation, restriction: its transpose
	dinv       vector
	omega      []float64 // steps of the smoother
	x, b, work vector    // x and b of the coarser level are in its own
}

func newMultigrid(m *csr.Matrix, opt Options, pool *linop.Pool) (Preconditioner, error) {
	g := &Multigrid{}
	size := opt.BlockSize
	if size == 0 {
		size = BlockSize(m)
	}
	null := opt.Multigrid.NearNull
	if len(null) == 0 {
		null = constants(m.Rows, size)
	}
	threshold := opt.Multigrid.Threshold
	if threshold == 0 {
		threshold = DefaultThreshold
	}
	nd := csr.EqualBlocks(m.Rows, size)
	elements, rows := 0, 0
	stage := time.Now()
	lap := func(what string) {
		opt.Log(fmt.Sprintf("  %-12s %.3f s", what, time.Since(stage).Seconds()))
		stage = time.Now()
	}
	n0, nnz0 := m.Rows, m.NNZ()
	a := opt.Operator
	lap("blocks")
	for m.Rows > coarsest && len(g.levels) < maxLevels {
		opt.Log(fmt.Sprintf("level %d: %d rows, %d nonzeros", len(g.levels), m.Rows, m.NNZ()))
		l := level{space: linop.NewHost(m.Rows, pool)}
		l.dinv = inverseDiagonal(m)
		lambda := gershgorin(m, l.dinv)
		lap("eigenvalue")
		strong := strongConnections(norms(m, nd, pool), threshold, pool)
		lap("strength")
		agg := aggregate(strong, pool)
		if len(g.levels) < opt.Multigrid.Aggressive {
			agg = agg.join(aggregate(strong.quotient(agg, pool), pool))
		}
		lap("aggregate")
		t := newTentative(nd, agg, null, pool)
		lap("tentative")
		if len(t.coarse.Of) == 0 || float64(len(t.coarse.Of)) > slowCoarsening*float64(m.Rows) {
			break
		}
		p := t.smooth(m, nd, strong, l.dinv, env("OM", 4.0/3)/lambda, pool)
		lap("smooth")
		opt.Log(fmt.Sprintf("P %d nonzeros", p.NNZ()))
		r := p.Transpose(pool)
		lap("transpose")
		ap, err := csr.Multiply(m, p, t.coarse, pool)
		if err != nil {
			return nil, err
		}
		lap("AP")
		coarse, err := csr.Multiply(r, ap, t.coarse, pool)
		if err != nil {
			return nil, err
		}
		lap("RAP")
		// The coarse unknowns are scaled by powers of two, so that its diagonal is near 1.
		scaling, err := csr.SymmetricScaling(coarse, pool)
		if err != nil {
			return nil, err
		}
		rows := csr.NoScaling(p)
		rows.Col = scaling.Col
		p = rows.Apply(p, pool)
		rows.Row, rows.Col = scaling.Col, rows.Row
		r = rows.Apply(r, pool)
		for c := range t.null {
			for i := range t.null[c] {
				t.null[c][i] = csr.Ldexp(t.null[c][i], -scaling.Col[i])
			}
		}
		coarse = scaling.Apply(coarse, pool)
		lap("scale")
		var costs [3]Cost
		if a == nil {
			if a, costs[0], err = store(m, opt.Epsilon, pool); err != nil {
				return nil, err
			}
		}
		l.a, a = a, nil
		if l.p, costs[1], err = store(p, opt.Epsilon, pool); err != nil {
			return nil, err
		}
		if l.r, costs[2], err = store(r, opt.Epsilon, pool); err != nil {
			return nil, err
		}
		lap("store")
		for _, c := range costs {
			g.cost = g.cost.Add(c)
		}
		degree := opt.Degree
		if degree == 0 {
			degree = smootherDegree
		}
		l.omega = chebyshevSteps(degree, lambda/env("RATIO", smootherRatio), lambda*env("TOP", 1))
		l.x, l.b, l.work = l.space.New(), l.space.New(), l.space.New()
		elements += m.NNZ()
		g.levels = append(g.levels, l)
		m, nd, null = coarse, t.coarse, t.null
		threshold /= 2
	}
	_ = rows
	opt.Log(fmt.Sprintf("coarsest: %d rows", m.Rows))
	elements += m.NNZ()
	var err error
	if g.coarse, err = newCoarse(m, opt); err != nil {
		return nil, err
	}
	lap("coarse")
	g.text = fmt.Sprintf("amg: %d levels, %d to %d rows, operator complexity %.2f", len(g.levels)+1, n0, m.Rows, float64(elements)/float64(nnz0))
	return g, nil
}

func (g *Multigrid) String() string { return g.text }

// Cost implements Preconditioner.
func (g *Multigrid) Cost() Cost { return g.cost }

// Apply does one cycle from zero: dst = M^-1 src.
func (g *Multigrid) Apply(dst, src []float64) { g.cycle(0, dst, src) }

// cycle improves x = 0 on level k.
func (g *Multigrid) cycle(k int, x, b vector) {
	if k == len(g.levels) {
		g.coarse.solve(x, b)
		return
	}
	l := &g.levels[k]
	work := l.work
	l.mul(l.omega[0], l.dinv, b, x)
	for _, omega := range l.omega[1:] {
		l.a.Relax(work, x, b, l.dinv, scalar(omega))
		x, work = work, x
	}
	l.a.Residual(work, b, x)
	var bc, xc vector
	if k+1 < len(g.levels) {
		bc, xc = g.levels[k+1].b, g.levels[k+1].x
	} else {
		bc, xc = g.coarse.b, g.coarse.x
	}
	l.r.Apply(bc, work)
	g.cycle(k+1, xc, bc)
	l.p.ApplyPlus(work, x, xc)
	x, work = work, x
	for _, omega := range l.omega {
		l.a.Relax(work, x, b, l.dinv, scalar(omega))
		x, work = work, x
	}
}

func (l *level) mul(a float64, w, x, dst vector) {
	for i := range dst {
		dst[i] = a * (w[i] * x[i])
	}
}

// chebyshevSteps are the omega_k of x += omega_k D^-1 (b - A x) whose product is
// the Chebyshev polynomial that is least on [lo, hi]: the reciprocals of its roots.
func chebyshevSteps(degree int, lo, hi float64) []float64 {
	steps := make([]float64, degree)
	for k := range steps {
		root := (hi+lo)/2 + (hi-lo)/2*math.Cos(math.Pi*(float64(k)+0.5)/float64(degree))
		steps[k] = 1 / root
	}
	return steps
}

func inverseDiagonal(m *csr.Matrix) []float64 {
	d := m.Diagonal()
	for i, v := range d {
		d[i] = 1 / v
	}
	return d
}

// gershgorin bounds the eigenvalues of D^-1 A.
func gershgorin(m *csr.Matrix, dinv []float64) float64 {
	most := 0.0
	for i := range m.Rows {
		_, vals := m.Row(i)
		s := 0.0
		for _, v := range vals {
			s += math.Abs(v)
		}
		most = max(most, s*math.Abs(dinv[i]))
	}
	return most
}

func env(name string, v float64) float64 {
	if t := os.Getenv(name); t != "" {
		v, _ = strconv.ParseFloat(t, 64)
	}
	return v
}
