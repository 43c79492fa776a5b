package solver

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// What the matrix is like is told once and first, the stages in order, and iterations after set-up.
func TestStages(t *testing.T) {
	grid := shifted(40, 0)
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		opt  solve.Options
		want []string // beginnings of stages, in order
	}{
		{"amg", grid, solve.Options{Precond: solve.Precond{Kind: precond.AMG}}, []string{
			"examining the matrix", "examined", "choosing", "storing the matrix", "setting up amg", "setting up amg: level 1, 1600 rows",
			"setting up amg: storing the levels", "estimating the digits of x", "verifying x",
		}},
		{"chol", grid, solve.Options{Precond: solve.Precond{Kind: precond.Cholesky}}, []string{"examined", "setting up chol: ordering", "setting up chol: factors of ", "verifying x"}},
		{"singular", neumann(12), solve.Options{}, []string{"examined", "choosing", "verifying x"}},
		{"triangular", permutedTriangle(rand.New(rand.NewPCG(1, 2)), 20, 0.2), solve.Options{}, []string{"examined", "verifying x"}},
		{"least squares", randomRectangle(t, 8, 5, 0), solve.Options{Method: solve.LSQR}, []string{"examined"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stages []string
			c.opt.Stage = func(text string) { stages = append(stages, text) }
			c.opt.Examined = func(f csr.Facts) {
				if stages = append(stages, "examined"); f.Rows != c.m.Rows || f.NNZ != c.m.NNZ() {
					t.Errorf("examined: %+v", f)
				}
			}
			s, err := New(t.Context(), c.m, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Solve(t.Context(), slices.Repeat([]float64{1}, c.m.Rows), nil); err != nil {
				t.Fatal(err)
			}
			at := 0
			for _, want := range c.want {
				k := slices.IndexFunc(stages[at:], func(s string) bool { return strings.HasPrefix(s, want) })
				if k < 0 {
					t.Fatalf("no %q after %q in %q", want, stages[:at], stages)
				}
				at += k + 1
			}
			if n := strings.Count(strings.Join(stages, "\n"), "examined"); n != 1 {
				t.Errorf("examined %d times: %q", n, stages)
			}
		})
	}
}
