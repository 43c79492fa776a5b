package solver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// numbered returns a matrix with random numbers of its rows, and the old numbers of the rows.
func numbered(m *csr.Matrix) (*csr.Matrix, csr.Permutation) {
	p := make(csr.Permutation, m.Rows)
	for k, v := range rand.New(rand.NewPCG(1, 2)).Perm(m.Rows) {
		p[k] = int32(v)
	}
	return m.Permuted(p, p.Inverse(), nil), p
}

// cutOf returns what a solve says about its domains.
func cutOf(lines []string) string {
	for _, line := range lines {
		if strings.HasPrefix(line, "domains ") {
			return line
		}
	}
	return ""
}

// Solves of a mesh with random numbers of its points are cut by the graph, with the same bits of x, which has the order of b, for any number of ranks
// and threads; with the order that is given they are cut by rows, and need more iterations (Concurrent).
func TestConcurrentSolvesCutByGraph(t *testing.T) {
	symmetric, _ := numbered(grid(40, 0, 0))
	flow, _ := numbered(grid(40, 0.3, 0.1))
	for _, c := range []struct {
		m       *csr.Matrix
		method  solve.Method
		kind    precond.Kind
		domains int
	}{
		{symmetric, solve.CG, precond.IC0, 8},
		{symmetric, solve.Auto, solve.PrecondAuto, 2},
		{symmetric, solve.CG, precond.AMG, 5},
		{flow, solve.GMRES, precond.ILU0, 5},
		{flow, solve.BiCGStab, precond.BlockJacobi, 3},
	} {
		what := fmt.Sprintf("%s with %s in %d domains", c.method, c.kind, c.domains)
		b, iterations := random(3, c.m.Rows), map[solve.Reorder]int{}
		for _, reorder := range testsupport.Few("", solve.ReorderNone) {
			opt := solve.Options{Method: c.method, Reorder: reorder, Precond: solve.Precond{Kind: c.kind}}
			sameOnRanks(t, what, append([]int{1}, testsupport.Few(3, 2, 4)...), c.domains, c.m, b, opt)
			var log logged
			x, all := solveOnRanks(t, 1, c.domains, c.m, b, log.options(opt))
			if by := map[solve.Reorder]string{"": ": by the graph, ghosts 0.", solve.ReorderNone: ": by rows;"}[reorder]; !strings.Contains(cutOf(log.lines), by) {
				t.Errorf("%s: %q", what, log.lines)
			}
			if all[0].Fault != nil || !all[0].result.Reason.Converged() {
				t.Fatalf("%s: %v, %v", what, all[0].Fault, all[0].result.Reason)
			}
			iterations[reorder] = all[0].result.Iterations
			again := guessed(t, 3, c.domains, c.m, b, x, opt)
			if again.Iterations != 0 {
				t.Errorf("%s: %d iterations from x", what, again.Iterations)
			}
		}
		if c.kind == precond.IC0 && !host.RaceDetector && 5*iterations[""] > 4*iterations[solve.ReorderNone] {
			t.Errorf("%s: %d iterations by the graph, %d by rows", what, iterations[""], iterations[solve.ReorderNone])
		}
	}
}

// guessed solves on ranks from a guess.
func guessed(t *testing.T, ranks, domains int, m *csr.Matrix, b, guess []float64, opt solve.Options) (r solve.Result) {
	t.Helper()
	dist.Run(ranks, func(c dist.Comm) {
		a, err := dist.Spread(c, m, domains)
		if err != nil {
			t.Error(err)
			return
		}
		s, err := NewDistributed(context.Background(), a, opt)
		if err != nil {
			t.Error(err)
			return
		}
		defer s.Close()
		mine, err := s.Solve(context.Background(), ownElements(a, b), ownElements(a, guess))
		if err != nil {
			t.Error(err)
		}
		if c.Rank() == 0 {
			r = mine
		}
	})
	return r
}

