package precond

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// spread are the kinds for matrices in domains.
var spread = Kinds(func(d Description) bool { return d.distribute != nil })

// An attempt is what NewDistributed made on any rank.
type attempt struct {
	x    vector // M^-1 b, of all ranks
	text string // of the preconditioner, or the error
	cost Cost
	err  error
	work int64
	said []string
}

// tried sets up a preconditioner of m, applies it to b and returns what came of it, which must be the same on all ranks.
func tried(t *testing.T, ranks, domains, threads int, kind Kind, m *csr.Matrix, opt Options, b vector, contexts ...context.Context) attempt {
	t.Helper()
	all := make([]attempt, ranks)
	x := make(vector, m.Rows)
	var mu sync.Mutex
	dist.Run(ranks, func(c dist.Comm) {
		pool := parallel.New(threads)
		defer pool.Close()
		a, err := dist.Spread(c, m, domains)
		if err != nil {
			t.Error(err)
			return
		}
		own, opt := &all[c.Rank()], opt
		ctx := t.Context()
		if len(contexts) > 0 {
			ctx = contexts[c.Rank()]
		}
		opt.Worked = func(n int64) { own.work = n }
		opt.Log = func(line string) { own.said = append(own.said, line) }
		p, err := NewDistributed(ctx, kind, a, a.Local, opt, pool)
		if own.err = err; err != nil {
			own.text = err.Error()
			return
		}
		own.text, own.cost = p.String(), p.Cost()
		src, dst := make(vector, a.Len), make(vector, a.Len)
		for i := range src {
			src[i] = math.NaN() // ghosts need not be valid
		}
		for _, q := range a.Parts {
			copy(src[q.First():q.End()], b[q.Row:])
		}
		p.Apply(dst, src)
		mu.Lock()
		defer mu.Unlock()
		for _, q := range a.Parts {
			copy(x[q.Row:], dst[q.First():q.End()])
		}
	})
	for r, other := range all {
		if first := all[0]; other.text != first.text || other.cost != first.cost || other.work != first.work || !slices.Equal(other.said, first.said) {
			t.Errorf("%s on rank %d of %d: %+v, on rank 0 %+v", kind, r, ranks, other, first)
		}
	}
	all[0].x = x
	return all[0]
}

// What is computed depends on domains alone, for ranks that are threads (Concurrent), and on few domains that is what New makes of the blocks.
func TestDistributedSameBitsForAnyRanks(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"diffusion":  generated(t, "poisson3d", generate.Params{"n": 8}),
		"convection": generated(t, "convdiff3d", generate.Params{"n": 8}),
		"elasticity": wide(generated(t, "elasticity3d", generate.Params{"n": 4})),
	} {
		b := random(m.Rows, 3)
		for _, kind := range spread {
			for _, domains := range []int{1, 2, 3, 8} {
				if testing.Short() && domains != 3 && domains != 8 {
					continue
				}
				opt := Options{Symmetric: name != "convection", Incomplete: Incomplete{Fill: 3}}
				d, _ := Lookup(kind)
				if d.suits(opt.Symmetric) != nil {
					continue
				}
				if d.Overlaps {
					opt.Overlap = OverlapOne
				}
				t.Run(fmt.Sprintf("%s of %s, %d domains", kind, name, domains), func(t *testing.T) {
					want := tried(t, 1, domains, 1, kind, m, opt, b)
					if want.err != nil {
						t.Fatal(want.err)
					}
					for _, ranks := range []int{1, 2, 3, 5} {
						for _, threads := range []int{1, 3} {
							if testing.Short() && (ranks != 2 || threads != 3) && (ranks != 5 || threads != 1) {
								continue
							}
							got := tried(t, ranks, domains, threads, kind, m, opt, b)
							if !slices.Equal(got.x, want.x) || got.text != want.text || got.cost != want.cost || got.work != want.work {
								t.Errorf("%d ranks, %d threads: %+v, want %+v", ranks, threads, got, want)
							}
						}
					}
				})
			}
		}
	}
}

// What a preconditioner costs does not depend on ranks either, however small segments are.
func TestDistributedCostForAnyRanks(t *testing.T) {
	for _, n := range []int{3, 5, 40} {
		m := laplace(t, n)
		for _, kind := range spread {
			for _, overlap := range []Overlap{"", OverlapOne} {
				if d, _ := Lookup(kind); overlap == OverlapOne && !d.Overlaps {
					continue
				}
				opt := Options{Symmetric: true, Overlap: overlap}
				want := tried(t, 1, 3, 1, kind, m, opt, random(m.Rows, 3))
				for _, ranks := range []int{2, 3} {
					if got := tried(t, ranks, 3, 1, kind, m, opt, random(m.Rows, 3)); got.cost != want.cost || want.err != nil {
						t.Errorf("%s, n = %d, overlap %q, %d ranks: %+v, want %+v (%v)", kind, n, overlap, ranks, got.cost, want.cost, want.err)
					}
				}
			}
		}
	}
}

