package reproduce

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// solves is the kind of Krylov methods within iterative refinement, section 3.5 of
// [Molina24]: corrections with a stored matrix, residuals in FP64, rows scaled by
// their largest magnitudes.
//
// What the thesis does not say was chosen: b is A x for an x that is uniform in
// [-1, 1); a solve ends when the normwise backward error of the scaled system is at
// most 1e-12, which the errors in its tables suggest.
func solves() kind {
	return kind{
		name: "solve", matrix: true,
		labels: []label{
			{"solver", "gmres40", oneOf(solverNames...)},
			{"formats", "FP32", func(w string) error { return second(adaptive.LookupSet(w)) }},
			{"epsilon", "2^-24", func(w string) error { return second(adaptive.ParseEpsilon(w)) }},
			{"criterion", "none", oneOf("nw", "cw", "none")}, // none: of a uniform format
			{"scaling", "rowmax", oneOf("rowmax", "none")},
			{"rounding", "paper", oneOf("paper", "own")},
			{"arithmetic", "fp64", oneOf("fp64", "storage")},
			{"layout", "auto", checkLayout},
			{"max_iter", "4000", func(w string) error { return second(maxIterations(w)) }},
		},
		values: []string{
			"seconds", "spmv_seconds", "iterations", "steps", "backward_error", "converged",
			"bytes", "bytes_per_nnz", "storage", "storage_fp32",
		},
		measure: measureSolves,
	}
}

const (
	// solveTol is the normwise backward error that has converged; the residual in
	// FP64 is to meet it with something to spare.
	solveTol   = 1e-12
	solveSpare = 0.99

	quickIterations = 1000 // at most, in a quick run
)

// second is the error of a pair.
func second[T any](_ T, err error) error { return err }

func checkLayout(w string) error {
	if w == "auto" || w != "" && slices.Contains(adaptive.Layouts, adaptive.Layout(w)) {
		return nil
	}
	return fmt.Errorf("unknown layout %q", w)
}

func maxIterations(w string) (int, error) {
	n, err := strconv.Atoi(w)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("max_iter: %q is not a positive number", w)
	}
	return n, nil
}

// storageLabels tell all that the stored matrix depends on, the first of them all
// that the system does.
var storageLabels = []string{"scaling", "formats", "epsilon", "criterion", "rounding", "arithmetic", "layout"}

func (p point) storageKey() string {
	var words []string
	for _, name := range storageLabels {
		words = append(words, p[name])
	}
	return strings.Join(words, " ")
}

// measureSolves stores each matrix once, for all solvers, before the clock starts.
func measureSolves(ctx context.Context, in input, points []point) error {
	if in.matrix.Rows != in.matrix.Cols {
		return fmt.Errorf("a matrix of %d x %d: want a square one", in.matrix.Rows, in.matrix.Cols)
	}
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(p, q point) int { return strings.Compare(p.storageKey(), q.storageKey()) })
	var s *system
	var stored *adaptive.Matrix
	var failed error // to store
	for i, p := range points {
		in.progress(fmt.Sprintf("%s with %s %s %s", p["solver"], p["formats"], p["epsilon"], p["criterion"]))
		if err := ctx.Err(); err != nil {
			return err
		}
		if i == 0 || p["scaling"] != points[i-1]["scaling"] {
			s = newSystem(in.matrix, p["scaling"] == "rowmax", in.pool)
		}
		if i == 0 || p.storageKey() != points[i-1].storageKey() {
			stored, failed = s.store(p)
		}
		r := result{values: map[string]float64{"converged": 0}, notes: map[string]string{}}
		if failed != nil {
			r.notes["reason"] = failed.Error()
		} else if err := s.measure(ctx, p, stored, in.quick, &r); err != nil {
			return err
		}
		if err := in.emit(p, r); err != nil {
			return err
		}
	}
	return nil
}

// system is the one to be solved, scaled, in FP64.
type system struct {
	m            *csr.Matrix
	b            []float64
	normA, normB float64 // infinity norms
	pool         *linop.Pool
	host         *linop.Host
	methods      map[string]krylov.Method[vector, scalar]
}

type (
	vector = []float64
	scalar = linop.Float64
)

// newSystem scales the rows of m, if asked to, by their largest magnitudes.
func newSystem(m *csr.Matrix, scaled bool, pool *linop.Pool) *system {
	if scaled {
		m = m.Clone()
		for i, d := range m.RowMax(pool) {
			_, vals := m.Row(i)
			for k := range vals {
				if d != 0 {
					vals[k] /= d
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 0))
	x := make([]float64, m.Cols)
	for j := range x {
		x[j] = 2*rng.Float64() - 1
	}
	s := &system{
		m: m, b: make([]float64, m.Rows), normA: kernels.AbsMax(m.RowSums(pool)),
		pool: pool, host: linop.NewHost(m.Rows, pool), methods: map[string]krylov.Method[vector, scalar]{},
	}
	m.MulVec(s.b, x)
	s.normB = kernels.AbsMax(s.b)
	return s
}

// store stores the matrix of the system. Uniform formats are rounded to nearest.
func (s *system) store(p point) (*adaptive.Matrix, error) {
	set, err := adaptive.LookupSet(p["formats"])
	if err != nil {
		return nil, err
	}
	epsilon, err := adaptive.ParseEpsilon(p["epsilon"])
	if err != nil {
		return nil, err
	}
	spec := adaptive.Spec{Set: set, Epsilon: epsilon}
	if set.Uniform != (p["criterion"] == "none") {
		return nil, errors.New("a set of formats needs a criterion, a uniform format has none")
	}
	if !set.Uniform {
		spec.Criterion = adaptive.Criterion(p["criterion"])
	}
	if set.Name != "AFX" { // which is in no paper
		spec.PaperExact = p["rounding"] == "paper" && !set.Uniform
		spec.StorageArithmetic = p["arithmetic"] == "storage"
	}
	if p["layout"] != "auto" {
		spec.Layout = adaptive.Layout(p["layout"])
	}
	return adaptive.Build(s.m, spec, s.pool)
}

// measure solves the system once and fills in r what came of it. It is an error if
// it was interrupted.
func (s *system) measure(ctx context.Context, p point, stored *adaptive.Matrix, quick bool, r *result) error {
	limit, err := maxIterations(p["max_iter"])
	if err != nil {
		return err
	}
	if quick {
		limit = min(limit, quickIterations)
		r.notes["max_iter"] = strconv.Itoa(limit)
	}
	x := make([]float64, s.m.Cols)
	got := s.refine(ctx, p["solver"], stored, x, limit)
	if err := ctx.Err(); err != nil {
		return err
	}
	errs, err := verify.Compute(s.m, x, s.b, s.pool)
	if err != nil {
		return err
	}
	r.values["seconds"], r.values["spmv_seconds"] = got.seconds, got.spmvSeconds
	r.values["iterations"], r.values["steps"] = float64(got.iterations), float64(got.steps)
	r.values["backward_error"] = errs.Normwise
	if errs.Normwise <= solveTol {
		r.values["converged"] = 1
	}
	storageOf(r.values, s.m, stored.Bytes())
	r.series = got.history.series()
	r.notes["reason"] = got.reason.String()
	r.notes["layout"] = stored.LayoutText()
	r.notes["rhs"] = "b = A x, x uniform in [-1, 1)"
	return nil
}
