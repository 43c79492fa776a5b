package solver

import (
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// TestRule: epsilon begins and ends as docs/precision.md says, the reason is said, and residuals
// that are replaced do not cost iterations.
func TestRule(t *testing.T) {
	m, err := generate.Generate("anisotropic2d", generate.Params{"n": 60})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind    precond.Kind
		why     string
		epsilon float64
		oneStep bool
	}{
		{precond.Jacobi, "epsilon 2^-24: " + choice.WhyCoarse, 0x1p-24, false},
		{precond.IC0, "epsilon 2^-53: " + choice.WhyFine, 0x1p-53, true},
	} {
		opt := solve.Options{Precond: solve.Precond{Kind: c.kind}, Storage: solve.Storage{Layout: adaptive.Slots}, Accuracy: solve.Accuracy{Digits: solve.NoDigits}}
		var log logged
		r := solved(t, m, rhs(m, 1), nil, log.options(opt))
		opt.Storage = storageOf("FP64", 0)
		uniform := solved(t, m, rhs(m, 1), nil, opt)
		switch {
		case !log.says(c.why) || r.Storage.Epsilon != c.epsilon:
			t.Errorf("%s: ended at %g, said %q", c.kind, r.Storage.Epsilon, log.lines)
		case c.oneStep != (r.Outer == 1):
			t.Errorf("%s: %d refinement steps", c.kind, r.Outer)
		case float64(r.Iterations) > 1.1*float64(uniform.Iterations):
			t.Errorf("%s: %d iterations, %d in FP64", c.kind, r.Iterations, uniform.Iterations)
		}
	}
}
