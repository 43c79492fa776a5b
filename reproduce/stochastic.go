package reproduce

import (
	"context"
	"math"
	"strconv"

	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

const toleranceLabel = "tolerance"

var tolerances = domain{"a row-wise backward error, such as 1e-10, or roundings", func(w string) error {
	if w == roundings {
		return nil
	}
	_, err := strconv.ParseFloat(w, 64)
	return err
}}

// roundings is the tolerance of a solve that continues until only roundings are left.
const (
	roundings    = "roundings"
	roundingsTol = 0x1p-50
)

func (p point) tolerance() float64 {
	if p[toleranceLabel] == roundings {
		return roundingsTol
	}
	tol, _ := strconv.ParseFloat(p[toleranceLabel], 64) // was checked
	return tol
}

// stochasticSolves is the kind of measurement of solves in discrete stochastic arithmetic, whose digits are compared
// with the correct ones: the digits shared with a reference solve that claims 14 digits itself.
func stochasticSolves() kind {
	return kind{
		name: "stochastic", text: "digits that three solves with random rounding have in common (CESTAC), beside those that are right", matrix: true,
		labels: []label{{toleranceLabel, "1e-10", tolerances}, {"precond", "auto", oneOf("auto", "jacobi", "none")}},
		values: []string{"cestac_digits", "right_digits", "believed_digits", "right_ordinary", "zeros", "cancellations", "iterations", "converged"},
		cost:   func(_ point, nnz float64) float64 { return 0.1 + 2e-5*nnz },
		measure: func(ctx context.Context, in input, points []point) error {
			for _, p := range points {
				r, err := stochasticDigits(ctx, in.matrix, p)
				if err != nil {
					return err
				}
				if err := in.emit(p, r); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// mostRight is the count for agreement in all digits. The reference must claim one digit less.
const mostRight = 15

func stochasticDigits(ctx context.Context, m *csr.Matrix, p point) (result, error) {
	b := generate.RandomRHS(m, 1)
	r := result{values: map[string]float64{"converged": 0}, notes: map[string]string{"rhs": "b = A x, x uniform in [-1, 1)"}}
	none := func(why string) (result, error) {
		r.notes["reason"] = why
		return r, nil
	}
	reference, err := solved(ctx, m, b, solve.Options{Accuracy: solve.Accuracy{Digits: mostRight}})
	if err != nil || reference.Digits.Believed < mostRight-1 {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		return none("no reference with 14 digits")
	}
	opt := solve.Options{Accuracy: solve.Accuracy{Tol: p.tolerance()}, Precond: solve.Precond{Kind: precond.Kind(p["precond"])}}
	ordinary, err := solved(ctx, m, b, opt)
	if err != nil {
		return none(err.Error())
	}
	three, err := lab.SolveStochastic(ctx, m, b, nil, opt, 1)
	if err != nil || ctx.Err() != nil {
		return r, ctx.Err()
	}
	r.notes["reason"], r.notes["method"] = three.Reason.String(), three.Method+" "+three.Precond.Text
	if three.Reason.Converged() {
		r.values["converged"] = 1
	}
	zeros := 0
	for _, d := range three.Significant() {
		if d == 0 {
			zeros++
		}
	}
	r.values["cestac_digits"] = math.Min(mostRight, lab.LargestDigits(three.Samples))
	r.values["right_digits"] = agreement(three.X, reference.X)
	r.values["believed_digits"], r.values["right_ordinary"] = float64(ordinary.Digits.Believed), agreement(ordinary.X, reference.X)
	r.values["zeros"] = float64(zeros) / float64(m.Rows)
	r.values["cancellations"], r.values["iterations"] = float64(three.Unstable.Cancellations), float64(three.Iterations)
	return r, nil
}

func solved(ctx context.Context, m *csr.Matrix, b []float64, opt solve.Options) (solve.Result, error) {
	s, err := solver.New(ctx, m, opt)
	if err != nil {
		return solve.Result{}, err
	}
	defer s.Close()
	return s.Solve(ctx, b, nil)
}

// agreement returns the number of digits, relative to the largest elements, that x shares with other.
func agreement(x, other []float64) float64 {
	var worst, size float64
	for i, v := range other {
		worst, size = math.Max(worst, math.Abs(x[i]-v)), math.Max(size, math.Abs(v))
	}
	return math.Max(0, math.Min(mostRight, -math.Log10(worst/size)))
}

// formatSearches is the kind of measurement of searches for storage formats by delta debugging, with the diagonal as
// preconditioner.
func formatSearches() kind {
	return kind{
		name: "formats", text: "the cheapest storage formats of the parts of a solve, by delta debugging (PROMISE)", matrix: true,
		labels: []label{{toleranceLabel, "1e-10", tolerances}},
		values: []string{"moved_fp64", "solves", "fp64_residuals", "fp64_rest", "iterations", "iterations_fp64"},
		cost:   func(_ point, nnz float64) float64 { return 0.5 + 1e-4*nnz },
		measure: func(ctx context.Context, in input, points []point) error {
			for _, p := range points {
				r, err := searchFormats(ctx, in.matrix, p)
				if err != nil {
					return err
				}
				if err := in.emit(p, r); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func searchFormats(ctx context.Context, m *csr.Matrix, p point) (result, error) {
	b := generate.RandomRHS(m, 1)
	r := result{values: map[string]float64{}, notes: map[string]string{"rhs": "b = A x, x uniform in [-1, 1)"}}
	plain, err := solved(ctx, m, b, solve.Options{Accuracy: solve.Accuracy{Tol: p.tolerance(), Digits: solve.NoDigits}, Precond: solve.Precond{Kind: precond.Jacobi}})
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if err != nil || !plain.Reason.Converged() {
		r.notes["reason"] = "no solve with the diagonal as preconditioner"
		return r, nil
	}
	found, err := lab.Search(ctx, m, b, lab.SearchOptions{
		Method: plain.Method, Precond: precond.Jacobi, Tol: p.tolerance(), MaxIter: 10 * max(100, plain.Iterations),
	})
	if err != nil || ctx.Err() != nil {
		return r, err
	}
	if found.Best < 0 {
		r.notes["reason"] = found.Trials[0].Why
		return r, nil
	}
	first, best, minimal := found.Trials[0], found.Trials[found.Best], found.Trials[found.Minimal]
	var wide, all int64
	for k, part := range found.Parts {
		switch {
		case part.Kind == lab.Residual:
			r.values["fp64_residuals"] = 0
			if minimal.Formats[k] == "FP64" {
				r.values["fp64_residuals"] = 1
			}
			continue
		case minimal.Formats[k] == "FP64":
			wide += part.Values
		}
		all += part.Values
	}
	r.values["fp64_rest"] = float64(wide) / float64(all)
	r.values["moved_fp64"] = float64(best.Moved) / float64(first.Moved)
	r.values["solves"] = float64(len(found.Trials))
	r.values["iterations"], r.values["iterations_fp64"] = float64(best.Iterations), float64(first.Iterations)
	r.notes["method"] = plain.Method
	return r, nil
}
