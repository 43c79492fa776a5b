package choice

import (
	"cmp"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A Bet is what a fallback is expected to take. Work is in multiplications of products: what takes longer counts as more of them, so that
// bets compare like times, and are the same on any machine, under any load, and with any number of threads.
type Bet struct {
	SetUp      float64
	Iteration  float64
	Iterations float64
	AsSlow     bool // hardly less than with the diagonal, where that is slow
}

// Work returns the work in all.
func (b Bet) Work() float64 { return b.SetUp + b.Iteration*b.Iterations }

// Bet returns the bet on a fallback that begins at x = 0.
func (w Workload) Bet(r Fallback) Bet {
	e := w.expectation(r.Kind)
	b := Bet{
		AsSlow:     e.Relative >= rules.AsSlow && !r.ProbeRun && (r.Kind != precond.Jacobi || w.Definite) && !(r.Kind == precond.ILU0 && w.Sweeps > 0),
		SetUp:      e.SetUp * w.Nnz,
		Iterations: w.Iterations(r.Method, r.Kind),
		Iteration:  IterationWork(r.Method, r.Kind, w.N, w.Nnz, e.Values*w.Nnz) * w.slower(r, e.Values*w.Nnz),
	}
	if r.ByDomain && (r.Kind == precond.LU || r.Kind == precond.Cholesky) { // of parts of the matrix
		e = rules.Expectations[precond.ILUT]
		b.SetUp, b.Iterations = e.SetUp*w.Nnz, max(1, rules.ByDomain*w.Iterations(r.Method, precond.Jacobi))
	} else if r.Complete() {
		b.SetUp = w.irregular(rules.OrderWork)*w.Nnz + w.completeWork(r.Kind)
	} else if r.Kind == precond.AMG {
		b.SetUp = w.irregular(e.SetUp)*w.Nnz + rules.CoarsestWork
	}
	if d, known := rules.Drops[r.DropTol]; known {
		b.SetUp *= d.SetUp
		b.Iterations *= d.Iterations
	}
	if r.Method == solve.GMRES { // on average half of a cycle
		b.Iteration += rules.ProjectionWork * w.N * min(b.Iterations, krylov.DefaultRestart)
	}
	switch {
	case w.Definite && r.Method != solve.CG: // for a matrix that turns out not to be definite
		b.SetUp *= rules.NotDefinite
		b.Iterations *= rules.NotDefinite
	case w.Indefinite && !r.Complete():
		b.Iterations *= rules.Indefinite
	}
	return b
}

// slower returns how many times as long a multiplication of an iteration takes as one of a product with an irregular matrix, with a preconditioner of so
// many values.
func (w Workload) slower(r Fallback, values float64) float64 {
	share := 1.0
	if !w.Irregular {
		share = rules.RegularShare
	}
	more := max(1, rules.Expectations[r.Kind].Slower) - 1
	m, _ := krylov.KindOf(string(r.Method))
	all := IterationWork(r.Method, r.Kind, w.N, w.Nnz, values)
	return share * (all + more*values*float64(m.Products)) / all
}

// irregular returns the work of a set-up that follows the graph: it goes from row to row, which takes longer the larger the matrix is, unless
// neighbours have neighbouring numbers.
func (w Workload) irregular(work float64) float64 {
	if !w.Irregular {
		return work / 2
	}
	return work * max(1, math.Pow(w.Nnz/rules.CachedNonzeros, 0.25))
}

// completeWork returns the work that complete factors are expected to take, their order apart.
func (w Workload) completeWork(kind precond.Kind) float64 {
	count, entries := 0.0, 0.0
	switch {
	case w.Network:
		count, entries = rules.NetworkFactors*w.Nnz, rules.NetworkFill*w.Nnz
	case w.Shape == features.Planar:
		count, entries = rules.PlanarFactors*math.Pow(w.N, 1.5), rules.PlanarFill*w.N*math.Log2(max(w.N, 1))
	case w.Shape == features.Spatial && w.Nodes > 1:
		count = rules.NodesFactors * w.N * w.N
	case w.Shape == features.Spatial:
		count = rules.SpatialFactors * w.N * w.N
	default:
		count = rules.ExpanderFactors * w.N * w.N * w.N
	}
	if w.Width > 0 {
		count = min(count, rules.WidthFactors*math.Pow(w.Width, 3))
	}
	work := count/rules.FrontSpeed + rules.EntryWork*entries
	if kind == precond.LU && !w.Indefinite { // of which L D L^T is made
		work *= 2
	}
	return work
}

// expectation returns what a preconditioner of a kind is expected to take.
func (w Workload) expectation(kind precond.Kind) rules.Expectation {
	e, known := rules.Expectations[kind]
	if !known {
		e = rules.Expectations[precond.ILU0]
	}
	if kind == precond.AMG {
		switch {
		case w.Shape == features.Expander:
			e.SetUp *= rules.ExpanderLevels
		case w.Nodes <= 1 && !w.MMatrix:
			e.Count *= rules.NotDiffusion
		case !w.Irregular:
			e.Count *= rules.GridShare
		}
		if w.Network && !w.Definite {
			e.Count *= rules.OfNetworks
		}
	}
	return e
}

// byCost sorts fallbacks by their bets, probe runs first. It drops the first probe run if that is certain to take more than the best bet. Complete factors
// of the first method come before all others where there are few rows.
func (s *System) byCost(list []Fallback) []Fallback {
	if len(list) < 2 {
		return list
	}
	w, costs, first := s.Workload(), map[Fallback]float64{}, list[0]
	bets := s.betsOn(list, w)
	for k, r := range list {
		switch costs[r] = bets[k].Work(); {
		case r.ProbeRun:
			costs[r] = 0
		case r.Complete() && w.N <= rules.DirectRows && !s.asksOthers() && (r.Method == solve.CG) == (first.Method == solve.CG):
			costs[r] = -1
		}
	}
	slices.SortStableFunc(list, func(a, b Fallback) int { return cmp.Compare(costs[a], costs[b]) })
	if list[0].ProbeRun && w.least*w.slower(list[0], w.N)*IterationWork(solve.CG, precond.Jacobi, w.N, w.Nnz, w.N) > costs[list[1]] {
		return list[1:]
	}
	return list
}

// asksOthers reports whether the options ask for other preconditioners than complete factors.
func (s *System) asksOthers() bool {
	return s.Opt.NoRefine || s.Opt.Precond.DropTol != 0 || s.Opt.Precond.Fill != 0
}

// Favourite returns the fallback with the best bet among those that are no probe runs, or the last.
func Favourite(fallbacks []Fallback) Fallback {
	for _, r := range fallbacks {
		if !r.ProbeRun {
			return r
		}
	}
	return fallbacks[len(fallbacks)-1]
}

// betsOn returns the bets on fallbacks. What is as slow as the diagonal comes after the best of the others, as it is rarely better; what the options do not ask
// for, and what is the last resort, comes after all.
func (s *System) betsOn(fallbacks []Fallback, w Workload) []Bet {
	list, best := make([]Bet, len(fallbacks)), math.Inf(1)
	for k, r := range fallbacks {
		if list[k] = w.Bet(r); r.Wide || r.Kind == precond.None || r.Complete() && s.asksOthers() {
			list[k].SetUp = math.Inf(1)
		}
		if !r.ProbeRun && !list[k].AsSlow && !(w.Indefinite && r.Method == solve.CG) {
			best = min(best, list[k].Work())
		}
	}
	for k := range list {
		if list[k].AsSlow && !math.IsInf(best, 1) {
			list[k].SetUp += best
		}
	}
	return list
}

// learnt is what a solve has learnt that all bets depend on.
type learnt struct {
	diagonal   float64 // see State.Diagonal
	indefinite bool    // see State.Indefinite
}

// betting returns a function that returns the bets on fallbacks after what a solve has learnt. Without limits fallbacks are tried in their order.
func (s *System) betting(fallbacks []Fallback, limited bool) func(learnt) []Bet {
	known := map[learnt][]Bet{}
	return func(now learnt) []Bet {
		list := known[now]
		switch {
		case list != nil:
		case !limited:
			list = make([]Bet, len(fallbacks))
		default:
			w := s.Workload()
			w.Diagonal = cmp.Or(now.diagonal, w.Diagonal)
			w.Definite, w.Indefinite = w.Definite && !now.indefinite, w.Indefinite || now.indefinite
			list = s.betsOn(fallbacks, w)
		}
		known[now] = list
		return list
	}
}