// By default domains overlap unless that triples their rows, and for symmetric M where nodes have several unknowns.
func TestOverlapByDefault(t *testing.T) {
	grid, body := laplace(t, 40), generated(t, "elasticity3d", generate.Params{"n": 6})
	for _, c := range []struct {
		m         *csr.Matrix
		kind      Kind
		symmetric bool
		domains   int
		want      bool
	}{
		{grid, ILU0, false, 1, true},
		{grid, ILU0, false, 4, true},
		{grid, ILU0, false, 80, false},
		{grid, IC0, true, 4, false},
		{body, IC0, true, 4, true},
		{body, IC0, true, 80, false},
		{body, BlockJacobi, true, 4, false},
	} {
		got := tried(t, 2, c.domains, 1, c.kind, c.m, Options{Symmetric: c.symmetric}, random(c.m.Rows, 1))
		if strings.Contains(got.text, "overlap") != c.want {
			t.Errorf("%+v: %s %v", c, got.text, got.err)
		}
	}
}

// M is its definition: the inverses of blocks on the diagonal, or of segments with their own rows kept.
func TestDomainwiseDefinition(t *testing.T) {
	convection := generated(t, "convdiff3d", generate.Params{"n": 5})
	b := random(convection.Rows, 3)
	for _, domains := range []int{1, 2, 3, 8} {
		for _, overlap := range []Overlap{OverlapNone, OverlapOne, OverlapOne + "s"} {
			m, kind, opt := convection, LU, Options{Overlap: overlap, Epsilon: 0x1p-53}
			if opt.Symmetric = overlap == OverlapOne+"s"; opt.Symmetric {
				m, kind, opt.Overlap = generated(t, "poisson3d", generate.Params{"n": 5}), Cholesky, OverlapOne
			}
			got := tried(t, 2, domains, 1, kind, m, opt, b)
			if got.err != nil {
				t.Fatal(got.err)
			}
			want := make(vector, m.Rows)
			segments := make([]map[int32]bool, domains)
			count := make(vector, m.Rows)
			d, _ := dist.Cut(int64(m.Rows), domains, func(i int64) int64 { return m.RowPtr[i] })
			for k := range domains {
				lo, hi := int32(d.Start[k]), int32(d.Start[k+1])
				rows := map[int32]bool{}
				for i := lo; i < hi; i++ {
					rows[i] = true
					if cols, _ := m.Row(int(i)); overlap != OverlapNone {
						for _, j := range cols {
							rows[j] = true
						}
					}
				}
				segments[k] = rows
				for i := range rows {
					count[i]++
				}
			}
			weight := make(vector, m.Rows)
			for i := range weight {
				if weight[i] = 1; opt.Symmetric {
					weight[i] = math.Pow(count[i], -0.25)
				}
			}
			for k, rows := range segments {
				lo, hi := int32(d.Start[k]), int32(d.Start[k+1])
				if opt.Symmetric {
					lo, hi = 0, int32(m.Rows)
				}
				schwarz(want, m, rows, b, weight, lo, hi)
			}
			closeTo(t, fmt.Sprintf("%d domains, overlap %q", domains, overlap), got.x, want, 1e-10)
			if strings.Contains(got.text, "overlap") != (overlap != OverlapNone) {
				t.Errorf("overlap %q: %s", overlap, got.text)
			}
		}
	}
}

// FSAI is that of the whole matrix for any number of domains, but for rounding of sums, and so is Jacobi.
func TestDistributedFSAIIsThatOfTheWhole(t *testing.T) {
	for name, m := range positive(t) {
		scaling, err := csr.SymmetricScaling(m, false, nil) // which New does where rows differ much
		if err != nil {
			t.Fatal(err)
		}
		m = scaling.Apply(m, nil)
		b := random(m.Rows, 3)
		for _, domains := range []int{1, 2, 3, 8} {
			if domains > m.Rows {
				continue
			}
			for _, epsilon := range []float64{adaptive.MinEpsilon, 0, 0x1p-8} {
				for _, kind := range []Kind{Jacobi, FSAI} {
					opt := Options{Symmetric: true, Epsilon: epsilon}
					want := make(vector, m.Rows)
					mustNew(t, kind, m, opt, nil).Apply(want, b)
					got := tried(t, 2, domains, 1, kind, m, opt, b)
					if got.err != nil {
						t.Fatal(got.err)
					}
					closeTo(t, fmt.Sprintf("%s of %s, %d domains, epsilon %g", kind, name, domains, epsilon), got.x, want, 1e-12)
				}
			}
		}
	}
}

