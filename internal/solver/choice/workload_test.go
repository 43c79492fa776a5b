package choice

import (
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// onGrid returns a matrix on a grid of n x n points: value gives the entry of a point for a neighbour (di, dj) away, at most reach; 0: none.
func onGrid(t *testing.T, n, reach int, value func(i, j, di, dj int) float64) *System {
	t.Helper()
	m := &csr.Matrix{Rows: n * n, Cols: n * n, RowPtr: []int64{0}}
	for p := range n * n {
		i, j := p/n, p%n
		for di := -reach; di <= reach; di++ {
			for dj := -reach; dj <= reach; dj++ {
				if v := value(i, j, di, dj); v != 0 && i+di >= 0 && i+di < n && j+dj >= 0 && j+dj < n {
					m.Col = append(m.Col, int32((i+di)*n+j+dj))
					m.Val = append(m.Val, v)
				}
			}
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Col)))
	}
	pool := parallel.New(1)
	t.Cleanup(pool.Close)
	s := &System{Opt: rules.WithDefaults(solve.Options{}, m.Rows)}
	s.Given, s.M, s.Pool, s.Known, s.Features.Ctx = m, m, pool, new(features.KnownParts), t.Context()
	s.Facts = csr.Examine(m, pool)
	s.ChooseMethod()
	if err := s.ChooseScaling(); err != nil {
		t.Fatal(err)
	}
	return s
}

// laplace is the five-point stencil with another diagonal.
func laplace(diagonal float64) func(i, j, di, dj int) float64 {
	return func(_, _, di, dj int) float64 {
		switch di*di + dj*dj {
		case 0:
			return diagonal
		case 1:
			return -1
		}
		return 0
	}
}

// The diagonal is expected to take the iterations that a mesh of the size takes, but for what the rows show.
func TestDiagonal(t *testing.T) {
	const n = 40
	mass := func(_, _, di, dj int) float64 { return []float64{16, 4, 1}[di*di+dj*dj] }
	plate := func(_, _, di, dj int) float64 {
		return map[int]float64{0: 20, 1: -8, 2: 2, 4: 1}[di*di+dj*dj]
	}
	mixed := func(i, j, di, dj int) float64 { // dominant, though not with the signs of an M-matrix
		v := laplace(5)(i, j, di, dj)
		if di != 0 && min(i, i+di)%2 == 0 {
			return -v
		}
		return v
	}
	eddy := func(i, j, di, dj int) float64 { // upwind differences of a rotating flow
		wind := [2]float64{float64(j-n/2) * 2, float64(n/2-i) * 2}
		out := math.Abs(wind[0]) + math.Abs(wind[1])
		switch {
		case di == 0 && dj == 0:
			return 4 + out
		case dj == 0 && di*di == 1:
			return -1 - max(0, -float64(di)*wind[0])
		case di == 0 && dj*dj == 1:
			return -1 - max(0, -float64(dj)*wind[1])
		}
		return 0
	}
	mesh := float64(rules.PlanarEdge * n)
	root := math.Log(2/1e-10) / 2
	for _, c := range []struct {
		name        string
		s           *System
		least, most float64
		probeRun    bool
		doubtful    bool
	}{
		{"diffusion", onGrid(t, n, 1, laplace(4)), mesh, rules.MostLeast * mesh, true, false},
		{"diffusion with a shift", onGrid(t, n, 1, laplace(6)), 1, root * math.Sqrt(2/0.33), false, false},
		{"mass matrix", onGrid(t, n, 1, mass), rules.MassDiagonal, rules.MassDiagonal, true, false},
		{"plate", onGrid(t, n, 2, plate), rules.NotDiffusion * mesh, 1e9, false, false},
		{"dominant", onGrid(t, n, 1, mixed), 0.9 * rules.OfExcess * root * math.Sqrt(2/0.2), 1.1 * rules.OfExcess * root * math.Sqrt(2/0.2), true, false},
		{"indefinite", onGrid(t, 3*n, 1, laplace(3.8)), 3 * mesh, 3 * mesh, false, true},
		{"eddy", onGrid(t, n, 1, eddy), rules.Recirculation * mesh, 1e9, false, false},
	} {
		w := c.s.Workload()
		if w.Diagonal < c.least || w.Diagonal > c.most || w.Doubtful != c.doubtful {
			t.Errorf("%s: %g iterations, doubtful %v; want %g to %g, %v", c.name, w.Diagonal, w.Doubtful, c.least, c.most, c.doubtful)
		}
		if first := c.s.Tabulated()[0]; first.ProbeRun != c.probeRun {
			t.Errorf("%s: first %v, probe run %v", c.name, first, first.ProbeRun)
		}
	}
}

