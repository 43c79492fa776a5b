package choice

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Workloads of classes of systems.
var (
	triangles   = Workload{N: 45e3, Nnz: 313e3, Shape: features.Planar, Nodes: 1, Irregular: true, MMatrix: true, Definite: true, Diagonal: 1500}
	box         = Workload{N: 132e3, Nnz: 916e3, Shape: features.Spatial, Nodes: 1, MMatrix: true, Definite: true, Diagonal: 400}
	solid       = Workload{N: 25e3, Nnz: 1.2e6, Shape: features.Spatial, Nodes: 3, Irregular: true, Definite: true, Diagonal: 300}
	scaleFree   = Workload{N: 39e3, Nnz: 193e3, Shape: features.Expander, Nodes: 1, Irregular: true, MMatrix: true, Definite: true, Diagonal: 70}
	circuit     = Workload{N: 18e3, Nnz: 89e3, Shape: features.Expander, Nodes: 1, Irregular: true, MMatrix: true, Network: true, Diagonal: 2500}
	saddlePoint = Workload{N: 30e3, Nnz: 177e3, Shape: features.Planar, Nodes: 1, Irregular: true, Indefinite: true, Diagonal: 2600}
)

func by(m solve.Method, k precond.Kind) Fallback {
	return Fallback{Method: m, Variant: Variant{Kind: k}}
}

// The best of the fallbacks on a class of systems is the one that measurements show (make choice).
func TestBestBets(t *testing.T) {
	definite := []Fallback{by(solve.CG, precond.Jacobi), by(solve.CG, precond.AMG), by(solve.CG, precond.Cholesky), by(solve.CG, precond.FSAI), by(solve.CG, precond.ICT)}
	other := []Fallback{by(solve.BiCGStab, precond.Jacobi), by(solve.GMRES, precond.LU), by(solve.BiCGStab, precond.AMG), by(solve.BiCGStab, precond.ILU0), by(solve.GMRES, precond.ILUT)}
	for _, c := range []struct {
		name  string
		w     Workload
		of    []Fallback
		order []precond.Kind // the best ones
	}{
		{"triangles", triangles, definite, []precond.Kind{precond.Cholesky, precond.AMG}},
		{"box", box, definite, []precond.Kind{precond.AMG, precond.Jacobi}},
		{"solid", solid, definite, []precond.Kind{precond.Jacobi}},
		{"scale-free", scaleFree, definite, []precond.Kind{precond.Jacobi, precond.FSAI}},
		{"circuit", circuit, other, []precond.Kind{precond.LU}},
		{"saddle point", saddlePoint, other, []precond.Kind{precond.LU}},
	} {
		list := slices.Clone(c.of)
		slices.SortStableFunc(list, func(a, b Fallback) int { return cmp.Compare(c.w.Bet(a).Work(), c.w.Bet(b).Work()) })
		for k, kind := range c.order {
			if list[k].Kind != kind {
				t.Errorf("%s: bets in the order %v, want %v first", c.name, list, c.order)
				break
			}
		}
	}
}