// schwarz adds to x, for the rows lo to hi-1, the weighted solution of the system of these rows and columns.
func schwarz(x vector, m *csr.Matrix, rows map[int32]bool, b, weight vector, lo, hi int32) {
	var list []int32
	for i := range rows {
		list = append(list, i)
	}
	slices.Sort(list)
	n := len(list)
	a := make([]float64, n*n)
	for i, row := range list {
		cols, vals := m.Row(int(row))
		for e, j := range cols {
			if k, found := slices.BinarySearch(list, j); found {
				a[i*n+k] = vals[e]
			}
		}
	}
	invert(a, n, make([]int, n))
	for i, row := range list {
		if row < lo || row >= hi {
			continue
		}
		for k, j := range list {
			x[row] += weight[row] * a[i*n+k] * weight[j] * b[j]
		}
	}
}

// Errors are those of the first domain that has one, on all ranks; so are interruptions of one rank alone.
func TestDistributedErrors(t *testing.T) {
	m := generated(t, "poisson3d", generate.Params{"n": 9})
	diagonal := func(rows ...int) *csr.Matrix {
		bad := m.Clone()
		for _, i := range rows {
			cols, vals := bad.Row(i)
			k, _ := slices.BinarySearch(cols, int32(i))
			vals[k] = -1
		}
		return bad
	}
	infinite := m.Clone()
	infinite.Val[2000] = math.Inf(1)
	empty := m.Clone()
	for i := range 7 * m.Rows / 8 {
		_, vals := empty.Row(i)
		clear(vals)
	}
	b := random(m.Rows, 1)
	for name, c := range map[string]struct {
		kind Kind
		m    *csr.Matrix
		opt  Options
		is   error
		said string
	}{
		"not definite":         {IC0, diagonal(400, 700), Options{Symmetric: true}, ErrNotDefinite, "ic0: domain 5, rows from 366 on: not positive definite: diagonal entry 36 is -1"},
		"indefinite":           {Cholesky, diagonal(700), Options{Symmetric: true}, ErrNotDefinite, "chol: domain 8"},
		"not finite":           {ILU0, infinite, Options{}, nil, "ilu0: row 317 has an entry that is not finite"},
		"singular":             {LU, empty, Options{}, ErrSingular, "lu: domain 1, rows from 1 on: singular"},
		"memory":               {ILUT, m, Options{Limits: Limits{MaxBytes: 1000}}, ErrMemory, "memory limit too low"},
		"work":                 {ILUT, m, Options{Limits: Limits{MaxWork: 1}}, ErrWork, "setting up takes too long"},
		"not symmetric":        {IC0, m, Options{}, nil, "ic0: the matrix is not symmetric with a positive diagonal"},
		"overlap of diagonals": {Jacobi, m, Options{Overlap: OverlapOne}, nil, "jacobi: overlap 1 is for"},
		"unknown overlap":      {ILU0, m, Options{Overlap: "2"}, nil, `ilu0: unknown overlap "2"`},
		"nothing to set up":    {None, m, Options{}, nil, "none: "},
		"unknown kernels":      {ILU0, m, Options{Kernels: "sse"}, nil, `ilu0: this processor has no kernels "sse"`},
		"unknown":              {"spai", m, Options{}, nil, `unknown preconditioner "spai"`},
	} {
		want := tried(t, 1, 8, 1, c.kind, c.m, c.opt, b)
		if want.err == nil || !strings.Contains(want.text, c.said) || c.is != nil && !errors.Is(want.err, c.is) {
			t.Errorf("%s: %v, want %q", name, want.err, c.said)
		}
		for _, ranks := range []int{2, 3, 5} {
			got := tried(t, ranks, 8, 2, c.kind, c.m, c.opt, b)
			if got.text != want.text || got.work != want.work || c.is != nil && !errors.Is(got.err, c.is) {
				t.Errorf("%s on %d ranks: %v, want %v", name, ranks, got.err, want.err)
			}
		}
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, kind := range spread {
		if got := tried(t, 2, 3, 1, kind, m, Options{Symmetric: true}, b, t.Context(), done); !errors.Is(got.err, ErrInterrupted) {
			t.Errorf("%s, interrupted on one rank: %v", kind, got.err)
		}
	}
}
