package dist_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

type vector = []float64

// system is a matrix in domains on some ranks.
type system struct {
	m              *csr.Matrix
	b              vector
	ranks, domains int
}

// generated returns a matrix of a kind of package generate, and a right-hand side.
func generated(t testing.TB, kind string, p generate.Params) (*csr.Matrix, vector) {
	t.Helper()
	m, err := generate.Generate(kind, p)
	if err != nil {
		t.Fatal(err)
	}
	return m, generate.RandomRHS(m, 7)
}

// solve solves the system on every rank with a method and the operator that make returns, and returns the x of all
// ranks.
func (s system) solve(
	t *testing.T, method string, opt krylov.MethodOptions, create func(m *dist.Matrix, pool *parallel.Pool) linop.Operator[vector, linop.Float64],
) (x vector, r krylov.Result) {
	t.Helper()
	x = make(vector, s.m.Rows)
	results := make([]krylov.Result, s.ranks)
	dist.Run(s.ranks, func(c dist.Comm) {
		pool := parallel.New(1 + c.Rank()%3)
		defer pool.Close()
		m, err := dist.Spread(c, s.m, s.domains)
		if err != nil {
			t.Error(err)
			return
		}
		space := dist.NewSpace(m.Layout, pool)
		a := create(m, pool)
		k, err := krylov.New[vector, linop.Float64](method, space, opt)
		if err != nil {
			t.Error(err)
			return
		}
		own, b := space.New(), space.New()
		for _, p := range m.Parts {
			copy(b[p.First():p.End()], s.b[p.Row:])
		}
		results[c.Rank()] = k.Solve(context.Background(), a, own, b, krylov.Options[vector]{Tol: 1e-8, MaxIter: 600})
		for _, p := range m.Parts {
			copy(x[p.Row:], own[p.First():p.End()])
		}
	})
	for rank, other := range results {
		other.Orthogonalization, results[0].Orthogonalization = 0, 0
		other.Basis, results[0].Basis = linop.BasisCounts{}, linop.BasisCounts{}
		if other != results[0] {
			t.Errorf("%d ranks, %d domains: rank %d ends with %+v, rank 0 with %+v", s.ranks, s.domains, rank, other, results[0])
		}
	}
	return x, results[0]
}

func plainCSR(m *dist.Matrix, pool *parallel.Pool) linop.Operator[vector, linop.Float64] {
	return dist.NewCSR(m, m.Local, pool)
}

// storedParts returns a function that stores the matrix in adaptive precision, with a layout for each domain.
func storedParts(t *testing.T, spec adaptive.Spec) func(m *dist.Matrix, pool *parallel.Pool) linop.Operator[vector, linop.Float64] {
	return func(m *dist.Matrix, pool *parallel.Pool) linop.Operator[vector, linop.Float64] {
		norm := []int64{math.MinInt64}
		for k := range m.Parts {
			own, err := adaptive.NormOf(m.PartOf(m.Local, k, nil), spec, pool)
			if err != nil {
				t.Error(err)
			}
			norm[0] = max(norm[0], own)
		}
		m.Comm.Max(norm)
		var parts []linop.Products
		for k, p := range m.Parts {
			spec := spec
			spec.Whole = &adaptive.Whole{Norm: norm[0], Parts: m.Domains.Count(), Diagonal: p.Below}
			stored, err := adaptive.Build(m.PartOf(m.Local, k, nil), spec, pool)
			if err != nil {
				t.Error(err)
				return nil
			}
			parts = append(parts, stored.Products())
		}
		return dist.NewOperator(m, parts, pool)
	}
}

// some returns all of the numbers, or the first and the last in short tests, which the race detector runs.
func some(numbers ...int) []int {
	if testing.Short() {
		return []int{numbers[0], numbers[len(numbers)-1]}
	}
	return numbers
}

// A matrix in adaptive precision gives the same bits on any number of ranks and threads, in any layout.
func TestConcurrentStoredSameBits(t *testing.T) {
	set, err := adaptive.LookupSet("AFX")
	if err != nil {
		t.Fatal(err)
	}
	m, b := generated(t, "elasticity3d", generate.Params{"n": 7})
	layouts := adaptive.Layouts
	if testing.Short() {
		m, b = generated(t, "elasticity3d", generate.Params{"n": 4})
		layouts = []adaptive.Layout{adaptive.Slots, adaptive.Symmetric}
	}
	for _, layout := range layouts {
		spec := adaptive.Spec{Set: set, Epsilon: 0x1p-37, Layout: layout}
		for _, domains := range some(1, 2, 8) {
			var want vector
			for _, ranks := range some(1, 2, 3) {
				x, r := system{m, b, ranks, domains}.solve(t, "cg", krylov.MethodOptions{}, storedParts(t, spec))
				if want == nil {
					want = x
				}
				if !slices.Equal(x, want) || r.Reason != krylov.Converged {
					t.Errorf("layout %q, %d domains, %d ranks: %v after %d iterations, or other bits than one rank", layout, domains, ranks, r.Reason, r.Iterations)
				}
			}
		}
	}
}

// variants are the methods, with parameters.
var variants = map[string]krylov.MethodOptions{
	"cg": {}, "bicgstab": {}, "minres": {}, "cgs": {}, "bicg": {}, "idr": {}, "tfqmr": {}, "lsqr": {}, "gmres": {},
	"gmres cgs2":     {GMRES: krylov.GMRESOptions{Restart: 20, CGS2: true}},
	"gmres adaptive": {GMRES: krylov.GMRESOptions{Restart: 20, Basis: linop.BasisAdaptive}},
}