// What bets depend on.
func TestBets(t *testing.T) {
	lu, chol := by(solve.GMRES, precond.LU), by(solve.CG, precond.Cholesky)
	factors := func(w Workload, r Fallback) float64 { return w.Bet(r).SetUp - w.orderWork() }
	general := box
	general.Definite = false
	if got := factors(general, lu) / factors(general, chol); math.Abs(got-2) > 1e-9 {
		t.Errorf("LU takes %g times what Cholesky takes", got)
	}
	if got := general.Bet(lu).SetUp; box.Bet(lu).SetUp != rules.NotDefinite*got {
		t.Errorf("LU of a definite matrix takes %g, of others %g", box.Bet(lu).SetUp, got)
	}
	doubtful, jacobi := box, by(solve.CG, precond.Jacobi)
	doubtful.Doubtful = true
	if got := factors(doubtful, chol); math.Abs(got-2*factors(box, chol)-doubtful.orderWork()) > 1e-9*got {
		t.Errorf("Cholesky of a matrix that is hardly definite takes %g, of one that is %g", got, factors(box, chol))
	}
	if got := factors(doubtful, lu); math.Abs(got-factors(box, chol)) > 1e-9*got {
		t.Errorf("L D L^T of a matrix that is hardly definite takes %g, Cholesky of one that is %g", got, factors(box, chol))
	}
	if got := doubtful.Bet(jacobi).Iterations; got != rules.Indefinite*box.Bet(jacobi).Iterations {
		t.Errorf("%g iterations for a matrix that is hardly definite", got)
	}
	thin := box
	if thin.Width = 100; factors(thin, chol) >= factors(box, chol)/10 {
		t.Errorf("factors of a long mesh take %g, of a cube %g", factors(thin, chol), factors(box, chol))
	}
	domain := lu
	if domain.ByDomain = true; general.Bet(domain).Iterations <= general.Bet(lu).Iterations || domain.Complete() {
		t.Errorf("by domain %+v, of the whole matrix %+v", general.Bet(domain), general.Bet(lu))
	}
	large := triangles
	if large.N, large.Nnz = 16*large.N, 16*large.Nnz; large.irregular(0.25) < 1.9*triangles.irregular(0.25) || box.irregular(0.25) != rules.RegularSetUp {
		t.Errorf("a set-up takes %g times as long, of a larger matrix %g, of a regular one %g", triangles.irregular(0.25), large.irregular(0.25), box.irregular(0.25))
	}
	ilut, loose := by(solve.GMRES, precond.ILUT), by(solve.GMRES, precond.ILUT)
	if loose.DropTol = 1e-2; !(circuit.Bet(loose).SetUp < circuit.Bet(ilut).SetUp && circuit.Bet(loose).Iterations > circuit.Bet(ilut).Iterations) {
		t.Errorf("drop tolerance 1e-2: %+v, the default %+v", circuit.Bet(loose), circuit.Bet(ilut))
	}
	ilu0 := by(solve.BiCGStab, precond.ILU0)
	swept := general
	if swept.Sweeps = 15; swept.Bet(ilu0).Iterations != 15 || swept.Bet(ilu0).AsSlow || !general.Bet(ilu0).AsSlow {
		t.Errorf("along the flow %+v, otherwise %+v", swept.Bet(ilu0), general.Bet(ilu0))
	}
	plate := box
	amg := by(solve.CG, precond.AMG)
	plate.MMatrix, plate.Loaded = false, true
	shell := plate
	shell.Irregular, shell.Loaded = true, false
	if on, off := plate.Bet(amg).Iterations, shell.Bet(amg).Iterations; off <= 3*box.Bet(amg).Iterations || on <= 4*off {
		t.Errorf("multigrid takes %g iterations for diffusion, %g for other meshes, %g for other grids", box.Bet(amg).Iterations, off, on)
	}
	calm := plate // rotated anisotropy, cell by cell
	if calm.Loaded = false; calm.Bet(amg).Iterations >= plate.Bet(amg).Iterations/4 {
		t.Errorf("multigrid takes %g iterations where the constant is nearly a null vector, %g elsewhere", calm.Bet(amg).Iterations, plate.Bet(amg).Iterations)
	}
	implicit := Workload{N: 2e5, Nnz: 14e5, Shape: features.Planar, Nodes: 1, Irregular: true, MMatrix: true, Definite: true, Loaded: true}
	diffusion := implicit
	if diffusion.Loaded = false; implicit.Bet(amg).Iterations != rules.LoadedMeshes*diffusion.Bet(amg).Iterations {
		t.Errorf("multigrid takes %g iterations for implicit steps on a mesh, %g for diffusion", implicit.Bet(amg).Iterations, diffusion.Bet(amg).Iterations)
	}
	if implicit.Bet(chol).Work() >= implicit.Bet(amg).Work() {
		t.Errorf("implicit steps on a mesh: factors take %g, multigrid %g", implicit.Bet(chol).Work(), implicit.Bet(amg).Work())
	}
	points := box
	points.MMatrix, points.Diagonal, points.Width = false, 1000, rules.GridWidth*math.Pow(box.N, 2./3)
	edges := points
	edges.Width *= 1.4
	if at, along := factors(points, chol), factors(edges, chol); along < 1.8*at {
		t.Errorf("factors of edge elements take %g, with an unknown at each point %g", along, at)
	}
	if at, along := points.Bet(amg).Iterations, edges.Bet(amg).Iterations; at >= 100 || along != rules.OfEdges*1000 {
		t.Errorf("multigrid takes %g iterations for edge elements, %g with an unknown at each point", along, at)
	}
	bricks, tetrahedra := solid, solid
	if bricks.Irregular = false; bricks.Bet(amg).Iterations != rules.NotDiffusion*tetrahedra.Bet(amg).Iterations {
		t.Errorf("multigrid takes %g iterations for bricks, %g for tetrahedra", bricks.Bet(amg).Iterations, tetrahedra.Bet(amg).Iterations)
	}
	flow := general
	flow.Signs, flow.MMatrix = true, false
	eddies := flow
	eddies.Eddies = true
	if calm, turning := flow.Bet(amg).Iterations, eddies.Bet(amg).Iterations; calm != 2*30 || turning <= 2*calm {
		t.Errorf("multigrid takes %g iterations for a flow, %g for eddies", calm, turning)
	}
	wider := thin
	if wider.Width = 1000; factors(thin, chol) >= factors(wider, chol) {
		t.Errorf("factors of a long mesh take %g, of a wider one %g", factors(thin, chol), factors(wider, chol))
	}
	nearest := Workload{N: 2596, Nnz: 24342, Shape: features.Expander, Nodes: 1, Irregular: true, MMatrix: true, Definite: true, Diagonal: 100}
	if work := nearest.Bet(chol).Work(); work < 2e7 || work > 9e7 { // 22 ms were measured
		t.Errorf("factors of a graph of nearest neighbours take %g", work)
	}
}

