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
		b.SetUp = w.orderWork() + w.completeWork(r.Kind)
	} else if r.Kind == precond.CG32 {
		b.Iteration = w.nestedWork(r.Method)
	} else if r.Kind == precond.AMG {
		b.SetUp = w.irregular(0.25)*(rules.LevelsRow*w.N+e.SetUp*w.Nnz) + rules.CoarsestWork
	}
	if w.Sequence && !r.Complete() { // complete factors wear out at once
		b.SetUp /= rules.Systems
	}
	if d, known := rules.Drops[r.DropTol]; known {
		b.SetUp *= d.SetUp
		b.Iterations *= d.Iterations
	}
	if r.Method == solve.GMRES { // on average half of a cycle
		b.Iteration += rules.ProjectionWork * w.N * min(b.Iterations, krylov.DefaultRestart)
	}
	switch {
	case w.Doubtful && r.Kind == precond.Cholesky: // and then L D L^T
		b.SetUp *= 2
	case w.Definite && !w.Doubtful && r.Method != solve.CG: // for a matrix that turns out not to be definite
		b.SetUp *= rules.NotDefinite
		b.Iterations *= rules.NotDefinite
	case (w.Indefinite || w.Doubtful) && !r.Complete() && r.Kind != precond.Schur:
		b.Iterations *= rules.Indefinite
	}
	return b
}

// nestedWork returns the work of an iteration of a method with an application of conjugate gradients in FP32.
func (w Workload) nestedWork(method solve.Method) float64 {
	r := Fallback{Method: method, Variant: Variant{Kind: precond.CG32}}
	inner := rules.Restarted * w.Iterations(solve.CG, precond.Jacobi) / w.Iterations(method, precond.CG32)
	return (IterationWork(method, precond.None, w.N, w.Nnz, 0)+inner*singleWork(w.N, w.Nnz))*w.slower(r, 0) + inner*rules.PassWork
}

// slower returns how many times as long a multiplication of an iteration takes as one of a product with an irregular matrix, with a preconditioner of so
// many values. In small systems it is the threads that wait for each other.
func (w Workload) slower(r Fallback, values float64) float64 {
	m, _ := krylov.KindOf(string(r.Method))
	all, slower, applied := IterationWork(r.Method, r.Kind, w.N, w.Nnz, values), max(1, rules.Expectations[r.Kind].Slower), values*float64(m.Products)
	work := w.share(r.Kind) * (all + (slower-1)*applied)
	switch r.Kind {
	case precond.ICT, precond.ILUT: // whose fill is irregular on a grid, too
		work = w.share(r.Kind)*(all-applied) + slower*applied
	}
	return (work + rules.PassWork) / all
}

// share returns what a multiplication of a product takes, relative to one with an irregular matrix.
func (w Workload) share(kind precond.Kind) float64 {
	switch {
	case w.Irregular:
		return 1
	case w.Nodes > 1 && kind != precond.AMG:
		return rules.NodesShare
	}
	return rules.RegularShare
}

// irregular returns by how much a set-up that follows the graph takes longer: it goes from row to row, which grows like a power of the size of the matrix,
// unless neighbours have neighbouring numbers.
func (w Workload) irregular(power float64) float64 {
	if !w.Irregular {
		return rules.RegularSetUp
	}
	return max(1, math.Pow(w.Nnz/rules.CachedNonzeros, power))
}

// orderWork returns the work of ordering complete factors, of planning and of assembling them.
func (w Workload) orderWork() float64 {
	return (rules.OrderRow*w.N + rules.OrderWork*w.Nnz) * w.irregular(0.5)
}

// CompleteWork returns the work that complete factors of any matrix are expected to take, with their order.
func (w Workload) CompleteWork() float64 { return w.completeWork(precond.LU) + w.orderWork() }

