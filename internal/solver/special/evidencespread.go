package special

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// seekEvidenceOverDomains looks for evidence over several domains: by complete factors of a matrix that is not large, which each rank
// gathers, and by inverse iteration for a symmetric matrix.
func (a EvidenceSearch) seekEvidenceOverDomains() error {
	if a.S.Rows() <= rules.GatheredRows {
		a.seekGathered()
	}
	if a.Evidence == nil && a.transposed() {
		return a.seekSymmetric()
	}
	if a.Evidence == nil && a.S.Rows() > rules.GatheredRows {
		a.S.Say("verdict %s: whether equations of an unsymmetric matrix contradict each other is not found out over several domains", a.Reason)
	}
	return nil
}

// seekGathered gathers the whole system on each rank, and looks for evidence there.
func (a EvidenceSearch) seekGathered() {
	j := a.S.Job
	m, b := j.Gather(a.B)
	whole := searchIn(a.Ctx, m, b, a.S.Opt, a.S.Pool, a.Make)
	whole.S.Facts, whole.S.Method, whole.Judgement, whole.Reason = a.S.Facts, a.S.Method, a.Judgement, a.Reason
	if m.Rows <= rules.DenseRows {
		whole.keep(strongest(m, b, LeftNullVectors(m)))
	}
	if whole.Evidence == nil {
		whole.keep(strongest(m, b, whole.projectedNull()))
	}
	if v := whole.Evidence; v != nil {
		v.Y, a.Evidence = over(j, a.S.Pool).ownOf(v.Y), v
	}
}

// searchIn returns a search in a system without a solver.
func searchIn(ctx context.Context, m *csr.Matrix, b []float64, opt solve.Options, pool *parallel.Pool, make maker) EvidenceSearch {
	s := new(refine.Problem)
	s.Given, s.M, s.Opt, s.Pool, s.Known = m, m, opt, pool, new(features.KnownParts)
	return EvidenceSearch{&refine.Solution{S: s, Ctx: ctx, Vectors: linop.NewHost(m.Rows, pool), Given: b}, make, false}
}

// seekSymmetric looks for evidence by inverse iteration with a symmetric matrix.
func (a EvidenceSearch) seekSymmetric() error {
	found, err := a.inverseIteration()
	if err != nil {
		return err
	}
	for _, y := range found {
		found = append(found, a.withoutSmall(y))
	}
	by := over(a.S.Job, a.S.Pool)
	for _, y := range found {
		if v := by.weigh(y, a.B); Shows(v, a.S.Rows()) && a.believes(&v) {
			a.Evidence = &v
		}
	}
	return nil
}

// withoutSmall returns y without elements that may be roundings of the largest ones, such as those in parts that are not singular.
func (a EvidenceSearch) withoutSmall(y []float64) []float64 {
	least, large := smallElement*a.Vectors.AbsMax(y), a.Vectors.New()
	a.Vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if math.Abs(y[i]) > least {
				large[i] = y[i]
			}
		}
	})
	return large
}
