package solver

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// alikeOverDomains solves over domains on 1, 2 and 5 ranks, checks that all have the same bits, and compares verdict, digits and null space with
// those of one domain.
func alikeOverDomains(t *testing.T, where string, domains int, m *csr.Matrix, b []float64, opt solve.Options) solve.Result {
	t.Helper()
	want := mustSolve(t, m, b, nil, opt)
	var x []float64
	var first ranked
	for k, ranks := range append([]int{1}, testsupport.Few(2, 5)...) {
		got, all := solveWith(t, ranks, domains, m, b, func(a *dist.Matrix) solve.Options {
			own := opt
			own.Threads = ranks
			own.NullSpace.Right, own.NullSpace.Left = nil, nil
			for _, v := range opt.NullSpace.Right {
				own.NullSpace.Right = append(own.NullSpace.Right, ownElements(a, v))
			}
			for _, v := range opt.NullSpace.Left {
				own.NullSpace.Left = append(own.NullSpace.Left, ownElements(a, v))
			}
			return own
		})
		if k == 0 {
			x, first = got, all[0]
		}
		if first.Fault != nil {
			t.Fatalf("%s, %d domains: %v", where, domains, first.Fault)
		}
		if !sameBits(got, x) {
			t.Errorf("%s, %d domains, %d ranks: other bits", where, domains, ranks)
		}
		for r := range all {
			if all[r].summary() != first.summary() {
				t.Errorf("%s, %d domains, rank %d of %d: %s, want %s", where, domains, r, ranks, all[r].summary(), first.summary())
			}
		}
	}
	r := first.result
	r.X = x
	if r.Reason != want.Reason || r.NullSpace.Dim != want.NullSpace.Dim || r.Digits.State != want.Digits.State || (r.Evidence == nil) != (want.Evidence == nil) {
		t.Errorf("%s, %d domains: %v, null space %+v, digits %+v; one domain: %v, null space %+v, digits %+v",
			where, domains, r.Reason, r.NullSpace, r.Digits, want.Reason, want.NullSpace, want.Digits)
	}
	return r
}

// drift is the generator of a random walk with a drift on a ring: its rows sum to zero, its columns do not.
func drift(rng *rand.Rand, n int) singularSystem {
	right := make([]int, n)
	for i := range right {
		right[i] = 1 + rng.IntN(5)
	}
	s := singularSystem{a: testsupport.Entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, float64(right[i]+1))
			add(i, (i+1)%n, -float64(right[i]))
			add(i, (i+n-1)%n, -1)
		}
	}), component: 1e-8}
	s.right = [][]float64{slices.Repeat([]float64{1}, n)}
	s.solution(rng)
	return s
}

// Null spaces over domains: constants that are found, on one component and on several, given vectors, and left null vectors that are found by solves.
// A consistent system converges to the shortest solution, another one is inconsistent, with evidence, as on one domain (Concurrent).
func TestNullSpaceOverDomainsConcurrent(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	given := func(s singularSystem, left [][]float64) solve.NullSpace {
		return solve.NullSpace{Kind: solve.NullSpaceGiven, Right: s.right, Left: left}
	}
	low := lowRank(rng, 90, 3)
	found := low
	found.component = 1e-8
	for name, c := range map[string]struct {
		singularSystem
		null solve.NullSpace
		tol  float64
	}{
		"laplacian":             {laplacian(rng, 120, 1), solve.NullSpace{}, 1e-14},
		"three components":      {laplacian(rng, 40, 3), solve.NullSpace{}, 1e-14},
		"constants asked for":   {laplacian(rng, 60, 2), solve.NullSpace{Kind: solve.NullSpaceConstant}, 1e-14},
		"given":                 {low, given(low, low.left), 1e-14},
		"given, left one found": {found, given(found, nil), 1e-12},
		"drift":                 {drift(rng, 60), solve.NullSpace{}, 1e-12},
	} {
		if host.RaceDetector && name != "laplacian" && name != "given" {
			continue
		}
		opt := solve.Options{Accuracy: solve.Accuracy{Tol: c.tol}, NullSpace: c.null}
		for _, domains := range testsupport.Few(5, 2) {
			r := alikeOverDomains(t, name, domains, c.a, c.b, opt)
			c.checkShortest(t, fmt.Sprintf("%s, %d domains", name, domains), r)
			if c.left == nil {
				continue
			}
			b := make([]float64, len(c.b))
			for i, v := range c.left[0] {
				b[i] = c.b[i] + v*special.AbsMax(c.b)/1024
			}
			r = alikeOverDomains(t, name+", inconsistent", domains, c.a, b, opt)
			if r.Reason != krylov.Inconsistent || r.Evidence == nil || !(r.Evidence.Product > 1e-10) {
				t.Errorf("%s, %d domains, inconsistent: %v, %+v", name, domains, r.Reason, r.Evidence)
			}
			want := less(c.x, c.right)
			for i := range want {
				if math.Abs(r.X[i]-want[i]) > 1e-6*special.AbsMax(want) {
					t.Errorf("%s, %d domains, inconsistent: x_%d = %g, want %g", name, domains, i, r.X[i], want[i])
					break
				}
			}
		}
	}
}

// Vectors that are no null vectors are refused over domains with the same words, on all ranks (Concurrent).
func TestNullSpaceRefusedOverDomainsConcurrent(t *testing.T) {
	a := testsupport.Path(1, 1, 1)
	for want, null := range map[string][]float64{
		"null vector 1 is none of this matrix: its row-wise error is 1.7e-01, want at most 1e-10": {1, 1, 1, 1.5},
		"null vector 1 is zero":                 {0, 0, 0, 0},
		"element 4 of the null vector 1 is NaN": {1, 1, 1, math.NaN()},
	} {
		for ranks := range 3 {
			_, all := solveWith(t, ranks+1, 2, a, make([]float64, 4), func(a *dist.Matrix) solve.Options {
				return solve.Options{NullSpace: solve.NullSpace{Kind: solve.NullSpaceGiven, Right: [][]float64{ownElements(a, null)}}}
			})
			for r, got := range all {
				if got.Fault == nil || got.Fault.Error() != want {
					t.Errorf("rank %d of %d: %v, want %q", r, ranks+1, got.Fault, want)
				}
			}
		}
	}
}