// A good order stays, with the bits that it has without looking for another.
func TestGoodOrderStays(t *testing.T) {
	m := grid(40, 0.2, 0.1)
	b := random(3, m.Rows)
	var log logged
	x, _ := solveOnRanks(t, 2, 3, m, b, solve.Options{})
	same, _ := solveOnRanks(t, 1, 3, m, b, log.options(solve.Options{Reorder: solve.ReorderNone}))
	if !sameBits(x, same) {
		t.Error("x has other bits with Options.Reorder none")
	}
	solveOnRanks(t, 1, 3, m, b, log.options(solve.Options{}))
	if got := cutOf(log.lines[len(log.lines)/2:]); !strings.HasPrefix(got, "domains 3: by rows, ghosts 0.1 n; sums ") {
		t.Errorf("%q", got)
	}
}

// Near-null vectors, the evidence of no solution and errors have the order and the numbers that were given.
func TestCutByGraphKeepsGivenOrder(t *testing.T) {
	m, old := numbered(grid(40, 0, 0))

	// A near-null vector that fits saves cycles; in another order it would be noise.
	b, near := random(3, m.Rows), make([]float64, m.Rows)
	for k, i := range old {
		near[k] = 1 + float64(i%7) // of the matrix scaled by the inverse
	}
	inverse := func(i int) float64 { return 1 / near[i] }
	scaled := rescaled(m, inverse, inverse)
	iterations := func(vector []float64) int {
		_, all := solveWith(t, 2, 4, scaled, b, func(a *dist.Matrix) solve.Options {
			return solve.Options{Method: solve.CG, Scale: solve.ScaleNone, Precond: solve.Precond{Kind: precond.AMG, NearNull: [][]float64{ownElements(a, vector)}}}
		})
		if all[0].Fault != nil {
			t.Fatal(all[0].Fault)
		}
		return all[0].result.Iterations
	}
	noise := slices.Clone(near)
	slices.Reverse(noise)
	if fits, other := iterations(near), iterations(noise); 2*fits > other {
		t.Errorf("%d iterations with the near-null vector, %d with another", fits, other)
	}

	// The evidence of a scaled grid of Neumann conditions is not constant.
	uneven := func(i int) float64 { return 1 + float64(i%3) }
	singular, _ := numbered(rescaled(freeGrid(34), uneven, uneven))
	b = random(4, singular.Rows)
	var mu sync.Mutex
	y := make([][]float64, 3)
	dist.Run(3, func(c dist.Comm) {
		a, _ := dist.Spread(c, singular, 4)
		s, err := NewDistributed(context.Background(), a, solve.Options{})
		if err != nil {
			t.Error(err)
			return
		}
		defer s.Close()
		r, err := s.Solve(context.Background(), ownElements(a, b), nil)
		if err != nil || r.Evidence == nil || s.Job.Order == nil {
			t.Errorf("%v, %v, %+v", err, r.Reason, r.Evidence)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		y[c.Rank()] = r.Evidence.Y
	})
	if whole := slices.Concat(y...); len(whole) == singular.Rows {
		product := make([]float64, len(whole))
		singular.MulVec(product, whole)
		if slices.Max(whole) < slices.Min(whole)+0.1 || slices.Max(product) > 1e-5 {
			t.Errorf("the evidence is %g to %g, A times it has %g", slices.Min(whole), slices.Max(whole), slices.Max(product))
		}
	}

	// Numbers of rows.
	b = random(3, m.Rows)
	for row := range 3 {
		bad := m.Clone()
		for k := bad.RowPtr[100*row+17]; k < bad.RowPtr[100*row+18]; k++ {
			if int(bad.Col[k]) == 100*row+17 {
				bad.Val[k] = -1
			}
		}
		_, all := solveOnRanks(t, 2, 4, bad, b, solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: precond.Chebyshev}})
		if want := fmt.Sprintf("diagonal entry %d is -1", 100*row+18); all[0].Fault == nil && !strings.Contains(fmt.Sprint(all[0].result), want) ||
			all[0].Fault != nil && !strings.Contains(all[0].Fault.Error(), want) {
			t.Errorf("%v, %+v, want %s", all[0].Fault, all[0].result, want)
		}
	}
	b[123] = nan()
	if _, all := solveOnRanks(t, 2, 4, m, b, solve.Options{}); all[0].Fault == nil || !strings.Contains(all[0].Fault.Error(), "element 124 of the right-hand side is NaN") {
		t.Error(all[0].Fault)
	}
}
