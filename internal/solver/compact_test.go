package solver

import (
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Where complete factors come first the matrix stays in FP64, unless a storage is asked for; where
// they are not to be had it is stored after all.
func TestFactorsNeedNoStorage(t *testing.T) {
	m := grid(40, 0, 0)
	for name, c := range map[string]struct {
		opt  solve.Options
		want bool
	}{
		"default":        {solve.Options{}, true},
		"epsilon":        {solve.Options{Storage: solve.Storage{Epsilon: 0x1p-37}}, false},
		"layout":         {solve.Options{Storage: solve.Storage{Layout: adaptive.Slots}}, false},
		"preconditioner": {solve.Options{Precond: solve.Precond{Kind: precond.FSAI}}, false},
	} {
		var log logged
		r := solved(t, m, rhs(m, 1), nil, log.options(c.opt))
		if log.says(choice.WhyPlain) != c.want || c.want && !options.Plain(r.Storage) {
			t.Errorf("%s: stored as %v, said %q", name, r.Storage, log.lines)
		}
	}
}

func TestStoredWithoutFactors(t *testing.T) {
	m := grid(40, 0, 0)
	var log logged
	opt := log.options(solve.Options{})
	s := newSolver(t, m, opt)
	defer s.Close()
	c := s.Refiner.(*refine.Refinement[vector, scalar]).Correction
	if !c.Plain() || !c.Spared {
		t.Fatalf("stored as %v", c.Matrix.About().Storage)
	}
	for k, r := range c.Attempts.Fallbacks {
		if k == 0 || r.Complete() {
			continue
		}
		c.Attempts.State.Fallback = k
		if err := c.FollowUse(r.Variant); err != nil || c.Plain() && !strings.Contains(c.Matrix.About().Layout, "CSR") {
			t.Errorf("%v: %v, stored as %v", r, err, c.Matrix.About().Storage)
		}
		if !log.says(choice.WhyFine) && !log.says(choice.WhyCoarse) {
			t.Errorf("%v: said %q", r, log.lines)
		}
		break
	}
}

// With multigrid the matrix stays in FP64, or comes back to it after a probe run; what follows
// multigrid stores it.
func TestMultigridNeedsNoStorage(t *testing.T) {
	m := grid(200, 0, 0)
	var log logged
	s := newSolver(t, m, log.options(solve.Options{}))
	defer s.Close()
	c := s.Refiner.(*refine.Refinement[vector, scalar]).Correction
	if c.Attempts.Now().Kind != precond.AMG || !c.Plain() || !log.says(choice.WhyCycles) {
		t.Fatalf("%v, stored as %v, said %q", c.Attempts.Now(), c.Matrix.About().Storage, log.lines)
	}
	c.Attempts.State.Fallback = 1
	if err := c.FollowUse(choice.Variant{Kind: precond.FSAI}); err != nil || !log.says(choice.WhyCoarse) {
		t.Errorf("%v, FSAI: stored as %v", err, c.Matrix.About().Storage)
	}
	if err := c.FollowUse(choice.Variant{Kind: precond.AMG}); err != nil || !c.Plain() {
		t.Errorf("%v, multigrid: stored as %v", err, c.Matrix.About().Storage)
	}
	for name, opt := range map[string]solve.Options{
		"epsilon": {Storage: solve.Storage{Epsilon: 0x1p-37}},
		"layout":  {Storage: solve.Storage{Layout: adaptive.Diagonals}},
	} {
		var log logged
		if r := solved(t, m, rhs(m, 1), nil, log.options(opt)); log.says(choice.WhyCycles) || options.Plain(r.Storage) && name == "layout" {
			t.Errorf("%s: stored as %v", name, r.Storage)
		}
	}
}
