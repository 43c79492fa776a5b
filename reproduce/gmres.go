package reproduce

import (
	"context"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Labels of GMRES in adaptive precision.
const (
	productLabel = "product"
	basisLabel   = "basis"
	restartLabel = "restart"
)

// Products of GMRES: with the matrix in FP64; with AFX at 2^-24, refined; relaxed, see adaptive.Graded.
const (
	plainProduct   = "FP64"
	refinedProduct = "refined"
	relaxedProduct = "relaxed"
)

// plainBasis is a basis in FP64, orthogonalised by modified Gram-Schmidt.
const plainBasis = "vectors"

// gradedEpsilons are the accuracies of the parts of the matrix for relaxed products.
var gradedEpsilons = []float64{0x1p-12, 0x1p-24, 0x1p-53}

// refinedTol is the reduction of the residual in a step of refinement: about what AFX at 2^-24 allows.
const refinedTol = 0x1p-16

// inexactGMRES is the kind of measurement of restarted GMRES whose products or basis are less accurate than FP64
// where the theory of inexact Krylov methods allows it, relative to plain GMRES. Rows are scaled and b is chosen as
// for solves.
func inexactGMRES() kind {
	return kind{
		name: "gmres", text: "restarted GMRES with relaxed products or a basis in fewer bits, from x = 0 to a normwise backward error of 1e-12", matrix: true,
		labels: []label{
			{productLabel, plainProduct, oneOf(plainProduct, refinedProduct, relaxedProduct)},
			{basisLabel, plainBasis, oneOf(plainBasis, string(linop.BasisFP64), string(linop.BasisFP32), string(linop.BasisINT16), string(linop.BasisAdaptive))},
			{restartLabel, "40", positive},
			{"max_iter", "2000", positive},
		},
		values: append([]string{
			"iterations", "converged", "backward_error", "seconds", "iteration_seconds", "bytes",
			"matrix_read", "basis_read", "read", "basis_storage", "time_plain",
		}, quartiles("time_plain")...),
		cost: func(p point, nnz float64) float64 {
			limit, _ := strconv.ParseFloat(p["max_iter"], 64) // was checked
			return min(limit, 500) * nnz * 3e-9
		},
		together: func(p point) string { return p[restartLabel] + " " + p["max_iter"] },
		measure:  measureGMRES,
	}
}

// gmresRounds is how often each solve is timed; one solve takes long.
const gmresRounds = 3

func measureGMRES(ctx context.Context, in input, points []point) error {
	s := newSystem(in.matrix, "rowmax", in.pool)
	plain := point{productLabel: plainProduct, basisLabel: plainBasis, restartLabel: points[0][restartLabel], "max_iter": points[0]["max_iter"]}
	all := append([]point{plain}, points...)
	runs := make([]*gmresRun, len(all))
	var cases []lab.Case
	for k, p := range all {
		run, err := s.gmres(p)
		if err != nil {
			return in.emitReason(err.Error(), points...)
		}
		runs[k] = run
		cases = append(cases, lab.Case{Run: func() { run.solve(ctx) }})
	}
	timing := in.timing()
	timing.Repeat = min(timing.Repeat, gmresRounds)
	times, err := timing.Measure(ctx, cases...)
	if err != nil {
		return err
	}
	for k, p := range points {
		r, err := runs[k+1].result(runs[0])
		if err != nil {
			return err
		}
		r.values["seconds"] = times[k+1].Median
		r.values["iteration_seconds"] = times[k+1].Median / max(1, r.values["iterations"])
		relative(r.values, "time_plain", times[k+1], times[0])
		if err := in.emit(p, r); err != nil {
			return err
		}
	}
	return nil
}

// gmresRun is a solve, with the outcome of its last run.
type gmresRun struct {
	s        *system
	method   krylov.Method[vector, scalar]
	operator linop.Operator[vector, scalar]
	bytes    func() int64 // of the matrix that products have read so far; nil: each product reads the whole matrix
	stored   int64        // of the matrix
	packed   bool
	restart  int
	limit    int
	tol      float64 // of a step

	x                   vector
	products, residuals int
	read                int64
	total               krylov.Result
}

// gmres prepares a solve of the system.
func (s *system) gmres(p point) (*gmresRun, error) {
	restart, _ := strconv.Atoi(p[restartLabel]) // was checked
	limit, _ := strconv.Atoi(p["max_iter"])
	opt := krylov.GMRESOptions{Restart: restart}
	if p[basisLabel] != plainBasis {
		opt.Basis = linop.BasisFormat(p[basisLabel])
	}
	g := &gmresRun{
		s: s, method: krylov.NewGMRES(s.host, opt), x: s.host.New(), packed: opt.Basis != "", restart: restart, limit: limit, tol: solveTol,
	}
	var err error
	switch p[productLabel] {
	case refinedProduct:
		g.tol = refinedTol
		var a adaptive.Matrix
		if a, err = adaptive.Build(s.m, adaptive.Spec{Set: mustSet("AFX"), Epsilon: 0x1p-24, Criterion: adaptive.CW}, s.pool); err == nil {
			g.operator, g.stored = a, a.Bytes()
		}
	case relaxedProduct:
		var a adaptive.Graded
		if a, err = adaptive.BuildGraded(s.m, gradedEpsilons, adaptive.Spec{}, s.pool); err == nil {
			g.operator, g.stored, g.bytes = a, a.Bytes(), a.Read
		}
	default:
		g.operator, g.stored = linop.NewCSR(s.m, s.pool), s.m.Bytes()
	}
	return g, err
}

// mustSet returns the set of a name that exists.
func mustSet(name string) adaptive.Set {
	set, err := adaptive.LookupSet(name)
	if err != nil {
		panic(err)
	}
	return set
}

// solve solves from x = 0: each step is GMRES with many cycles, and residuals with the FP64 matrix come between the
// steps.
func (g *gmresRun) solve(ctx context.Context) {
	s, exact := g.s, linop.NewCSR(g.s.m, g.s.pool)
	r, d := s.host.New(), s.host.New()
	s.host.Zero(g.x)
	s.host.Copy(r, s.b)
	g.total, g.products, g.residuals, g.read = krylov.Result{}, 0, 0, 0
	before := int64(0)
	if g.bytes != nil {
		before = g.bytes()
	}
	for error, last := 1.0, 2.0; error > solveSpare*solveTol && error < last && g.total.Iterations < g.limit; {
		got := g.method.Solve(ctx, g.operator, d, r, krylov.Options[vector]{
			Tol: max(g.tol, solveTol/2/error), MaxIter: g.limit - g.total.Iterations,
			Measure: g.measure(error),
		})
		g.total.Iterations += got.Iterations
		g.total.Projections += got.Projections
		g.total.Basis.Elements += got.Basis.Elements
		g.total.Basis.Bytes += got.Basis.Bytes
		g.total.Basis.Read += got.Basis.Read
		g.products += got.Iterations + (got.Iterations+g.restart-1)/g.restart // and one residual per cycle
		s.host.Axpy(1, d, g.x)
		exact.Residual(r, s.b, g.x)
		g.residuals++
		last, error = error, s.backwardError(g.x, r)
	}
	g.read = int64(g.products) * g.stored
	if g.bytes != nil {
		g.read = g.bytes() - before
	}
	g.read += int64(g.residuals) * s.m.Bytes()
}

// measure returns a function of d and the residual of x + d: the backward error of x + d over before, the error of x.
func (g *gmresRun) measure(before float64) krylov.Measure[vector] {
	x := g.s.host.New()
	return func(d, r vector) float64 {
		g.s.host.Copy(x, g.x)
		g.s.host.Axpy(1, d, x)
		return g.s.backwardError(x, r) / before
	}
}

// result returns the outcome, relative to a plain solve.
func (g *gmresRun) result(plain *gmresRun) (result, error) {
	r := result{values: map[string]float64{"converged": 0}, notes: map[string]string{"rhs": "b = A x, x uniform in [-1, 1)"}}
	errs, err := verify.Compute(g.s.m, g.x, g.s.b, g.s.pool)
	if err != nil {
		return r, err
	}
	if errs.Normwise <= solveTol {
		r.values["converged"] = 1
	}
	r.values["iterations"], r.values["backward_error"] = float64(g.total.Iterations), errs.Normwise
	r.values["basis_storage"] = g.basisStorage()
	r.values["bytes"] = float64(g.stored) + 8*float64(g.restart*g.s.m.Rows)*g.basisStorage()
	r.values["matrix_read"], r.values["basis_read"] = float64(g.read), g.basisRead()
	r.values["read"] = (float64(g.read) + g.basisRead()) / (float64(plain.read) + plain.basisRead())
	if a, ok := g.operator.(adaptive.Matrix); ok {
		r.notes["layout"] = strings.SplitN(a.LayoutText(), ";", 2)[0]
	}
	return r, nil
}

// basisStorage returns the storage of the basis, relative to FP64.
func (g *gmresRun) basisStorage() float64 {
	if !g.packed || g.total.Basis.Elements == 0 {
		return 1
	}
	return float64(g.total.Basis.Bytes) / (8 * float64(g.total.Basis.Elements))
}

// basisRead returns the bytes of the basis that projections have read and written: modified Gram-Schmidt reads each
// vector of the basis twice, and reads and writes the new vector each time.
func (g *gmresRun) basisRead() float64 {
	if g.packed {
		return float64(g.total.Basis.Read)
	}
	return 4 * 8 * float64(g.s.m.Rows) * float64(g.total.Projections)
}
