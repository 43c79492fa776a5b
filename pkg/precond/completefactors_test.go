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

// Factors that take much work for an entry are in FP32, unless the accuracy asked for, or a condition estimate, says FP64; others are if that is asked for.
func TestFactorsInFP32(t *testing.T) {
	space, grid, convection := generated(t, "poisson3d", generate.Params{"n": 40}), generated(t, "poisson3d", generate.Params{"n": 24}), generated(t, "convdiff3d", generate.Params{"n": 20})
	plane := generated(t, "poisson2d", generate.Params{"n": 400})
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
		"space":               {Cholesky, space, 0, factor.FP32},
		"space, stiff":        {Cholesky, space, 0, factor.FP64},
		"plane":               {Cholesky, plane, 0, factor.FP64},
		"plane, FP32 asked":   {Cholesky, plane, 0x1p-24, factor.FP32},
		"grid, FP32 asked":    {Cholesky, grid, 0x1p-24, factor.FP32},
		"grid, FP64 asked":    {Cholesky, grid, adaptive.MinEpsilon, factor.FP64},
		"grid by LU":          {LU, grid, 0x1p-24, factor.FP32},
		"grid by LDL":         {LDL, grid, 0x1p-24, factor.FP32},
		"convection":          {LU, convection, 0x1p-24, factor.FP32},
		"ill-conditioned":     {Cholesky, loose, 0x1p-24, factor.FP64},
		"ill-conditioned, LU": {LU, loose, 0x1p-24, factor.FP64},
	} {
		p, said := logged(t, c.kind, c.m, Options{Symmetric: name != "convection", Epsilon: c.epsilon, Stiff: func() bool { return strings.HasSuffix(name, "stiff") }})
		f := p.(*complete)
		if got := f.Precision(); got != c.in || strings.Contains(said, "FP64 follow") != (c.m == loose) {
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
		"chol": {Cholesky, grid}, "ldl": {LDL, grid}, "lu": {LU, flow}, "lu, symmetric": {LU, generated(t, "poisson3d", generate.Params{"n": 20})},
		"lu, saddle point": {LU, saddle},
	} {
		for _, epsilon := range []float64{0x1p-24, adaptive.MinEpsilon} {
			if name == "lu, saddle point" && epsilon != adaptive.MinEpsilon { // FP32 does not serve, and FP64 takes more
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

// Where factors in FP64 do not fit, factors in FP32 are made.
func TestFP32ForMemory(t *testing.T) {
	m := generated(t, "poisson2d", generate.Params{"n": 400})
	pool := parallel.New(2)
	defer pool.Close()
	opt := Options{Symmetric: true, Stiff: func() bool { return true }}
	f, err := ForecastComplete(t.Context(), Cholesky, m, opt, pool)
	if err != nil || f.Precision != "FP64" {
		t.Fatalf("%+v, %v", f, err)
	}
	opt.MaxBytes = f.Making - 1
	if p, err := New(t.Context(), Cholesky, m, opt, pool); err != nil || p.(*complete).Precision() != factor.FP32 {
		t.Errorf("%v, %v", p, err)
	}
}
