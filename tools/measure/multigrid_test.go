package main

import (
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// Variants solve in the same number of iterations for any number of threads.
func TestVariantsForAnyThreads(t *testing.T) {
	for _, name := range []string{"poisson3d,n=9,decades=2", "elasticity3d,n=4", "convdiff3d,n=9"} {
		for _, v := range []string{"", "kcycle", "found=2", "modes,smoother=chebyshev", "kind=jacobi"} {
			var first int
			for _, threads := range []int{1, 3} {
				pool := parallel.New(threads)
				k := iterations(t, name, v, pool)
				pool.Close()
				if first == 0 {
					first = k
				}
				if k != first {
					t.Errorf("%s, %s: %d iterations with %d threads, %d with one", name, v, k, threads, first)
				}
			}
		}
	}
}

// iterations returns the number of iterations of a variant.
func iterations(t *testing.T, name, v string, pool *parallel.Pool) int {
	t.Helper()
	p, err := multigridRead(name, pool)
	if err != nil {
		t.Fatal(err)
	}
	if v == "" {
		v = "default"
	}
	kind, o, err := p.variant(v)
	if err != nil {
		t.Fatal(err)
	}
	if o, err = p.findNearNull(o); err != nil {
		t.Fatal(err)
	}
	g, err := precond.New(t.Context(), kind, p.a, o.Options, pool)
	if err != nil {
		t.Logf("%s, %s: %v", name, v, err) // a threshold may isolate nodes
		return 0
	}
	k, row := p.solve(g, 500)
	if !(row <= tolerance) {
		t.Errorf("%s, %s: error %.1e after %d iterations", name, v, row, k)
	}
	return k
}

func TestBadVariants(t *testing.T) {
	pool := parallel.New(1)
	defer pool.Close()
	p, err := multigridRead("poisson2d,n=5", pool)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range strings.Split("default"+ablation, ";") {
		if _, _, err := p.variant(v); err != nil {
			t.Errorf("%s: %v", v, err)
		}
	}
	if _, _, err := p.variant("default,speed=1"); err == nil {
		t.Error("no error for an unknown key")
	}
	if _, err := multigridRead("poisson2d,n=x", pool); err == nil {
		t.Error("no error for a bad number")
	}
	if s := p.line("poisson2d", "default", 100); !strings.HasPrefix(s, "| poisson2d | default | ") {
		t.Errorf("the line is %s", s)
	}
}
