package precond

import (
	"errors"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// path is the Laplacian of a path of n nodes, singular.
func path(t *testing.T, n int) *csr.Matrix {
	return sparse(t, n, func(add func(i, j int, v float64)) {
		for i := 1; i < n; i++ {
			add(i, i, 1)
			add(i-1, i-1, 1)
			add(i, i-1, -1)
			add(i-1, i, -1)
		}
	})
}

func TestCoarseSolver(t *testing.T) {
	m := path(t, 30)
	constant := Constants(30, 1)[0]
	var said []string
	log := func(line string) { said = append(said, line) }
	for name, c := range map[string]struct {
		m        *csr.Matrix
		opt      Options
		singular bool
	}{
		"inverse":        {generated(t, "poisson2d", generate.Params{"n": 7}), Options{Symmetric: true}, false},
		"LU":             {generated(t, "convdiff2d", generate.Params{"n": 7}), Options{}, false},
		"pseudo-inverse": {m, Options{Symmetric: true}, true},
	} {
		said = nil
		c.opt.Log = log
		s, err := newCoarse(c.m, c.opt)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		b, x := random(c.m.Rows, 3), make(vector, c.m.Rows)
		if c.singular { // solved is what has no part in the null space, by what has none
			b = times(c.m, b)
		}
		s.solve(x, b)
		closeTo(t, name, times(c.m, x), b, 1e-12)
		if c.singular {
			if sum := dotted(x, constant); !(sum < 1e-10 && sum > -1e-10) {
				t.Errorf("%s: the solution has a sum of %g", name, sum)
			}
			s.solve(x, constant)
			closeTo(t, name+" of a constant", append(x, 1), append(make(vector, len(x)), 1), 1e-10)
		}
		if got := strings.Join(said, "; "); c.singular != strings.Contains(got, "null space of dimension 1") {
			t.Errorf("%s: said %q", name, got)
		}
	}
	if _, err := newCoarse(&csr.Matrix{}, Options{Symmetric: true}); err != nil {
		t.Errorf("no rows: %v", err)
	}
}

func TestCoarseSolverFailures(t *testing.T) {
	for name, c := range map[string]struct {
		rows      [][]float64
		symmetric bool
		want      error
	}{
		"indefinite":         {[][]float64{{1, 2}, {2, 1}}, true, ErrNotDefinite},
		"negative":           {[][]float64{{-1, 0}, {0, -2}}, true, ErrNotDefinite},
		"zero":               {[][]float64{{0, 0}, {0, 0}}, true, ErrNotDefinite},
		"singular":           {[][]float64{{1, 2}, {2, 4}}, false, ErrSingular},
		"indefinite, by LU":  {[][]float64{{1, 2}, {2, 1}}, false, nil},
		"zero on the d., LU": {[][]float64{{0, 2}, {3, 0}}, false, nil},
	} {
		_, err := newCoarse(fromRows(t, c.rows), Options{Symmetric: c.symmetric, Log: func(string) {}})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}
