package solver

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// leastOnRanks is solveFrom with the same options for all ranks.
func leastOnRanks(t *testing.T, ranks, domains int, m *csr.Matrix, b, guess []float64, opt solve.Options) (x []float64, all []ranked) {
	t.Helper()
	return solveFrom(t, ranks, domains, m, b, guess, func(*dist.Matrix) solve.Options { return opt })
}

// summaryOf is ranked.summary of a rectangle, whose numbers are behind a pointer.
func summaryOf(r ranked) string {
	var least verify.LeastSquares
	if r.Fault == nil {
		least, r.result.LeastSquares = *r.result.LeastSquares, nil
	}
	return fmt.Sprintf("%s %+v", r.summary(), least)
}

// Least squares over domains have the x of one domain but for roundings, and its verdict, facts and reasons, with the same bits for any number of ranks and threads.
func TestLeastSquaresOnRanksConcurrent(t *testing.T) {
	tall, wide := randomRectangle(t, 120, 40, 3), randomRectangle(t, 40, 130, 0)
	empty := randomRectangle(t, 90, 20, 1)
	empty.Cols = 60 // columns without nonzeros, all those of the last domains
	for _, c := range []struct {
		what string
		m    *csr.Matrix
		opt  solve.Options
		want krylov.Reason
	}{
		{"more equations", tall, solve.Options{}, krylov.LeastSquares},
		{"normwise", tall, solve.Options{Accuracy: solve.Accuracy{Stop: solve.StopNW}}, krylov.LeastSquares},
		{"more unknowns", wide, solve.Options{Scale: solve.ScaleNone}, krylov.Converged},
		{"fewer columns than domains", randomRectangle(t, 60, 2, 0), solve.Options{}, krylov.LeastSquares},
		{"empty columns", empty, solve.Options{Method: solve.LSQR}, krylov.LeastSquares},
		{"few iterations", tall, solve.Options{Limits: solve.Limits{MaxIter: 3}}, krylov.IterationLimit},
	} {
		b := testsupport.Random(7, c.m.Rows)
		if c.opt.Accuracy.Tol = 1e-12; c.opt.MaxIter == 0 {
			c.opt.MaxIter = 4000
		}
		one := newSolver(t, c.m, c.opt)
		whole, err := one.Solve(t.Context(), b, nil)
		if err != nil || whole.Reason != c.want {
			t.Fatalf("%s: %v, %v", c.what, err, whole.Reason)
		}
		facts := one.Facts
		facts.DiagonalPositive, facts.DiagonalNegative, facts.DiagonalZero = 0, 0, 0
		for _, domains := range []int{2, 3, 7} {
			var bits []float64
			var said string
			for ranks := 1; ranks <= 4; ranks++ {
				c.opt.Threads = ranks%3 + 1
				x, all := leastOnRanks(t, ranks, domains, c.m, b, nil, c.opt)
				if ranks == 1 {
					bits, said = x, summaryOf(all[0])
				}
				if !sameBits(x, bits) || len(x) != c.m.Cols {
					t.Errorf("%s, %d domains: %d ranks have another x", c.what, domains, ranks)
				}
				for rank, r := range all {
					if r.Fault != nil || r.result.Reason != c.want || summaryOf(r) != said {
						t.Errorf("%s, %d domains, rank %d of %d: %v\n%s\n%s", c.what, domains, rank, ranks, r.Fault, summaryOf(r), said)
					}
					if got, want := fmt.Sprintf("%+v", r.solver.Facts), fmt.Sprintf("%+v", facts); got != want {
						t.Errorf("%s: facts %s, want %s", c.what, got, want)
					}
				}
			}
			worst := 0.0
			for j, v := range whole.X {
				worst = max(worst, math.Abs(bits[j]-v)/(math.Abs(v)+1e-9))
			}
			if !(worst < 1e-6) {
				t.Errorf("%s, %d domains: x differs by %.1e", c.what, domains, worst)
			}
			if c.want != krylov.LeastSquares {
				continue
			}
			if x, all := leastOnRanks(t, 3, domains, c.m, b, bits, c.opt); all[0].result.Iterations > 0 || !sameBits(x, bits) {
				t.Errorf("%s, %d domains: %d iterations from x", c.what, domains, all[0].result.Iterations)
			}
		}
	}
}

// What least squares do without is refused over domains with the words of one domain, bad elements have the numbers of the file.
func TestLeastSquaresOnRanksRefuseConcurrent(t *testing.T) {
	tall, wide := randomRectangle(t, 90, 30, 1), randomRectangle(t, 30, 90, 1)
	b := testsupport.Random(7, 90)
	for _, opt := range []solve.Options{
		{Method: solve.GMRES},
		{Precond: solve.Precond{Kind: precond.ILU0}},
		{Accuracy: solve.Accuracy{Stop: solve.StopCW}},
		{Accuracy: solve.Accuracy{Digits: 3}},
		{Vectors: solve.Vectors{Kind: solve.VectorsDD}},
		{Limits: solve.Limits{MaxMemory: 1000}},
	} {
		_, want := New(t.Context(), tall, opt)
		_, all := leastOnRanks(t, 2, 3, tall, b, nil, opt)
		for _, r := range all {
			if want == nil || r.Fault == nil || r.Fault.Error() != want.Error() {
				t.Errorf("%+v: %v, want %v", opt, r.Fault, want)
			}
		}
	}
	for _, m := range []*csr.Matrix{tall, wide} {
		bad := csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: m.RowPtr, Col: m.Col, Val: slices.Clone(m.Val)}
		bad.Val[len(bad.Val)-2] = math.NaN()
		_, want := New(t.Context(), &bad, solve.Options{})
		if _, all := leastOnRanks(t, 3, 4, &bad, b[:m.Rows], nil, solve.Options{}); fmt.Sprint(all[2].Fault) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", all[2].Fault, want)
		}
		rhs := slices.Clone(b[:m.Rows])
		rhs[m.Rows-2] = math.Inf(1)
		name := fmt.Sprintf("element %d of the right-hand side", m.Rows-1)
		if _, all := leastOnRanks(t, 3, 4, m, rhs, nil, solve.Options{}); !strings.Contains(fmt.Sprint(all[0].Fault), name) {
			t.Errorf("%v", all[0].Fault)
		}
	}
}