// In a sequence the set-up serves several systems, but complete factors wear out.
func TestSequenceBets(t *testing.T) {
	for kind, want := range map[precond.Kind]float64{precond.AMG: 1 / float64(rules.Systems), precond.FSAI: 1 / float64(rules.Systems), precond.Cholesky: 1} {
		w := Workload{N: 1e5, Nnz: 7e5, Diagonal: 300, Definite: true}
		r := Fallback{Method: solve.CG, Variant: Variant{Kind: kind}}
		once := w.Bet(r)
		w.Sequence = true
		if b := w.Bet(r); b.SetUp != want*once.SetUp || b.Iteration != once.Iteration || b.Iterations != once.Iterations {
			t.Errorf("%s: %+v, once %+v", kind, b, once)
		}
	}
}

// Networks that are not symmetric take the diagonal many iterations.
func TestDiagonalOfNetworks(t *testing.T) {
	s := onGrid(t, 40, 1, func(i, j, di, dj int) float64 {
		v := laplace(4)(i, j, di, dj)
		if di+dj > 0 {
			return 0.95 * v
		}
		return v
	})
	w := s.Workload()
	w.Network, w.MMatrix = true, false
	if got, want := s.diagonal(w), rules.OfNetworks*rules.PlanarEdge*math.Sqrt(w.N); got != want {
		t.Errorf("%g iterations, want %g", got, want)
	}
}

// Few rows are factored at once, whatever that is expected to take.
func TestCertain(t *testing.T) {
	s := onGrid(t, 20, 1, laplace(4))
	first := s.Tabulated()[0]
	if !first.Certain || first.Kind != precond.Cholesky || s.Weighed.Known {
		t.Errorf("first %v, certain %v; weighed %v", first, first.Certain, s.Weighed.Known)
	}
	state := BeginState(1)
	if got := state.SetupBudget(first, 0, nil, 10); got != rules.FrontSpeed*rules.MostWork*10 {
		t.Errorf("a budget of %g", got)
	}
}

// Complete factors come first for a small saddle point that is no grid, within a budget; not for a large one.
func TestSmallSaddlePoint(t *testing.T) {
	at := func(n int) *System {
		return onGrid(t, n, 1, func(i, j, di, dj int) float64 {
			pressure := func(i, j int) bool { return i%2 == 0 && j%2 == 0 }
			switch {
			case pressure(i, j) && di == 0 && dj == 0:
				return 0
			case pressure(i, j) || pressure(i+di, j+dj):
				return 1
			}
			return laplace(4)(i, j, di, dj)
		})
	}
	small, large := at(40), at(100)
	if first := small.Tabulated()[0]; first.Kind != precond.LU || first.Certain || small.Weighed.Known {
		t.Errorf("first %v, certain %v, weighed %v", first, first.Certain, small.Weighed.Known)
	}
	if large.Tabulated(); !large.Weighed.Known {
		t.Error("a large saddle point is not weighed")
	}
	if onGrid(t, 40, 1, laplace(4)).smallSaddlePoint() {
		t.Error("a definite matrix is a saddle point")
	}
}

// The bending of a plate, differences of fourth order, is told from diffusion, also with couplings of both signs.
func TestBends(t *testing.T) {
	fourth := map[[2]int]float64{{0, 0}: 20, {0, 1}: -8, {1, 1}: 2, {0, 2}: 1}
	plate := onGrid(t, 40, 2, func(_, _, di, dj int) float64 {
		di, dj = max(di, -di), max(dj, -dj)
		return fourth[[2]int{min(di, dj), max(di, dj)}]
	})
	if !plate.Bends() {
		t.Error("a plate does not bend")
	}
	squares := onGrid(t, 40, 1, func(_, _, di, dj int) float64 { // bilinear elements, flat ones
		switch {
		case di == 0 && dj == 0:
			return 10
		case di == 0:
			return -4.5
		case dj == 0:
			return 2
		}
		return -1.25
	})
	if squares.Bends() || onGrid(t, 40, 1, laplace(4)).Bends() {
		t.Error("diffusion bends")
	}
}