// completeWork returns the work that complete factors are expected to take, their order apart.
func (w Workload) completeWork(kind precond.Kind) float64 {
	count, entries, assembly := 0., 0., 0.
	switch {
	case w.Network:
		count, entries = rules.NetworkFactors*w.Nnz, rules.NetworkFill*w.Nnz
	case w.Shape == features.Planar || w.Width > 0 && w.Width <= rules.ThinWidth*math.Pow(w.N, 2./3):
		count = rules.PlanarFactors * math.Pow(w.N, 1.5) * math.Pow(max(1, w.denser()), 2.5)
		entries = rules.PlanarFill * w.N * math.Log2(max(w.N, 1)) * math.Pow(w.denser(), 1.5)
	case w.Shape == features.Spatial:
		denser, wider := w.Nnz/w.N/rules.SpatialRow, w.wider()
		count = rules.SpatialFactors * w.N * w.N * math.Pow(denser, 0.75) * math.Pow(wider, 3)
		entries = rules.SpatialFill * math.Pow(w.N, 4./3) * math.Pow(denser, 0.25) * wider * wider
		assembly = rules.SpatialAssembly * w.N
	default:
		count, entries = rules.ExpanderFactors*w.N*w.N*w.N, rules.ExpanderFill*w.N*w.N
	}
	if w.Width > 0 {
		count = min(count, rules.WidthFactors*math.Pow(w.Width, 3))
	}
	work := count/rules.FrontSpeed + rules.EntryWork*entries + assembly
	if kind == precond.LU && !w.Indefinite && !w.Doubtful { // of which L D L^T is made
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
	if kind == precond.ILUT {
		e.SetUp *= w.fill()
	}
	if kind == precond.AMG {
		if w.Shape == features.Expander {
			e.SetUp *= rules.ExpanderLevels
		} else {
			e.Count *= w.cycles()
			e.CountNodes *= w.cycles()
		}
		switch {
		case w.Network && !w.Definite:
			e.Count *= rules.OfNetworks
		case w.Eddies:
			e.Count *= rules.OfEddies
		}
	}
	return e
}

// fill returns how much longer incomplete factors with fill take than those of a mesh in the plane or of a network.
func (w Workload) fill() float64 {
	switch {
	case w.Network:
		return 1
	case w.Shape == features.Planar:
		return max(1, w.denser())
	case w.Shape == features.Spatial:
		return rules.SpatialILUT
	}
	return rules.ExpanderILUT
}

// cycles returns how many cycles multigrid takes on a mesh, relative to diffusion on an irregular one.
func (w Workload) cycles() float64 {
	switch {
	case w.Nodes > 1 && w.Irregular:
		return 1
	case w.Nodes > 1:
		return rules.NotDiffusion
	case w.Loaded && w.Irregular && w.Shape == features.Planar && !w.Network:
		return max(rules.LoadedMeshes, rules.NotDiffusion*w.denser())
	case w.MMatrix && w.Irregular:
		return 1
	case w.MMatrix:
		return rules.GridShare
	case w.Loaded && !w.Signs && !w.Irregular:
		return rules.OtherGrids
	case w.Shape == features.Planar:
		return rules.NotDiffusion * max(1, w.denser())
	}
	return rules.NotDiffusion
}

// wider returns the size of a separator of a grid in space relative to one with an unknown at each point: edges and staggered unknowns have more. On irregular
// meshes a breadth-first search finds no narrow ones, and shows nothing.
func (w Workload) wider() float64 {
	if w.Irregular || w.Width == 0 {
		return 1
	}
	return w.Width / (rules.GridWidth * math.Pow(w.N, 2./3))
}

// edges reports whether the unknowns seem to belong to the edges of a grid: levels of points represent no field without curl, so that multigrid takes hardly fewer
// iterations than the diagonal.
func (w Workload) edges() bool {
	return w.Definite && w.Shape == features.Spatial && !w.MMatrix && w.Nodes <= 1 && w.wider() >= rules.EdgeWidth
}

// denser returns the number of nonzeros of a row, relative to a mesh of triangles.
func (w Workload) denser() float64 { return w.Nnz / w.N / rules.PlanarRow }

// byCost sorts fallbacks by their bets, probe runs first, unless these are expected to take far more than the best of the others, or sums of rows show what they take. Where there are few rows, complete factors of the first method come first, and the others are not weighed
// before they are needed.
func (s *System) byCost(list []Fallback) []Fallback {
	if len(list) < 2 {
		return list
	}
	if k := s.direct(list); k >= 0 {
		first := list[k]
		first.Certain = s.Rows() <= rules.DirectRows
		return slices.Insert(slices.Delete(list, k, k+1), 0, first)
	}
	w := s.Workload()
	bets := s.betsOn(list, w)
	least := slices.MinFunc(bets, func(a, b Bet) int { return cmp.Compare(a.Work(), b.Work()) })
	first := &list[0]
	first.ProbeRun = first.ProbeRun && !s.wellConditioned() && bets[0].Work() <= w.probeOdds()*least.Work()
	if first.ProbeRun {
		bets[0] = Bet{}
	}
	for k := range list[1:] { // only the first may be a probe run
		list[1+k].ProbeRun = false
	}
	costs := map[Fallback]float64{}
	for k, r := range list {
		costs[r] = bets[k].Work()
	}
	slices.SortStableFunc(list, func(a, b Fallback) int { return cmp.Compare(costs[a], costs[b]) })
	return list
}

// probeOdds is how many times the work of the best alternative the diagonal may be expected to take for a probe run: no more than that where a matrix is not definite,
// since minimal residuals hardly ever take much less than their bet.
func (w Workload) probeOdds() float64 {
	if w.Indefinite {
		return 1
	}
	return rules.ProbeOdds
}

// direct returns the index of the complete factors that come first where there are few rows, or few of a saddle point; -1: there are none.
func (s *System) direct(list []Fallback) int {
	switch {
	case s.asksOthers(), s.Rows() > rules.DirectRows && !s.smallSaddlePoint():
		return -1
	case list[0].Method == solve.CG && s.Shape() == features.Expander: // factors fill, and the diagonal takes few iterations
		return -1
	}
	return slices.IndexFunc(list, func(r Fallback) bool { return r.Complete() && (r.Method == solve.CG) == (list[0].Method == solve.CG) })
}

// smallSaddlePoint reports whether the matrix is that of a small saddle point, and no grid, where the diagonal mostly fails.
func (s *System) smallSaddlePoint() bool {
	return s.Rows() <= rules.DirectSaddlePoint && s.indefinite() && s.Irregular()
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
			if w.Width == 0 { // the diagonal may have turned out to take long
				w.Width = s.worthWidth(w)
			}
			list = s.betsOn(fallbacks, w)
		}
		known[now] = list
		return list
	}
}
