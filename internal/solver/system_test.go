package solver

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// drifting is an unsymmetric matrix of a random graph and a chain, with rows of sizes up to 10^e, on
// which the diagonal alone takes many iterations.
func drifting(nodes, chain int, e float64) *csr.Matrix {
	graph := randomGraph(nodes, 12, 1.1)
	m := entries(nodes+chain, func(add func(i, j int, v float64)) {
		for i := range graph.Rows {
			cols, vals := graph.Row(i)
			for k, j := range cols {
				if add(i, int(j), vals[k]); int(j) > i {
					add(i, int(j), vals[k]/8)
				}
			}
		}
		for i := nodes; i < nodes+chain; i++ {
			if add(i, i, 2); i > nodes {
				add(i, i-1, -1.01)
				add(i-1, i, -0.99)
			}
		}
	})
	return rescaled(m, uneven(e), same(1))
}

// Scaling waits for another preconditioner than the diagonal. Each right-hand side begins without
// it, and a solve that is resumed on either side of it has the same bits.
func TestScalingWaits(t *testing.T) {
	m := drifting(8000, 3000, 2)
	if m.NNZ() < rules.MultigridNonzeros {
		t.Fatalf("%d nonzeros", m.NNZ())
	}
	var log logged
	c := checkpointCase{m: m, opt: log.options(solve.Options{})}
	s := newSolver(t, m, solve.Options{Limits: solve.Limits{Threads: 1}})
	if s.Scale != solve.ScaleNone || !s.Scaled.Identity() || s.Scaled.Matrix() != m {
		t.Errorf("scaling %s, %v", s.Scale, s.Scaled.Identity())
	}
	want := c.solveAll(t, t.Context(), solve.Checkpoints{})
	if !log.says("scaling none") || strings.Count(strings.Join(log.lines, "\n"), "scaling both") != len(want)-1 { // one right-hand side is zero
		t.Errorf("said %q", log.lines)
	}
	for _, r := range want {
		if r.Reason != krylov.ZeroRHS && len(r.Attempts) < 2 {
			t.Fatalf("attempts %+v", r.Attempts)
		}
	}
	var files [][]byte
	c.solveAll(t, t.Context(), solve.Checkpoints{Every: 1, Save: func(k solve.Checkpoint) { files = append(files, file(t, k)) }})
	for _, k := range []int{0, len(files) / 4, len(files) / 2, len(files) - 1} {
		if got := c.solveAll(t, t.Context(), solve.Checkpoints{Resume: saved(t, files[k])}); !sameOutcomes(got, want) {
			t.Errorf("checkpoint %d of %d: another result", k, len(files))
		}
	}
}

// Where rows differ too much, where numbers are near the ends of their range, or where a scaling is
// asked for, it does not wait.
func TestScalingDoesNotWait(t *testing.T) {
	m := drifting(8000, 3000, 2)
	for _, c := range []struct {
		what string
		m    *csr.Matrix
		opt  solve.Options
		want solve.Scale
	}{
		{"rows of very different sizes", rescaled(m, uneven(6), same(1)), solve.Options{}, solve.ScaleBoth},
		{"large numbers", rescaled(m, same(0x1p200), same(1)), solve.Options{}, solve.ScaleBoth},
		{"requested", m, solve.Options{Scale: solve.ScaleRow}, solve.ScaleRow},
		{"another preconditioner", m, solve.Options{Precond: solve.Precond{Kind: precond.ILU0}}, solve.ScaleBoth},
	} {
		if s := newSolver(t, c.m, c.opt); s.Scale != c.want || s.Scaled.Identity() {
			t.Errorf("%s: scaling %s, %v", c.what, s.Scale, s.Scaled.Identity())
		}
	}
}

// A scaling that multiplies all entries by the same power of two makes no copy, unless it is a large
// one.
func TestUniformScaling(t *testing.T) {
	for _, c := range []struct {
		size float64
		none bool
	}{{1, true}, {0x1p20, true}, {0x1p-300, false}} {
		m := rescaled(grid(20, 0, 0), same(c.size), same(1))
		s := newSolver(t, m, solve.Options{})
		if s.Scaled.Identity() != c.none || s.Scale != solve.ScaleSym {
			t.Errorf("size %g: scaling %s, %v", c.size, s.Scale, slices.Max(s.Scaled.Row))
		}
	}
}
