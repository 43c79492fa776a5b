package precond

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// frontProblems are matrices of many structures, symmetric ones among them.
func frontProblems(t *testing.T) map[string]*csr.Matrix {
	list := map[string]*csr.Matrix{
		"grid": laplace(t, 30), "elasticity": generated(t, "elasticity3d", generate.Params{"n": 5}),
		"arrow": hostile(t, 900)["arrow"], "1 x 1": fromRows(t, [][]float64{{3}}),
		"diagonal": testsupport.Entries(40, func(add func(i, j int, v float64)) {
			for i := range 40 {
				add(i, i, 2)
			}
		}),
	}
	for seed := range uint64(12) {
		n := 3 + 9*int(seed)
		list[fmt.Sprintf("symmetric %d", seed)] = randomSparse(t, n, 1+float64(seed%4), true, seed)
		list[fmt.Sprintf("random %d", seed)] = randomSparse(t, n, 1+float64(seed%4), false, seed)
	}
	return list
}

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

// Each entry that elimination by the definition fills in is in a front, every node comes after
// its children, and has the part of their patterns that is not its own pivots.
func TestFrontTree(t *testing.T) {
	for name, m := range frontProblems(t) {
		for _, symmetric := range []bool{false, csr.Examine(m, nil).Symmetric} {
			s := setupOf(m, Options{Symmetric: true})
			p := planOf(t, &s, symmetric)
			tree, n := p.tree, m.Rows
			if err := tree.order.Validate(); err != nil || len(tree.order) != n || int(tree.first[tree.nodes()]) != n {
				t.Fatalf("%s: %v, %d pivots of %d", name, err, len(tree.order), n)
			}
			in := make([][]bool, n) // entries of U that fronts have
			for i := range in {
				in[i] = make([]bool, n)
			}
			for j := range tree.nodes() {
				lo, hi := tree.first[j], tree.first[j+1]
				for k := lo; k < hi; k++ {
					for l := k; l < hi; l++ {
						in[k][l] = true
					}
					for _, l := range tree.pattern[j] {
						in[k][l] = true
					}
				}
				if up := tree.parent[j]; up >= 0 {
					front := append(slices.Clone(tree.pattern[up]), tree.order.Inverse()[:0]...)
					for k := tree.first[up]; k < tree.first[up+1]; k++ {
						front = append(front, k)
					}
					if int(up) <= j || len(tree.pattern[j]) == 0 {
						t.Fatalf("%s: the parent of node %d is %d, its pattern %v", name, j, up, tree.pattern[j])
					}
					for _, l := range tree.pattern[j] {
						if !slices.Contains(front, l) {
							t.Fatalf("%s: row %d of node %d is not in its parent's front", name, l, j)
						}
					}
				}
				if !slices.IsSorted(tree.pattern[j]) || len(tree.pattern[j]) > 0 && tree.pattern[j][0] < hi {
					t.Fatalf("%s: pattern of node %d: %v", name, j, tree.pattern[j])
				}
			}
			for k, row := range filled(p) {
				for l := k; l < n; l++ {
					if row[l] && !in[k][l] {
						t.Fatalf("%s: entry (%d, %d) is in no front", name, k, l)
					}
				}
			}
		}
	}
}

// filled is the pattern of L + U in the order of a plan, of the pattern of A + A^T within blocks.
func filled(p *frontPlan) [][]bool {
	n, inverse := len(p.tree.order), p.tree.order.Inverse()
	f := make([][]bool, n)
	for k := range f {
		f[k] = make([]bool, n)
	}
	for i := range n {
		cols, _ := p.a.Row(i)
		for _, j := range cols {
			if p.blockOf == nil || p.blockOf[i] == p.blockOf[j] {
				f[inverse[i]][inverse[j]], f[inverse[j]][inverse[i]] = true, true
			}
		}
	}
	for k := range n {
		for i := k + 1; i < n; i++ {
			for j := k + 1; j < n && f[i][k]; j++ {
				f[i][j] = f[i][j] || f[k][j]
			}
		}
	}
	return f
}

// Factors of a tree that is cut solve to rounding, with the same bits for any number of threads,
// and take no more memory than was said.
func TestFrontsOnThreads(t *testing.T) {
	large := generated(t, "poisson3d", generate.Params{"n": 14})
	unsymmetric := generated(t, "convdiff3d", generate.Params{"n": 12})
	for kind, m := range map[Kind]*csr.Matrix{Cholesky: large, LDL: large, LU: unsymmetric} {
		var first vector
		for threads := 1; threads <= 5; threads++ {
			if testing.Short() && threads != 1 && threads != 3 {
				continue
			}
			p := mustNew(t, kind, m, Options{Symmetric: kind != LU}, newPool(t, threads)).(*complete)
			if len(p.cut.subtrees) < 2 || len(p.cut.top) == 0 {
				t.Fatalf("%s: the tree is not cut: %d subtrees", kind, len(p.cut.subtrees))
			}
			if stored := 8 * p.factors.numbers(); p.cost.Bytes < stored || p.cost.Bytes > 2*stored {
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

// The work of a plan is that of its fronts, and memory is refused before it is allocated.
func TestFrontWork(t *testing.T) {
	m := laplace(t, 40)
	s := setupOf(m, Options{Symmetric: true})
	p := planOf(t, &s, true)
	want := 0.0
	for j := range p.tree.nodes() {
		k, size := p.tree.pivots(j), p.tree.size(j)
		for q := range k {
			rest := float64(size - q - 1)
			want += rest + rest*rest
		}
	}
	if got := 2 * p.work.Multiplications; math.Abs(got-want) > 1e-9*want {
		t.Errorf("%g multiplications, want %g", got, want)
	}
	factors, making := p.tree.frontBytes(true, 1, fp64)
	for limit, is := range map[int64]error{factors + making - 1: ErrMemory, factors + making: nil} {
		if _, err := New(t.Context(), Cholesky, m, Options{Symmetric: true, Limits: Limits{MaxBytes: limit}}, nil); !errors.Is(err, is) {
			t.Errorf("limit %d of %d bytes: %v", limit, factors+making, err)
		}
	}
}
