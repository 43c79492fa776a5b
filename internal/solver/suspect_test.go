package solver

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A huge unknown that nothing joins to the others does not excuse, under the normwise criterion, that they are not solved, even where its own equation is not solved to
// the tolerance.
func TestHiddenPart(t *testing.T) {
	rng := rand.New(rand.NewPCG(206, 423))
	for range 300 {
		n := 5 + rng.IntN(60)
		m := testsupport.Entries(n+1, func(add func(i, j int, v float64)) {
			for i := range n {
				add(i, i, 2)
				if i > 0 {
					add(i, i-1, -1)
					add(i-1, i, -1)
				}
			}
			add(n, n, math.Pow(10, -16+14*rng.Float64()))
		})
		opt := solve.Options{Method: rules.Methods[1+rng.IntN(len(rules.Methods)-1)], Accuracy: solve.Accuracy{Stop: solve.StopNW, Tol: 1e-6}, Krylov: solve.Krylov{IDR: 1 + rng.IntN(10)}}
		opt.Precond.Kind = precond.None
		b := slices.Repeat([]float64{1}, n+1)
		r := mustSolve(t, m, b, nil, opt)
		if !r.Reason.Converged() {
			continue
		}
		left := slices.Clone(b)
		for i := range n + 1 {
			for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
				left[i] -= m.Val[k] * r.X[m.Col[k]]
			}
		}
		if q := special.AbsMax(left[:n]); q > 0.1 {
			t.Errorf("n = %d, %s: converged, and %.2g of the part without the huge unknown is unexplained", n, opt.Method, q)
		}
	}
}

// An estimate of digits that overflows ends: contradictory equations of sizes from 1e-48 to 1e86, whose steps of refinement cost no iterations.
func TestGradedContradictionEnds(t *testing.T) {
	m := testsupport.Entries(11, func(add func(i, j int, v float64)) {
		for _, e := range []struct {
			i, j int
			v    float64
		}{{0, 0, 5.928554968950589e+79}, {0, 9, -2.261564242916332e+74}, {1, 0, -6.162975822039155e-33}, {1, 1, 7.888609052210118e-31}, {2, 1, -1.125899906842624e+15}, {2, 2, 6.8719476736e+10}, {3, 2, -5.521397077432451e+70}, {3, 3, 9.046256971665328e+74}, {4, 3, -2.4283361152821613e+83}, {4, 4, 9.263367138985296e+77}, {5, 4, -6.162975822039155e-33}, {5, 5, 1.504632769052528e-36}, {6, 5, -9.903520314283042e+27}, {6, 6, 6.338253001141147e+29}, {7, 6, -3.1861838222649046e-58}, {7, 7, 6.223015277861142e-61}, {8, 7, -4.7428439751604714e+80}, {8, 8, 1.2433080910244666e+86}, {9, 8, -3.76158192263132e-37}, {9, 9, 3.6734198463196485e-40}, {10, 10, 1.3684555315672042e-48}} {
			add(e.i, e.j, e.v)
		}
	})
	b := []float64{-5.928577584593018e+79, -6.304724265946055e-30, 9.01774313525622e+15, 1.808809682566871e+75, -4.85670002066574e+83, 1.8476890403965044e-32, -6.259024838626883e+30, 3.1868061237926907e-57, 1.243307616740069e+87, -3.761214580646688e-36, 1.3684555315672042e-47}
	for _, threads := range []int{1, 2} {
		opt := solve.Options{Limits: solve.Limits{Threads: threads}}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		s, err := New(ctx, m, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if r, err := s.Solve(ctx, b, nil); err != nil || r.Reason != krylov.Inconsistent || ctx.Err() != nil {
			t.Errorf("%d threads: %v, %v, %v", threads, r.Reason, err, ctx.Err())
		}
	}
}

// An x that has converged when the time is over, before anything has confirmed its digits, has a caution (Interrupt).
func TestInterruptedConfirmation(t *testing.T) {
	m := grid(6, 0.3, 0)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opt := solve.Options{Reporting: solve.Reporting{Stage: func(what string) {
		if strings.HasPrefix(what, "estimating") {
			cancel()
		}
	}}}
	s, err := New(ctx, m, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Solve(ctx, random(3, m.Rows), nil)
	if err != nil || r.Reason != krylov.Converged || !strings.Contains(strings.Join(r.Cautions, "\n"), "no time to find out") {
		t.Errorf("%v, %v, cautions %q, digits %v", r.Reason, err, r.Cautions, r.Digits.State)
	}
}

// Rows with equations in three unknowns each, of which two are proportional and contradict each other: iterations end at an x that does not explain
// b, and complete factors at one that seems to.
func TestProportionalRows(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1094))
		n := 1600 + rng.IntN(500)
		var last int
		m := dominantRows(seed, n, func(rows []map[int]float64) {
			made := make([]map[int]float64, n)
			for i := range made {
				made[i] = map[int]float64{}
				for range 3 {
					made[i][rng.IntN(n)] += float64((1 + rng.IntN(9)) * (2*rng.IntN(2) - 1))
				}
				made[i][i] += 20
			}
			first := rng.IntN(n / 2)
			last = n/2 + rng.IntN(n/2)
			made[last] = map[int]float64{}
			for j, v := range made[first] {
				made[last][j] = v / 2
			}
			order := rng.Perm(n)
			for i, at := range order {
				rows[at] = made[i]
			}
			last = order[last]
		})
		b, x := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = float64(rng.IntN(18) - 9)
		}
		m.MulVec(b, x)
		b[last] += math.Ldexp(max(math.Abs(b[last]), 1), -4-rng.IntN(10))
		if r := mustSolve(t, m, b, nil, solve.Options{}); r.Reason.Converged() {
			t.Errorf("seed %d: %v, largest element %g, %v", seed, r.Reason, special.AbsMax(r.X), r.Cautions)
		}
	}
}