// Every method finds the same bits on any number of ranks and threads, for each number of domains, and its x solves
// the system as well as the x found with the whole matrix in one domain.
func TestConcurrentMethodsSameBits(t *testing.T) {
	cube, body, plane := 14., 5., 40.
	if testing.Short() {
		cube, body, plane = 8, 3, 20
	}
	for _, problem := range []struct {
		kind      string
		params    generate.Params
		symmetric bool
	}{
		{"poisson3d", generate.Params{"n": cube}, true},
		{"elasticity3d", generate.Params{"n": body}, true},
		{"convdiff2d", generate.Params{"n": plane}, false},
	} {
		m, b := generated(t, problem.kind, problem.params)
		pool := parallel.New(2)
		defer pool.Close()
		for name, opt := range variants {
			if testing.Short() && problem.kind != "convdiff2d" && name != "cg" && name != "minres" {
				continue
			}
			method := name[:min(len(name), 5)]
			if len(name) < 6 || name[:5] != "gmres" {
				method = name
			}
			if (method == "cg" || method == "minres") && !problem.symmetric {
				continue
			}
			whole, one := system{m, b, 1, 1}.solve(t, method, opt, plainCSR)
			errors, err := verify.Compute(m, whole, b, pool)
			if err != nil || one.Reason.Converged() && !(errors.RelativeResidual <= 1e-7) {
				t.Errorf("%s, %s: %v, residual %g, %v", problem.kind, name, one.Reason, errors.RelativeResidual, err)
			}
			for _, domains := range some(1, 2, 3, 8) {
				var want vector
				var first krylov.Result
				for _, ranks := range some(1, 2, 3, 5) {
					title := fmt.Sprintf("%s, %s, %d domains, %d ranks", problem.kind, name, domains, ranks)
					x, r := system{m, b, ranks, domains}.solve(t, method, opt, plainCSR)
					if want == nil {
						want, first = x, r
					}
					if !slices.EqualFunc(x, want, func(v, w float64) bool { return math.Float64bits(v) == math.Float64bits(w) }) || r != first {
						t.Errorf("%s: other bits than one rank, %+v and %+v", title, r, first)
					}
					e, err := verify.Compute(m, x, b, pool)
					if err != nil || r.Reason.Converged() && !(e.RelativeResidual <= 1e-7) {
						t.Errorf("%s: %v, residual %g, %v", title, r.Reason, e.RelativeResidual, err)
					}
					if r.Reason != one.Reason || r.Iterations > one.Iterations*5/4+5 {
						t.Errorf("%s: %v after %d iterations, %v after %d in one domain", title, r.Reason, r.Iterations, one.Reason, one.Iterations)
					}
				}
			}
		}
	}
}

// roundedHalo makes a matrix whose products have halos rounded to epsilon.
func roundedHalo(epsilon float64) func(m *dist.Matrix, pool *parallel.Pool) linop.Operator[vector, linop.Float64] {
	return func(m *dist.Matrix, pool *parallel.Pool) linop.Operator[vector, linop.Float64] {
		a := dist.NewCSR(m, m.Local, pool)
		a.RoundHalo(epsilon)
		return a
	}
}

// Conjugate gradients take hardly more iterations with halos of 2^-37, up to a tenth where iterations are many for
// the dimension (elasticity without a preconditioner), and find the same bits on any number of ranks. With 2^-13 they
// take more or fail, which shows that halos are rounded.
func TestConcurrentRoundedHalosKeepIterations(t *testing.T) {
	for kind, params := range map[string]generate.Params{"poisson3d": {"n": 20}, "elasticity3d": {"n": 6}, "anisotropic2d": {"n": 40}} {
		if testing.Short() && kind != "anisotropic2d" {
			continue
		}
		m, b := generated(t, kind, params)
		most := map[string]int{"poisson3d": 1, "elasticity3d": 10, "anisotropic2d": 1}[kind] // percent
		for _, domains := range []int{2, 8} {
			_, exact := system{m, b, 1, domains}.solve(t, "cg", krylov.MethodOptions{}, plainCSR)
			want, r := system{m, b, 1, domains}.solve(t, "cg", krylov.MethodOptions{}, roundedHalo(0x1p-37))
			if r.Reason != krylov.Converged || r.Iterations > exact.Iterations*(100+most)/100 {
				t.Errorf("%s, %d domains: %v after %d iterations, %d with exact halos", kind, domains, r.Reason, r.Iterations, exact.Iterations)
			}
			for _, ranks := range []int{2, 3, 5} {
				if x, _ := (system{m, b, ranks, domains}).solve(t, "cg", krylov.MethodOptions{}, roundedHalo(0x1p-37)); !slices.Equal(x, want) {
					t.Errorf("%s, %d domains, %d ranks: other bits than one rank", kind, domains, ranks)
				}
			}
			_, coarse := system{m, b, 1, domains}.solve(t, "cg", krylov.MethodOptions{}, roundedHalo(0x1p-13))
			if coarse.Reason == krylov.Converged && coarse.Iterations <= r.Iterations {
				t.Errorf("%s, %d domains: halos of 2^-13 converge in %d iterations", kind, domains, coarse.Iterations)
			}
		}
	}
}
