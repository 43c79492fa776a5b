package solver

import (
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// It is said, once, where one domain would be solved with in another way.
func TestSaysWhatOneDomainDoes(t *testing.T) {
	shaped := func(keep func(i, j int) bool) *csr.Matrix {
		return entries(300, func(add func(i, j int, v float64)) {
			for i := range 300 {
				for _, j := range []int{i - 7, i, i + 120} {
					if j >= 0 && j < 300 && keep(i, j) {
						add(i, j, 2+float64((i+j)%3))
					}
				}
			}
		})
	}
	sums, triangular := "every row sums to zero", "by substitution"
	for name, c := range map[string]struct {
		m    *csr.Matrix
		opt  solve.Options
		want string // "": nothing
	}{
		"Neumann":               {freeGrid(12), solve.Options{}, sums},
		"Neumann, not wanted":   {freeGrid(12), solve.Options{NullSpace: solve.NullSpace{Kind: solve.NullSpaceNone}}, ""},
		"Dirichlet":             {grid(12, 0, 0), solve.Options{}, ""},
		"diagonal":              {shaped(func(i, j int) bool { return i == j }), solve.Options{}, "is diagonal, which a solve on one domain"},
		"lower":                 {shaped(func(i, j int) bool { return i >= j }), solve.Options{}, "lower triangular, which a solve on one domain"},
		"upper":                 {shaped(func(i, j int) bool { return i <= j }), solve.Options{}, "upper triangular, which a solve on one domain"},
		"neither":               {shaped(func(i, j int) bool { return true }), solve.Options{}, ""},
		"lower, not left to us": {shaped(func(i, j int) bool { return i >= j }), solve.Options{Precond: solve.Precond{Kind: precond.Jacobi}}, ""},
	} {
		for _, ranks := range []int{1, 3, 5} {
			var log logged
			solveWith(t, ranks, 4, c.m, random(1, c.m.Rows), func(a *dist.Matrix) solve.Options {
				if a.Comm.Rank() > 0 {
					return c.opt
				}
				return log.options(c.opt)
			})
			said := 0
			for _, line := range log.lines {
				if strings.Contains(line, sums) || strings.Contains(line, triangular) {
					said++
					if !strings.Contains(line, c.want) || c.want == "" {
						t.Errorf("%s on %d ranks: %q", name, ranks, line)
					}
				}
			}
			if (said == 1) != (c.want != "") {
				t.Errorf("%s on %d ranks: said %d times: %q", name, ranks, said, log.lines)
			}
		}
	}
}
