package krylov

import (
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// counting is the space of the host, with the number of vectors that it has made.
type counting struct {
	linop.Host
	vectors int
}

func (c *counting) New() []float64 {
	c.vectors++
	return c.Host.New()
}

// The table is right about the names of the methods, and about their memory.
func TestKinds(t *testing.T) {
	const n = 64
	pool := newPool(t, 1)
	second := band(n, -1, 2, -1)
	a := linop.NewCSR(second, pool)
	for _, k := range Methods {
		for _, opt := range preconditionings(second, pool) {
			for _, gmres := range []GMRESOptions{{}, {Restart: 5}, {Restart: 2, MaxRestart: 7}, {Restart: math.MaxInt}} {
				space := &counting{Host: linop.NewHost(n, pool)}
				m, err := New[[]float64, linop.Float64](k.Name, space, MethodOptions{GMRES: gmres})
				if err != nil || m.Name() != k.Name {
					t.Fatalf("%s: %v, %v", k.Name, m, err)
				}
				opt.Tol, opt.MaxIter, opt.Measure = 1e-290, 200, func(_, _ []float64) float64 { return 1 }
				m.Solve(t.Context(), a, space.Host.New(), random(1, n), opt)
				want := k.Vectors(n, Use{MethodOptions{GMRES: gmres}, opt.Precond != nil, opt.Flexible})
				if _, own := opt.Precond.(*scaled32); own && k.Name == "cg" {
					want-- // z is the preconditioner's
				}
				if space.vectors != want {
					t.Errorf("%s, %+v: %d vectors, the table says %d", k.Name, gmres, space.vectors, want)
				}
			}
		}
		if found, ok := KindOf(k.Name); !ok || found.Summary != k.Summary || k.Summary == "" {
			t.Errorf("KindOf(%q) = %+v, %v", k.Name, found, ok)
		}
	}
	if _, ok := KindOf("sor"); ok {
		t.Error("KindOf finds what there is not")
	}
	if _, err := New[[]float64, linop.Float64]("sor", linop.NewHost(1, pool), MethodOptions{}); err == nil {
		t.Error("New makes a method that there is not")
	}
}