// Where nothing is better, what is as slow as the diagonal comes after it; the last resorts come last.
func TestBetsOn(t *testing.T) {
	list := []Fallback{probe, cgFSAI, cgAMG, cgChol, cgAlone, gmresLU, {Method: solve.GMRES, Variant: Variant{Kind: precond.LU}, Wide: true}}
	s := &System{}
	bets := s.betsOn(list, scaleFree)
	if best := min(bets[2].Work(), bets[3].Work()); bets[1].Work() != scaleFree.Bet(cgFSAI).Work()+best {
		t.Errorf("FSAI takes %g, alone %g, the best of the others %g", bets[1].Work(), scaleFree.Bet(cgFSAI).Work(), best)
	}
	if !math.IsInf(bets[4].Work(), 1) || !math.IsInf(bets[6].Work(), 1) || math.IsInf(bets[5].Work(), 1) {
		t.Errorf("last resorts %+v", bets)
	}
	w := scaleFree
	w.Definite, w.Indefinite = false, true
	if then := s.betsOn(list, w); then[1].Work()-w.Bet(cgFSAI).Work() != then[5].Work() {
		t.Errorf("where the matrix is indefinite, %+v", then)
	}
	s.Opt.Precond.DropTol = 1e-3
	if !math.IsInf(s.betsOn(list, scaleFree)[3].Work(), 1) {
		t.Error("complete factors, where the options ask for others")
	}
	if Favourite(list) != cgFSAI || Favourite(list[:1]) != probe {
		t.Errorf("favourites %v and %v", Favourite(list), Favourite(list[:1]))
	}
}

// A multiplication takes longer in triangular solves, and less time with a matrix whose neighbours are near.
func TestSlower(t *testing.T) {
	ic0, jacobi := by(solve.CG, precond.IC0), by(solve.CG, precond.Jacobi)
	nnz, n := triangles.Nnz, triangles.N
	vectors := rules.VectorWork * n
	if got, want := triangles.slower(jacobi, n), 1+rules.PassWork/(nnz+n+vectors); math.Abs(got-want) > 1e-12 {
		t.Errorf("the diagonal %g, want %g", got, want)
	}
	if got, want := triangles.slower(ic0, nnz), (5*nnz+vectors+rules.PassWork)/(2*nnz+vectors); math.Abs(got-want) > 1e-12 {
		t.Errorf("IC(0) %g, want %g", got, want)
	}
	fill, rest := 10*box.Nnz, box.Nnz+rules.VectorWork*box.N
	filled := box.slower(by(solve.CG, precond.ICT), fill) * (fill + rest)
	if want := 2*fill + rules.RegularShare*rest + rules.PassWork; math.Abs(filled-want) > 1e-9*want {
		t.Errorf("ICT on a grid %g, want %g", filled, want)
	}
	small := box
	small.N, small.Nnz = box.N/10, box.Nnz/10
	body := box
	body.Nodes = 3
	if got := body.slower(jacobi, box.N); got > 1.05*rules.NodesShare || got >= 0.8*box.slower(jacobi, box.N) {
		t.Errorf("a grid of nodes %g", got)
	}
	for _, w := range []Workload{box, small} {
		if got, want := w.slower(jacobi, w.N), rules.RegularShare+rules.PassWork/(w.Nnz+w.N+rules.VectorWork*w.N); math.Abs(got-want) > 1e-12 {
			t.Errorf("a grid of %g rows %g, want %g", w.N, got, want)
		}
	}
}

// A method whose set-up is paid is not left before it has had the iterations that its bet says, nor before its measure has become smaller, unless that takes as
// much as the alternative.
func TestGranted(t *testing.T) {
	p := NewProbe(1, 1e-10, 1, 0, against(1, 64))
	p.weighed()
	p.granted, p.alternative = 30, 64
	for k := 1; k < 30; k++ {
		if p.Watch(krylov.Progress{Iterations: k, Least: 1}) != krylov.Running {
			t.Fatalf("left after %d iterations, 30 were granted", k)
		}
	}
	for k := 30; k < 100; k++ {
		if p.Watch(krylov.Progress{Iterations: k, Least: 1}); p.Gone && k < 60 {
			t.Fatalf("left after %d iterations, though nothing has been shown", k)
		}
	}
	if !p.Gone {
		t.Error("not left after more work than that of the alternative")
	}
	shown := NewProbe(1, 1e-10, 1, 0, against(1, 64))
	shown.weighed()
	shown.granted = 30
	for k := 1; k < 60; k++ {
		if shown.Watch(krylov.Progress{Iterations: k, Least: 1 / float64(k)}); shown.Gone && k < 30 {
			t.Fatalf("left after %d iterations, 30 were granted", k)
		}
	}
	if !shown.Gone {
		t.Error("not left after twice the iterations that were granted")
	}
}

