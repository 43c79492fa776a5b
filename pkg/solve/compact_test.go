package solve

import (
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// Where complete factors come first the matrix stays in FP64, unless a storage is asked for; where
// they are not to be had it is stored after all.
func TestFactorsNeedNoStorage(t *testing.T) {
	m := grid(40, 0, 0)
	for name, c := range map[string]struct {
		opt  Options
		want bool
	}{
		"default":        {Options{}, true},
		"epsilon":        {Options{Storage: Storage{Epsilon: 0x1p-37}}, false},
		"layout":         {Options{Storage: Storage{Layout: adaptive.Slots}}, false},
		"preconditioner": {Options{Precond: Precond{Kind: precond.FSAI}}, false},
	} {
		var log logged
		r := solved(t, m, rhs(m, 1), nil, log.options(c.opt))
		if log.says(whyPlain) != c.want || c.want && !r.Storage.plain() {
			t.Errorf("%s: stored as %v, said %q", name, r.Storage, log.lines)
		}
	}
}

func TestStoredWithoutFactors(t *testing.T) {
	m := grid(40, 0, 0)
	var log logged
	opt := log.options(Options{})
	s := newSolver(t, m, opt)
	defer s.Close()
	c := s.refiner.(*refinement[vector, scalar]).correction
	if !c.plain() || !c.spared {
		t.Fatalf("stored as %v", c.matrix.about().storage)
	}
	for k, r := range c.attempts.rungs {
		if k == 0 || r.complete() {
			continue
		}
		c.attempts.state.Rung = k
		if err := c.followUse(r.variant); err != nil || c.plain() && !strings.Contains(c.matrix.about().layout, "CSR") {
			t.Errorf("%v: %v, stored as %v", r, err, c.matrix.about().storage)
		}
		if !log.says(whyFine) && !log.says(whyCoarse) {
			t.Errorf("%v: said %q", r, log.lines)
		}
		break
	}
}

// With multigrid the matrix stays in FP64, or comes back to it after a trial; what follows
// multigrid stores it.
func TestMultigridNeedsNoStorage(t *testing.T) {
	m := grid(200, 0, 0)
	var log logged
	s := newSolver(t, m, log.options(Options{}))
	defer s.Close()
	c := s.refiner.(*refinement[vector, scalar]).correction
	if c.attempts.now().kind != precond.AMG || !c.plain() || !log.says(whyCycles) {
		t.Fatalf("%v, stored as %v, said %q", c.attempts.now(), c.matrix.about().storage, log.lines)
	}
	c.attempts.state.Rung = 1
	if err := c.followUse(variant{kind: precond.FSAI}); err != nil || !log.says(whyCoarse) {
		t.Errorf("%v, FSAI: stored as %v", err, c.matrix.about().storage)
	}
	if err := c.followUse(variant{kind: precond.AMG}); err != nil || !c.plain() {
		t.Errorf("%v, multigrid: stored as %v", err, c.matrix.about().storage)
	}
	for name, opt := range map[string]Options{
		"epsilon": {Storage: Storage{Epsilon: 0x1p-37}},
		"layout":  {Storage: Storage{Layout: adaptive.Diagonals}},
	} {
		var log logged
		if r := solved(t, m, rhs(m, 1), nil, log.options(opt)); log.says(whyCycles) || r.Storage.plain() && name == "layout" {
			t.Errorf("%s: stored as %v", name, r.Storage)
		}
	}
}
