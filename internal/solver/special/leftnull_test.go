package special

import (
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// Factors for a verdict are not begun where their bet says that they are too dear, or where others of as many rows were.
func TestDearFactors(t *testing.T) {
	const n = 100
	m := testsupport.Entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, 2)
			if i > 0 {
				add(i, i-1, -1)
			}
		}
	})
	search := func(w choice.Workload) EvidenceSearch {
		p := &refine.Problem{System: choice.System{Matrix: features.Matrix{M: m, Given: m}, Weighed: features.Once[choice.Workload]{Known: true, Value: w}}}
		return EvidenceSearch{Solution: &refine.Solution{S: p, Ctx: t.Context()}}
	}
	cheap := search(choice.Workload{N: n, Nnz: 2 * n})
	if cheap.factor(m) == nil {
		t.Error("cheap factors are refused")
	}
	if cheap.Dear = n + 1; cheap.factor(m) == nil {
		t.Error("factors are refused since larger ones were")
	}
	if cheap.Dear = n; cheap.factor(m) != nil {
		t.Error("factors are begun though others of as many rows were too dear")
	}
	dear := search(choice.Workload{N: 1e6, Nnz: 1e7})
	if dear.Reason = krylov.Singular; dear.factor(m) == nil {
		t.Error("factors for a verdict that an x is none are refused by a bet")
	}
	if dear.Reason = krylov.Converged; dear.factor(m) != nil {
		t.Error("factors are begun though their bet is too dear")
	}
}

// Rows in which a contradiction has been sought are not searched again: elimination takes far longer than the solve where a dense matrix has many null vectors.
func TestRowsTriedOnce(t *testing.T) {
	const n = 6
	m := testsupport.Entries(n+1, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, 4)
			add(i, (i+2)%n, 1)
		}
		add(n, 0, 8) // twice the first row
		add(n, 2, 2)
	})
	p := &refine.Problem{System: choice.System{Matrix: features.Matrix{M: m, Given: m}}}
	a := EvidenceSearch{Solution: &refine.Solution{S: p, Ctx: t.Context(), Given: []float64{1, 0, 0, 0, 0, 0, 1}}}
	var tried [][]int32
	y, scaled := []float64{2, 0, 0, 0, 0, 0, -1}, []float64{-4, 0, 0, 0, 0, 0, 2}
	if v := a.supported(y, &tried); v == nil || len(tried) != 1 {
		t.Errorf("evidence %+v in the rows %v", v, tried)
	}
	if v := a.supported(scaled, &tried); v != nil || len(tried) != 1 {
		t.Errorf("evidence %+v in the rows %v, tried again", v, tried)
	}
}
