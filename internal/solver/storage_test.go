package solver

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Every set at every accuracy reaches the tolerance that FP64 reaches, by an
// independent measure: reduced precision costs steps, never accuracy.
func TestStorage(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"spd":         rescaled(grid(12, 0, 0), uneven(4), uneven(4)),
		"unsymmetric": rescaled(grid(12, 0.3, 0), uneven(6), uneven(2)),
	} {
		for _, set := range append(packed.Sets(), packed.Set(formatSet("FP32")), packed.Set(formatSet("BF16")), packed.Set(formatSet("AFX16")), packed.Set(formatSet("FP64")), packed.Set(formatSet("exact"))) {
			for _, eps := range []float64{0x1p-53, 0x1p-37, 1e-7, 0x1p-10} {
				t.Run(fmt.Sprint(name, " ", set.Name, " ", eps), func(t *testing.T) {
					r := solved(t, m, rhs(m, 1), nil, solve.Options{Accuracy: solve.Accuracy{Tol: 1e-13}, Storage: solve.Storage{Set: adaptive.Set(set), Epsilon: eps}})
					if r.Bytes <= 0 || len(r.Formats) == 0 || r.Storage.Epsilon <= 0 {
						t.Errorf("%d bytes in %v at %g", r.Bytes, r.Formats, r.Storage.Epsilon)
					}
				})
			}
		}
	}
}

// An ill-conditioned matrix for which 2^-10 is not enough: the precision is
// raised, and said.
func TestPrecisionIsRaised(t *testing.T) {
	m := rescaled(grid(20, 0, -0.0446), same(1), same(1)) // nearly singular
	var log logged
	r := solved(t, m, rhs(m, 1), nil, log.options(solve.Options{Precond: solve.Precond{Kind: precond.Jacobi}, Storage: solve.Storage{Epsilon: 0x1p-10, Layout: adaptive.Slots}, Accuracy: solve.Accuracy{Tol: 1e-12}}))
	if !log.says("continuing with AFX at epsilon 2^-24") || r.Storage.Epsilon >= 0x1p-10 {
		t.Errorf("ended at %g: %q", r.Storage.Epsilon, log.lines)
	}
}

// The criterion is chosen by symmetry; a requested one stays.
func TestStorageDefaults(t *testing.T) {
	for _, c := range []struct {
		in                  solve.Storage
		symmetric, noRefine bool
		set                 string
		criterion           adaptive.Criterion
	}{
		{solve.Storage{}, true, false, "AFX", adaptive.NW},
		{solve.Storage{}, false, false, "AFX", adaptive.CW},
		{solve.Storage{}, false, true, "FP64", adaptive.CW},
		{solve.Storage{Set: formatSet("AP7"), Criterion: adaptive.CW}, true, true, "AP7", adaptive.CW},
	} {
		got := rules.StorageWithDefaults(c.in, c.symmetric, c.noRefine)
		if got.Set.Name != c.set || got.Criterion != c.criterion || got.Epsilon != rules.DefaultEpsilon {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// The way through the precisions.
func TestNextStorage(t *testing.T) {
	at := func(eps float64) solve.Storage {
		return solve.Storage{Set: formatSet("AFX"), Epsilon: eps, Criterion: adaptive.NW}
	}
	for _, c := range []struct {
		from   solve.Storage
		reason krylov.Reason
		want   string
	}{
		{at(0x1p-10), krylov.Slow, "AFX at epsilon 2^-24, nw"},
		{at(0x1p-24), krylov.Slow, "AFX at epsilon 2^-37, nw"},
		{at(1e-9), krylov.Indefinite, "AFX at epsilon 2^-37, nw"},
		{at(0x1p-37), krylov.Slow, "AFX at epsilon 2^-53, nw"},
		{at(0x1p-53), krylov.Slow, "exact"},
		{at(0x1p-24), krylov.Stagnation, "exact"},
		{solve.Storage{Set: formatSet("AFX"), Epsilon: 0x1p-53, DD: true}, krylov.Slow, "FP64"},
		{solve.Storage{Set: formatSet("FP32"), Epsilon: 0x1p-24}, krylov.Slow, "exact"},
	} {
		next := choice.NextStorage(c.from, c.reason)
		if got := next.String(); got != c.want {
			t.Errorf("%v after %v: %s, want %s", c.from, c.reason, got, c.want)
		}
		if again := choice.StorageAt(c.from, choice.PrecisionOf(next)); !rules.SameStorage(again, next) {
			t.Errorf("a checkpoint makes %v of %v", again, next)
		}
	}
}

// Without refinement, where many products are expected, the matrix is stored without errors in a layout that takes fewer bytes than CSR: slots, or SELL-8 where
// these are the fastest. A requested format stays.
func TestLosslessWithoutRefinement(t *testing.T) {
	m := grid(160, 0, 0)
	for i := range m.Val {
		m.Val[i] += float64(i%7) * 1e-9 // no quantum
	}
	for set, fewer := range map[string]bool{"": true, "FP64": false} {
		opt := solve.Options{Precond: solve.Precond{Kind: precond.Jacobi}, Accuracy: solve.Accuracy{Tol: 1e-8}, Krylov: solve.Krylov{NoRefine: true}}
		if set != "" {
			opt.Storage.Set = formatSet(set)
		}
		r := solved(t, m, rhs(m, 1), nil, opt)
		if kernels.Default().HasFastSlots() && (r.Bytes < m.Bytes()*19/20) != fewer {
			t.Errorf("%q: %d of %d bytes in %v", set, r.Bytes, m.Bytes(), r.Formats)
		}
	}
}

// A format without the range of the matrix is an error.
func TestStorageRange(t *testing.T) {
	m := dense([]float64{1, 1e-5}, []float64{0, 1})
	if _, err := New(t.Context(), m, solve.Options{Storage: solve.Storage{Set: formatSet("RPRE16")}, Scale: solve.ScaleNone}); err == nil {
		t.Error("a format without the range is no error")
	}
}

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
	m := drifting(8000, 3000, 0.2)
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
	if !log.says("scaling none") || strings.Count(strings.Join(log.lines, "\n"), "scaling both") < len(want)-1 { // one right-hand side is zero
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
	m := drifting(8000, 3000, 0.2)
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
