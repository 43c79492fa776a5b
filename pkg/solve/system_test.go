package solve

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
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
	if m.NNZ() < multigridNonzeros {
		t.Fatalf("%d nonzeros", m.NNZ())
	}
	var log logged
	c := checkpointCase{m: m, opt: log.options(Options{})}
	s := newSolver(t, m, Options{Threads: 1})
	if s.Scale != ScaleNone || !s.scaled.Identity() || s.scaled.matrix() != m {
		t.Errorf("scaling %s, %v", s.Scale, s.scaled.Identity())
	}
	want := c.solveAll(t, t.Context(), Checkpoints{})
	if !log.says("scaling none") || strings.Count(strings.Join(log.lines, "\n"), "scaling both") != len(want)-1 { // one right-hand side is zero
		t.Errorf("said %q", log.lines)
	}
	for _, r := range want {
		if r.Reason != krylov.ZeroRHS && len(r.Attempts) < 2 {
			t.Fatalf("attempts %+v", r.Attempts)
		}
	}
	var files [][]byte
	c.solveAll(t, t.Context(), Checkpoints{Every: 1, Save: func(k *Checkpoint) { files = append(files, file(t, k)) }})
	for _, k := range []int{0, len(files) / 4, len(files) / 2, len(files) - 1} {
		if got := c.solveAll(t, t.Context(), Checkpoints{Resume: saved(t, files[k])}); !sameOutcomes(got, want) {
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
		opt  Options
		want Scale
	}{
		{"rows of very different sizes", rescaled(m, uneven(6), same(1)), Options{}, ScaleBoth},
		{"large numbers", rescaled(m, same(0x1p200), same(1)), Options{}, ScaleBoth},
		{"requested", m, Options{Scale: ScaleRow}, ScaleRow},
		{"another preconditioner", m, Options{Precond: Precond{Kind: precond.ILU0}}, ScaleBoth},
	} {
		if s := newSolver(t, c.m, c.opt); s.Scale != c.want || s.scaled.Identity() {
			t.Errorf("%s: scaling %s, %v", c.what, s.Scale, s.scaled.Identity())
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
		s := newSolver(t, m, Options{})
		if s.scaled.Identity() != c.none || s.Scale != ScaleSym {
			t.Errorf("size %g: scaling %s, %v", c.size, s.Scale, slices.Max(s.scaled.Row))
		}
	}
}
