package reproduce

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// solves is the kind of measurement of Krylov methods within iterative refinement, section 3.5 of [Molina24]:
// corrections with a stored matrix, residuals in FP64, rows scaled by their largest magnitudes.
//
// With the scaling "outside", the matrix is stored unscaled, and the method sees scaled rows, D^-1 A~ d = D^-1 r: the
// normwise criterion drops what is small beside the norm of the unscaled matrix, including whole rows. Backward
// errors are with respect to the unscaled matrix.
//
// The thesis leaves open, and we chose: b is A x for an x uniform in [-1, 1); a solve ends when the normwise backward
// error of the scaled system is at most 1e-12, which the errors in the thesis' tables suggest.
func solves() kind {
	return kind{
		name: "solve", text: "a Krylov method within iterative refinement, from x = 0 to a normwise backward error of 1e-12", matrix: true,
		labels: []label{
			{"solver", "gmres40", oneOf(solverNames()...)},
			{formatsLabel, "FP32", formatSets},
			{epsilonLabel, "2^-24", epsilons},
			{criterionLabel, "none", oneOf("nw", "cw", "none")}, // none: for a uniform format
			{scalingLabel, "rowmax", oneOf("rowmax", "outside", "none")},
			{roundingLabel, "paper", oneOf("paper", "own")},
			{arithmeticLabel, "fp64", oneOf("fp64", "storage")},
			{"max_iter", "4000", positive},
		},
		values:   append([]string{"iterations", "steps", "converged", "backward_error", "relative_residual", "forward_error", "seconds", "spmv_seconds", "iteration_seconds"}, storageValues...),
		exists:   solveExists,
		cost:     solveCost,
		together: point.storageKey,
		measure:  measureSolves,
	}
}

// scalingLabel says how rows are scaled.
const scalingLabel = "scaling"

const (
	// solveTol is the normwise backward error at which a solve has converged; the residual in FP64 meets it with a
	// margin.
	solveTol   = 1e-12
	solveSpare = 0.99

	quickIterations = 1000 // at most, in a quick run
)

// solveExists reports whether a combination exists: a uniform format has its own accuracy and no criterion.
func solveExists(p point) bool {
	return (p[criterionLabel] == "none") == p.uniform() && storedExists(p)
}

// solveCost is the cost of a solve that takes about a third of the iterations allowed.
func solveCost(p point, nnz float64) float64 {
	limit, _ := strconv.ParseFloat(p["max_iter"], 64) // was checked
	return 2e-3 + limit*lookupSolver(p["solver"]).seconds*nnz
}

// storageKey returns a key of everything that the stored matrix depends on.
func (p point) storageKey() string {
	var words []string
	for _, name := range []string{scalingLabel, formatsLabel, epsilonLabel, criterionLabel, roundingLabel, arithmeticLabel} {
		words = append(words, p[name])
	}
	return strings.Join(words, " ")
}

// measureSolves stores the matrix once for all solvers, before the clock starts.
func measureSolves(ctx context.Context, in input, points []point) error {
	if in.matrix.Rows != in.matrix.Cols {
		return fmt.Errorf("a matrix of %d x %d: want a square one", in.matrix.Rows, in.matrix.Cols)
	}
	s := newSystem(in.matrix, points[0][scalingLabel], in.pool)
	stored, failed := s.store(points[0])
	for _, p := range points {
		if in.late() {
			return nil
		}
		in.progress(p.text())
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

// system is the system to be solved, scaled, in FP64.
type system struct {
	m            *csr.Matrix
	b, exact     []float64
	factors      []float64 // of the rows, applied outside of m; nil if there are none
	normA, normB float64   // infinity norms
	pool         *parallel.Pool
	host         linop.Host
	methods      map[string]krylovMethod // by name: they keep their vectors for later solves
}

type (
	vector = []float64
	scalar = linop.Float64
)

// newSystem scales the rows of m by their largest magnitudes, in m or outside of it.
func newSystem(m *csr.Matrix, scaling string, pool *parallel.Pool) *system {
	s := &system{
		exact: make([]float64, m.Cols), b: make([]float64, m.Rows),
		pool: pool, host: linop.NewHost(m.Rows, pool), methods: map[string]krylovMethod{},
	}
	switch scaling {
	case "rowmax":
		m = m.Clone()
		for i, d := range m.RowMax(pool) {
			_, vals := m.Row(i)
			for k := range vals {
				if d != 0 {
					vals[k] /= d
				}
			}
		}
	case "outside":
		s.factors = m.RowMax(pool)
		for i, d := range s.factors {
			s.factors[i] = 1
			if d != 0 {
				s.factors[i] = 1 / d
			}
		}
	}
	s.m, s.normA = m, kernels.AbsMax(m.RowSums(pool))
	rng := rand.New(rand.NewPCG(1, 0))
	for j := range s.exact {
		s.exact[j] = 2*rng.Float64() - 1
	}
	m.MulVec(s.b, s.exact)
	s.normB = kernels.AbsMax(s.b)
	return s
}

// store stores the matrix of the system.
func (s *system) store(p point) (adaptive.Matrix, error) {
	spec, err := p.spec()
	if err != nil {
		return nil, err
	}
	_, a, err := store(s.m, spec, s.pool)
	return a, err
}

// measure solves the system once and fills in r. It returns an error if it was interrupted.
func (s *system) measure(ctx context.Context, p point, stored adaptive.Matrix, quick bool, r *result) error {
	limit, _ := strconv.Atoi(p["max_iter"]) // was checked
	if quick {
		limit = min(limit, quickIterations)
		r.notes["max_iter"] = strconv.Itoa(limit)
	}
	x := make([]float64, s.m.Cols)
	got := s.refine(ctx, lookupSolver(p["solver"]), stored, x, limit)
	if err := ctx.Err(); err != nil {
		return err
	}
	errs, err := verify.Compute(s.m, x, s.b, s.pool)
	if err != nil {
		return err
	}
	r.values["seconds"], r.values["spmv_seconds"] = got.seconds, got.spmvSeconds
	r.values["iteration_seconds"] = got.seconds / float64(max(got.iterations, 1))
	r.values["iterations"], r.values["steps"] = float64(got.iterations), float64(got.steps)
	r.values["backward_error"] = errs.Normwise
	r.values["relative_residual"], r.values["forward_error"] = s.errors(x)
	if errs.Normwise <= solveTol {
		r.values["converged"] = 1
	}
	storageOf(r.values, s.m, stored.Bytes())
	r.series = got.history.series()
	r.notes["reason"] = got.reason.String()
	r.notes["layout"] = string(stored.Layout())
	r.notes["rhs"] = "b = A x, x uniform in [-1, 1)"
	return nil
}

// errors returns, in the infinity norm, the residual of x relative to b, and the error of x relative to the solution.
func (s *system) errors(x vector) (residual, forward float64) {
	r := slices.Clone(s.b)
	linop.NewCSR(s.m, s.pool).Residual(r, s.b, x)
	residual = kernels.AbsMax(r) / s.normB
	for j, v := range s.exact {
		r[j] = x[j] - v
	}
	return residual, kernels.AbsMax(r) / kernels.AbsMax(s.exact)
}