// Conductances over 24 decades: a regular system whose LU factors have replaced pivots, while Cholesky's have none.
func TestWideConductances(t *testing.T) {
	for seed := uint64(5); seed < 8; seed++ {
		rng := rand.New(rand.NewPCG(seed, 9))
		n := 200
		diagonal := make([]float64, n)
		diagonal[0] = 1e-9
		m := entries(n, func(add func(i, j int, v float64)) {
			for range 3 * n {
				i, j, w := rng.IntN(n), rng.IntN(n), math.Pow(10, float64(3*rng.IntN(9)-12))
				if i != j {
					add(i, j, -w)
					add(j, i, -w)
					diagonal[i] += w
					diagonal[j] += w
				}
			}
			for i, v := range diagonal {
				if rng.IntN(10) == 0 || v == 0 {
					v += math.Pow(10, float64(6*rng.IntN(3)-12))
				}
				add(i, i, v)
			}
		})
		b := random(seed, n)
		certain := mustSolve(t, m, b, nil, solve.Options{Precond: solve.Precond{Kind: precond.Cholesky}})
		if r := mustSolve(t, m, b, nil, solve.Options{}); certain.Reason.Converged() && !r.Reason.Converged() {
			t.Errorf("seed %d: %v, %v with Cholesky's factors", seed, r.Reason, certain.Reason)
		}
	}
}

// A Laplacian without boundary whose rows and columns have other units, contradicted by a part in 10^5: a rough probe is large enough for the x that met the tolerance.
func TestRoughProbeOfContradiction(t *testing.T) {
	for _, seed := range []uint64{1, 6} {
		rng := rand.New(rand.NewPCG(seed, 38))
		laplacian := grid(38, 0, 0)
		n := laplacian.Rows
		unit := func() []float64 {
			units := make([]float64, n)
			for i := range units {
				units[i] = math.Ldexp(1, rng.IntN(9)-4)
			}
			return units
		}
		row, column := unit(), unit()
		m := entries(n, func(add func(i, j int, v float64)) {
			for i := range n {
				cols, _ := laplacian.Row(i)
				for _, j := range cols {
					if int(j) != i {
						add(i, int(j), -row[i]*column[j])
						add(i, i, row[i]*column[i])
					}
				}
			}
		})
		b, x := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64() / column[i]
		}
		m.MulVec(b, x)
		terms := 0.0
		for i, v := range b {
			terms += math.Abs(v / row[i])
		}
		b[n/2] += 2e-5 * terms * row[n/2]
		if r := mustSolve(t, m, b, nil, solve.Options{Precond: solve.Precond{Kind: precond.BlockJacobi}}); r.Reason.Converged() {
			t.Errorf("seed %d: %v, digits %+v", seed, r.Reason, r.Digits)
		}
	}
}