// On regular grids the probe run is in FP32: what it takes shows the iterations with the diagonal, all of which begin again and again.
func TestSingleProbe(t *testing.T) {
	small, large := onGrid(t, 200, 1, laplace(4.001)), onGrid(t, 300, 1, laplace(4.001))
	if first := small.Tabulated()[0]; first.Kind == precond.CG32 {
		t.Errorf("%d nonzeros: first %v", small.Nonzeros(), first)
	}
	list := large.Tabulated()
	if first := list[0]; first.Kind != precond.CG32 || !first.ProbeRun || list[1].ProbeRun {
		t.Errorf("%d nonzeros: first %v, a probe run: %v, the next as well: %v", large.Nonzeros(), first, first.ProbeRun, list[1].ProbeRun)
	}
	// A small graph whose rows differ takes longer to pack than to solve with.
	rows := func(i, j, di, dj int) float64 {
		switch {
		case di == 0 && dj == 0:
			return 9
		case di*dj == 0 || i >= 30 && i+di >= 30:
			return -1
		}
		return 0
	}
	if s := onGrid(t, 60, 1, rows); !s.wellConditioned() || !s.Irregular() || s.inSingle() {
		t.Errorf("few iterations: %v, irregular: %v, in FP32: %v", s.wellConditioned(), s.Irregular(), s.inSingle())
	}
	p := NewProbe(1, 1e-10, 100, 0, against(1, 1000))
	p.weighed()
	expects := func(kind precond.Kind) float64 {
		p.fallback = Fallback{Method: solve.CG, Variant: Variant{Kind: kind}}
		return p.diagonal(2, 800)
	}
	single, double := expects(precond.CG32), expects(precond.Jacobi)
	if want := rules.InnerIterations / rules.Restarted * double; double != 10 || single != want {
		t.Errorf("%g iterations of which each is up to %d: %g, want %g", double, int(rules.InnerIterations), single, want)
	}
}

// A probe run may take more than the best of the others, unless the matrix is not definite.
func TestProbeOdds(t *testing.T) {
	for _, c := range []struct {
		indefinite bool
		share      float64 // of what the best of the others takes
		want       bool
	}{{false, 0.9, true}, {false, 1.5, true}, {false, 2, false}, {true, 0.9, true}, {true, 1.5, false}} {
		s := onGrid(t, 40, 1, laplace(4.001))
		w := Workload{N: 30e3, Nnz: 177e3, Shape: features.Planar, Nodes: 1, Irregular: true, Indefinite: c.indefinite}
		jacobi, lu := by(solve.BiCGStab, precond.Jacobi), by(solve.GMRES, precond.LU)
		w.Diagonal = 1000
		w.Diagonal *= c.share * w.Bet(lu).Work() / w.Bet(jacobi).Work()
		s.Weighed = features.Once[Workload]{Known: true, Value: w}
		jacobi.ProbeRun = true
		list := s.byCost([]Fallback{jacobi, lu})
		if got := list[0].ProbeRun; got != c.want {
			t.Errorf("not definite: %v, %g of the best of the others: a probe run: %v", c.indefinite, c.share, got)
		}
	}
}

// Once the diagonal has turned out to take long, the search for a separator is worth its work.
func TestWidthOnceLearnt(t *testing.T) {
	s := onGrid(t, 20, 1, func(i, j, di, dj int) float64 { // rows of a line each
		if dj == 0 {
			return laplace(2.1)(i, j, di, dj)
		}
		return 0
	})
	s.Weighed = features.Once[Workload]{Known: true, Value: Workload{N: 1e5, Nnz: 6e5, Shape: features.Expander, Diagonal: 100, Definite: true, Irregular: true}}
	bets := s.betting([]Fallback{{Method: solve.CG, Variant: Variant{Kind: precond.Cholesky}}}, true)
	before, after := bets(learnt{})[0].Work(), bets(learnt{diagonal: 1e5})[0].Work()
	if after > before/10 {
		t.Errorf("complete factors of a graph of width %d are expected to take %.2g, %.2g before", s.Width(), after, before)
	}
}
