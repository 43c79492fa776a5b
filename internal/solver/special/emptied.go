package special

import (
	"context"
	"fmt"
	"strings"

	"github.com/mpsolve/mpsolve/internal/solver/digits"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Emptied solves with a square matrix that has rows or columns without nonzeros: as many of the other equations as can be independent by their pattern, in as many
// unknowns, which a maximum matching names. The other unknowns are zero, and the other equations are checked.
type Emptied struct {
	Inner
	a          *csr.Matrix
	opt        solve.Options
	rows, cols []int32 // that are solved
	sets       []features.Overdetermined
	what       string // is missing
	make       maker
	pool       *parallel.Pool
}

// NewEmptied prepares to solve with m; nil: the options ask for what only a matrix with nonzeros in all rows and columns allows, or m is zero.
func NewEmptied(ctx context.Context, m *csr.Matrix, opt solve.Options, make maker) (*Emptied, error) {
	if rules.Precise(opt) || len(opt.Lower) > 0 || opt.Updates || opt.NullSpace.Kind == solve.NullSpaceGiven ||
		len(opt.Precond.NearNull) > 0 || opt.Checkpoint.Save != nil || opt.Checkpoint.Resume != nil {
		return nil, nil
	}
	e := &Emptied{a: m, opt: opt, what: emptyText(m), make: make}
	var known bool
	if e.rows, e.cols, e.sets, known = features.Matching(m); !known || len(e.rows) == 0 {
		return nil, nil
	}
	opt.Log("left out: " + e.what)
	inner := opt
	inner.Examined = nil
	var err error
	if e.Inner, err = make(ctx, submatrix(m, e.rows, e.cols), inner); err != nil {
		return nil, err
	}
	e.pool = parallel.New(opt.Threads)
	return e, nil
}

// Solve implements solver.kind.
func (e *Emptied) Solve(ctx context.Context, b, x0 []float64) (r solve.Result, err error) {
	v := overdetermined(e.a, b, e.sets, nil)
	if v != nil && v.Product > UnconfirmedResidual*e.opt.Tol {
		r = e.Chosen()
		r.X, r.Reason, r.Evidence, r.Advice = make([]float64, len(b)), krylov.Inconsistent, v, InconsistentAdvice
		r.Errors, err = verify.Compute(e.a, r.X, b, e.pool)
		return r, err
	}
	if x0 != nil {
		x0 = gathered(x0, e.cols)
	}
	if r, err = e.Inner.Solve(ctx, gathered(b, e.rows), x0); err != nil {
		return r, err
	}
	r.X = spread(r.X, e.cols, len(b))
	if in := r.Evidence; in != nil {
		if *in = whole(e.a, e.pool).weigh(spread(in.Y, e.rows, len(b)), b); !Shows(*in, len(b)) { // the unknowns that are zero may help
			r.Reason, r.Advice, r.Evidence = krylov.Singular, SingularAdvice, nil
		}
	}
	judged, err := verify.Judge(e.a, r.X, b, e.opt.Tol, e.pool)
	if r.Errors = judged.Errors; err != nil {
		return r, err
	}
	if r.Reason.Converged() && (rules.ErrorOf(e.opt.Stop, r.Errors) > e.opt.Tol || !rules.Explains(judged, e.opt)) { // in the equations that were not solved
		r.Reason, r.Advice, r.Digits = krylov.Singular, SingularAdvice, digits.UnknownDigits()
		if v != nil {
			r.Reason, r.Evidence, r.Advice = krylov.Inconsistent, v, InconsistentAdvice
		}
	}
	if r.Reason == krylov.Singular && rules.FloatDigits(e.opt) == 0 { // other equations may be independent where these are not
		if least := searchIn(ctx, e.a, b, e.opt, e.pool, e.make).LeastNorm(); least != nil {
			return Followed(r, *least), nil
		}
	}
	if q := r.Errors.RelativeResidual; !r.Reason.Converged() && !ranks.Limited(r.Reason) && q >= 1 && AbsMax(r.X) > 0 {
		r.Cautions = append(r.Cautions, fmt.Sprintf(ZeroReturned, q))
		clear(r.X)
		r.Errors, err = verify.Compute(e.a, r.X, b, e.pool)
	}
	r.Cautions = append(r.Cautions, e.what+": the others were solved, and x is one of many solutions")
	return r, err
}

// emptyText says which rows and columns of m have no nonzeros.
func emptyText(m *csr.Matrix) string {
	has := [2][]bool{make([]bool, m.Rows), make([]bool, m.Cols)}
	m.DoNonZero(func(i, j int, v float64) {
		if v != 0 {
			has[0][i], has[1][j] = true, true
		}
	})
	var parts []string
	for k, what := range [...]string{"row", "column"} {
		count, first := 0, 0
		for i, is := range has[k] {
			if !is {
				if count++; count == 1 {
					first = i + 1
				}
			}
		}
		switch {
		case count == 1:
			parts = append(parts, fmt.Sprintf("%s %d has no nonzero", what, first))
		case count > 1:
			parts = append(parts, fmt.Sprintf("%d %ss (the first is %d) have no nonzeros", count, what, first))
		}
	}
	return strings.Join(parts, ", and ")
}

// Close implements solver.kind.
func (e *Emptied) Close() {
	e.Inner.Close()
	e.pool.Close()
}
