package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

var systems = flag.Int("systems", 300, "number of random systems of TestConcurrentRanksSolveAlike; 10000 take minutes")

// TestConcurrentRanksSolveAlike: small random systems, some without a solution, have the same verdict and the same bits of x on
// three ranks as on one, in one, two and three domains. One domain on one rank agrees with a solve without ranks.
func TestConcurrentRanksSolveAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 3))
	verdicts := map[string]int{}
	count := *systems
	if testing.Short() { // with the race detector
		count = min(count, 30)
	}
	for k := range count {
		m, b := randomSystem(t, rng)
		opt := solve.Options{Limits: solve.Limits{MaxIter: 200, Threads: 1 + k%2}}
		if k%4 == 1 {
			opt.Method = []solve.Method{solve.CG, solve.BiCGStab, solve.GMRES, solve.MINRES}[rng.IntN(4)]
		}
		if k%4 == 2 {
			opt.Precond.Kind = []precond.Kind{precond.Jacobi, precond.BlockJacobi, precond.ILU0, precond.ILUT, precond.LU, precond.AMG, precond.None}[rng.IntN(7)]
		}
		domains := min(1+k%3, m.Rows)
		one, three := onRanksOf(t, 1, m, b, domains, opt), onRanksOf(t, 3, m, b, domains, opt)
		if one.verdict != three.verdict || !slices.Equal(one.bits, three.bits) {
			t.Errorf("system %d: %d rows, %d domains, %+v: one rank %s, three %s (%d and %d elements)", k, m.Rows, domains, opt, one.verdict, three.verdict, len(one.bits), len(three.bits))
		}
		if domains == 1 {
			if today := aloneWith(m, b, opt); today.verdict != one.verdict || !slices.Equal(today.bits, one.bits) {
				t.Errorf("system %d: %d rows, one domain: %s, alone %s", k, m.Rows, one.verdict, today.verdict)
			}
		}
		verdicts[one.reason]++
	}
	t.Logf("%d systems: %v", count, verdicts)
	if count >= 100 && len(verdicts) < 3 {
		t.Errorf("too few kinds of verdicts to show anything: %v", verdicts)
	}
}

// outcome is the outcome of a solve: reason, verdict and bits of x.
type outcome struct {
	reason, verdict string
	bits            []uint64
}

func outcomeOf(r solve.Result, x []float64, err error) outcome {
	if err != nil {
		return outcome{reason: "error", verdict: err.Error()}
	}
	a := outcome{reason: r.Reason.String(), verdict: fmt.Sprint(r.Reason, r.Errors, r.Iterations, r.Method, r.Precond.Text, r.Digits)}
	for _, v := range x {
		a.bits = append(a.bits, math.Float64bits(v))
	}
	return a
}

func aloneWith(m *csr.Matrix, b []float64, opt solve.Options) outcome {
	s, err := solver.New(context.Background(), m, opt)
	if err != nil {
		return outcomeOf(solve.Result{}, nil, err)
	}
	defer s.Close()
	r, err := s.Solve(context.Background(), b, nil)
	return outcomeOf(r, r.X, err)
}

// onRanksOf solves over ranks that are goroutines.
func onRanksOf(t *testing.T, size int, m *csr.Matrix, b []float64, domains int, opt solve.Options) (all outcome) {
	dist.Run(size, func(c dist.Comm) {
		a, err := dist.Spread(c, m, domains)
		if err != nil {
			t.Error(err)
			return
		}
		own := make([]float64, 0, a.Own)
		for _, p := range a.Parts {
			own = append(own, b[p.Row:p.Row+int64(p.Own)]...)
		}
		s, err := solver.NewDistributed(context.Background(), a, opt)
		var r solve.Result
		if err == nil {
			r, err = s.Solve(context.Background(), own, nil)
			s.Close()
		}
		var x []float64
		for _, part := range c.Gather(dist.Bytes(r.X)) {
			x = append(x, dist.Numbers[float64](part)...)
		}
		if a := outcomeOf(r, x, err); c.Rank() == 0 {
			all = a
		}
	})
	return all
}

// randomSystem returns a matrix with 1 to 60 rows of one of several kinds, and a right-hand side. There may be no solution.
func randomSystem(t *testing.T, rng *rand.Rand) (*csr.Matrix, []float64) {
	t.Helper()
	n := 1 + rng.IntN(60)
	kind := rng.IntN(5)
	a, err := csr.NewBuilder(n, n)
	if err != nil {
		t.Fatal(err)
	}
	add := func(i, j int, v float64) { err = errors.Join(err, a.Add(i, j, v)) }
	diagonal := make([]float64, n)
	for i := range n {
		for range rng.IntN(4) {
			j, v := rng.IntN(n), rng.NormFloat64()*math.Exp2(float64(rng.IntN(10)))
			switch {
			case i == j:
			case kind < 2: // symmetric: diagonally dominant, or indefinite
				add(i, j, v)
				add(j, i, v)
				diagonal[i] += math.Abs(v)
				diagonal[j] += math.Abs(v)
			default:
				add(i, j, v)
				diagonal[i] += math.Abs(v)
			}
		}
	}
	for i, d := range diagonal {
		switch kind {
		case 1, 3:
			add(i, i, rng.NormFloat64())
		case 4: // equal rows, or zeros on the diagonal
			if rng.IntN(4) > 0 {
				add(i, i, d)
			}
		default:
			add(i, i, d+rng.Float64())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	b := make([]float64, n)
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	return a.Build(), b
}
