package precond

import (
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/direct/factor"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// Large factors are in FP32 unless the accuracy asked for, or a condition estimate, says FP64.
func TestFactorsInFP32(t *testing.T) {
	grid, convection := generated(t, "poisson3d", generate.Params{"n": 24}), generated(t, "convdiff3d", generate.Params{"n": 20})
	loose := generated(t, "poisson3d", generate.Params{"n": 24})
	for i := range loose.Rows { // not held anywhere
		cols, vals := loose.Row(i)
		sum, diagonal := 0.0, 0
		for e, j := range cols {
			if int(j) == i {
				diagonal = e
			} else {
				sum -= vals[e]
			}
		}
		vals[diagonal] = sum * (1 + 1e-9)
	}
	for name, c := range map[string]struct {
		kind    Kind
		m       *csr.Matrix
		epsilon float64
		in      factor.Precision
	}{
		"grid":                {Cholesky, grid, 0, factor.FP32},
		"grid, FP64 asked":    {Cholesky, grid, adaptive.MinEpsilon, factor.FP64},
		"grid by LU":          {LU, grid, 0, factor.FP32},
		"grid by LDL":         {LDL, grid, 0, factor.FP32},
		"convection":          {LU, convection, 0, factor.FP32},
		"ill-conditioned":     {Cholesky, loose, 0, factor.FP64},
		"ill-conditioned, LU": {LU, loose, 0, factor.FP64},
	} {
		p, said := logged(t, c.kind, c.m, Options{Symmetric: name != "convection", Epsilon: c.epsilon})
		f := p.(*complete)
		if got := f.Precision(); got != c.in || strings.Contains(said, "FP64 follow") != (c.in == factor.FP64 && c.epsilon == 0) {
			t.Errorf("%s: in %s, want %s: %s", name, got, c.in, said)
		}
		if stored := int64(c.in) * f.Numbers(); f.cost.ValueBytes != stored || f.cost.Bytes < stored || f.cost.FP64Bytes < stored*8/int64(c.in) {
			t.Errorf("%s: cost %+v of %d bytes", name, f.cost, stored)
		}
		b := random(c.m.Rows, 3)
		if e := rowwise(c.m, refined(c.m, p, b), b); !(e < 1e-13) {
			t.Errorf("%s: error %g", name, e)
		}
	}
}
