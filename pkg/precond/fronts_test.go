package precond

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/direct/factor"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// planOf is the plan of a matrix, of LU if it is not taken for symmetric.
func planOf(t *testing.T, s *setup, symmetric bool) *frontPlan {
	t.Helper()
	if symmetric {
		p, err := s.planSymmetric()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	b, err := s.blocksLU()
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.planFronts(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Factors of a tree that is cut solve to rounding, with the same bits for any number of threads,
// and take no more memory than was said.
func TestFrontsOnThreads(t *testing.T) {
	large := generated(t, "poisson3d", generate.Params{"n": 14})
	unsymmetric := generated(t, "convdiff3d", generate.Params{"n": 18})
	for kind, m := range map[Kind]*csr.Matrix{Cholesky: large, LDL: large, LU: unsymmetric} {
		if host.RaceDetector && kind != LDL {
			continue
		}
		var first vector
		for threads := 1; threads <= 5; threads++ {
			if testing.Short() && threads != 1 && threads != 3 {
				continue
			}
			p := mustNew(t, kind, m, Options{Symmetric: kind != LU, Epsilon: adaptive.MinEpsilon}, newPool(t, threads)).(*complete)
			if stored := 8 * p.Numbers(); p.cost.Bytes < stored || p.cost.Bytes > 2*stored {
				t.Errorf("%s: cost %+v of %d bytes", kind, p.cost, stored)
			}
			x, b := make(vector, m.Rows), random(m.Rows, 7)
			p.Apply(x, b)
			if e := rowwise(m, x, b); !(e < 1e-13) {
				t.Errorf("%s on %d threads: error %g", kind, threads, e)
			}
			if first == nil {
				first = x
			}
			if !slices.Equal(x, first) {
				t.Errorf("%s: other bits on %d threads", kind, threads)
			}
		}
	}
}

// Pivots are chosen among the rows of a front, and where these do not suffice, among all.
func TestFrontPivots(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	small := testsupport.Entries(60, func(add func(i, j int, v float64)) { // one front, with tiny pivots on the diagonal
		for i := range 60 {
			for j := range 60 {
				if v := r.NormFloat64(); i == j {
					add(i, j, 1e-9*v)
				} else {
					add(i, j, v)
				}
			}
		}
	})
	saddle := hostile(t, 900)["saddle point"]
	for name, m := range map[string]*csr.Matrix{"dense": small, "saddle point": saddle, "unsymmetric": random0(150, 3, 5)} {
		said := ""
		s := setupOf(m, Options{Log: func(line string) { said += line }})
		blocks, err := s.blocksLU()
		if err != nil {
			t.Fatal(err)
		}
		plan, err := blocks.planFronts(&s)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.newFrontLU(plan, mostBackward)
		if err != nil {
			t.Fatal(err)
		}
		if p == nil {
			if !strings.Contains(said, "other pivots follow") {
				t.Errorf("%s: no factors without a reason: %s", name, said)
			}
			p = mustNew(t, LU, m, Options{}, nil)
		}
		b := random(m.Rows, 3)
		if e := rowwise(m, refined(m, p, b), b); !(e < 1e-13) {
			t.Errorf("%s: error %g with %v, %s", name, e, p, said)
		}
	}
	// Pivot after pivot vanishes where it is among the rows of its own front only.
	chain := testsupport.Entries(400, func(add func(i, j int, v float64)) {
		for i := 0; i < 400; i += 2 {
			add(i, i, 1e-14)
			add(i, i+1, 1)
			add(i+1, i, 1)
			add(i+1, i+1, 1e-14)
			for range 2 {
				add(i, r.IntN(400), 1e-3*r.NormFloat64())
			}
		}
	})
	p := mustNew(t, LU, chain, Options{}, nil)
	b := random(chain.Rows, 3)
	if e := rowwise(chain, refined(chain, p, b), b); !(e < 1e-13) {
		t.Errorf("chain: error %g with %v", e, p)
	}
}

// A negative pivot is told from one that vanishes.
func TestIndefinitePivot(t *testing.T) {
	negative := laplace(t, 12)
	shift(negative, -3.3)
	if _, err := New(t.Context(), Cholesky, negative, Options{Symmetric: true}, nil); !errors.Is(err, ErrIndefinite) || !errors.Is(err, ErrNotDefinite) {
		t.Errorf("indefinite: %v", err)
	}
	singular := fromRows(t, [][]float64{{1, -1, 0}, {-1, 2, -1}, {0, -1, 1}})
	if _, err := New(t.Context(), Cholesky, singular, Options{Symmetric: true}, nil); errors.Is(err, ErrIndefinite) || !errors.Is(err, ErrNotDefinite) {
		t.Errorf("singular: %v", err)
	}
}

// Memory is refused before it is allocated.
func TestFrontMemory(t *testing.T) {
	m := laplace(t, 40)
	s := setupOf(m, Options{Symmetric: true})
	p := planOf(t, &s, true)
	factors, making := p.tree.Bytes(true, 1, factor.FP64)
	for limit, is := range map[int64]error{factors + making - 1: ErrMemory, factors + making: nil} {
		if _, err := New(t.Context(), Cholesky, m, Options{Symmetric: true, Limits: Limits{MaxBytes: limit}}, nil); !errors.Is(err, is) {
			t.Errorf("limit %d of %d bytes: %v", limit, factors+making, err)
		}
	}
}
