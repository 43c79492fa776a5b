package precond

import (
	"errors"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/direct/factor"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
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

// Factors are made with exactly the memory that was forecast, and with a byte less they are refused before they are begun.
func TestForecastMemory(t *testing.T) {
	grid, flow := generated(t, "poisson3d", generate.Params{"n": 24}), generated(t, "convdiff3d", generate.Params{"n": 20})
	saddle := generated(t, "stokes2d", generate.Params{"n": 110})
	for name, c := range map[string]struct {
		kind Kind
		m    *csr.Matrix
	}{
		"chol": {Cholesky, grid}, "ldl": {LDL, grid}, "lu": {LU, flow}, "lu, symmetric": {LU, generated(t, "poisson3d", generate.Params{"n": 28})},
		"lu, saddle point": {LU, saddle},
	} {
		for _, epsilon := range []float64{0, adaptive.MinEpsilon} {
			if name == "lu, saddle point" && epsilon == 0 { // FP32 does not serve, and FP64 takes more
				continue
			}
			for _, threads := range []int{1, 3} {
				pool := parallel.New(threads)
				opt := Options{Symmetric: name != "lu", Epsilon: epsilon}
				f, err := ForecastComplete(t.Context(), c.kind, c.m, opt, pool)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				opt.MaxBytes = f.Making
				p, err := New(t.Context(), c.kind, c.m, opt, pool)
				if err != nil {
					t.Fatalf("%s in %s: %v", name, f.Precision, err)
				}
				made := p.(*complete)
				entries := (p.Cost().Values + int64(c.m.Rows)) / 2
				if name == "lu" {
					entries = p.Cost().Values
				}
				if made.Precision().String() != f.Precision || entries != f.Entries || p.Cost().Bytes != f.Bytes || p.Cost().FP64Bytes != f.FP64Bytes {
					t.Errorf("%s: %v costs %+v, forecast %+v", name, p, p.Cost(), f)
				}
				if f.Solving <= 0 || f.Factoring <= f.Solving {
					t.Errorf("%s: forecast %+v", name, f)
				}
				begun := false
				opt.Stage = func(text string) { begun = begun || strings.HasPrefix(text, "factors") }
				opt.MaxBytes--
				if _, err := New(t.Context(), c.kind, c.m, opt, pool); !errors.Is(err, ErrMemory) || begun {
					t.Errorf("%s in %s with a byte less: %v, begun: %v", name, f.Precision, err, begun)
				}
				pool.Close()
			}
		}
	}
}
