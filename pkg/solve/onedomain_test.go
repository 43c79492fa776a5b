package solve

import (
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dist"
	"github.com/mpsolve/mpsolve/pkg/precond"
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
		opt  Options
		want string // "": nothing
	}{
		"Neumann":               {freeGrid(12), Options{}, sums},
		"Neumann, not wanted":   {freeGrid(12), Options{NullSpace: NullSpace{Kind: NullSpaceNone}}, ""},
		"Dirichlet":             {grid(12, 0, 0), Options{}, ""},
		"diagonal":              {shaped(func(i, j int) bool { return i == j }), Options{}, "is diagonal, which --domains 1"},
		"lower":                 {shaped(func(i, j int) bool { return i >= j }), Options{}, "lower triangular, which --domains 1"},
		"upper":                 {shaped(func(i, j int) bool { return i <= j }), Options{}, "upper triangular, which --domains 1"},
		"neither":               {shaped(func(i, j int) bool { return true }), Options{}, ""},
		"lower, not left to us": {shaped(func(i, j int) bool { return i >= j }), Options{Precond: Precond{Kind: precond.Jacobi}}, ""},
	} {
		for _, ranks := range []int{1, 3, 5} {
			var log logged
			solveWith(t, ranks, 4, c.m, random(1, c.m.Rows), func(a *dist.Matrix) Options {
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
