package special

import (
	"context"
	"fmt"
	"strings"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Emptied solves with a square matrix that has rows or columns without nonzeros: with the matrix of the others. Where b is not zero in an
// equation without unknowns, there is no solution; an unknown that no equation has is zero. What remains may have more equations than unknowns, or
// fewer: then x is one of least squares or of least norm.
type Emptied struct {
	Inner
	a          *csr.Matrix
	opt        solve.Options
	rows, cols []int32 // with nonzeros
	pool       *parallel.Pool
}

// NewEmptied prepares to solve with m; nil: the options ask for what only a matrix with nonzeros in all rows and columns allows, or m is zero.
func NewEmptied(ctx context.Context, m *csr.Matrix, opt solve.Options, make maker) (*Emptied, error) {
	e := &Emptied{a: m, opt: opt}
	e.rows, e.cols = withNonzeros(m)
	if len(e.cols) == 0 || rules.Precise(opt) || len(opt.Lower) > 0 || opt.Updates || opt.NullSpace.Kind == solve.NullSpaceGiven ||
		len(opt.Precond.NearNull) > 0 || opt.Checkpoint.Save != nil || opt.Checkpoint.Resume != nil {
		return nil, nil
	}
	rest := submatrix(m, e.rows, e.cols, max(len(e.rows), len(e.cols)))
	rest.Rows, rest.Cols, rest.RowPtr = len(e.rows), len(e.cols), rest.RowPtr[:len(e.rows)+1]
	opt.Log("left out: " + e.missing())
	inner := opt
	inner.Examined = nil
	var err error
	if e.Inner, err = make(ctx, rest, inner); err != nil {
		return nil, err
	}
	e.pool = parallel.New(opt.Threads)
	return e, nil
}

// withNonzeros returns the rows and the columns that have nonzeros.
func withNonzeros(m *csr.Matrix) (rows, cols []int32) {
	in := make([]bool, m.Cols)
	for i := range m.Rows {
		of, vals := m.Row(i)
		has := false
		for k, j := range of {
			if vals[k] != 0 {
				has, in[j] = true, true
			}
		}
		if has {
			rows = append(rows, int32(i))
		}
	}
	for j, is := range in {
		if is {
			cols = append(cols, int32(j))
		}
	}
	return rows, cols
}

// Solve implements solver.kind.
func (e *Emptied) Solve(ctx context.Context, b, x0 []float64) (r solve.Result, err error) {
	rest := append([]float64(nil), b...)
	for _, i := range e.rows {
		rest[i] = 0
	}
	if AbsMax(rest) > 0 {
		for i, v := range rest {
			if v != 0 {
				return e.contradiction(b, i)
			}
		}
	}
	if x0 != nil {
		x0 = gathered(x0, e.cols)
	}
	if r, err = e.Inner.Solve(ctx, gathered(b, e.rows), x0); err != nil {
		return r, err
	}
	n := len(b)
	r.X = spread([][]float64{r.X}, e.cols, n)[0]
	if v := r.Evidence; v != nil {
		v.Y = spread([][]float64{v.Y}, e.rows, n)[0]
		*v = weigh(e.a, v.Y, b)
	}
	if r.Errors, err = verify.Compute(e.a, r.X, b, e.pool); err != nil {
		return r, err
	}
	if r.LeastSquares = nil; r.Reason.Converged() && rules.ErrorOf(e.opt.Stop, r.Errors) > e.opt.Tol {
		r.Reason, r.Advice = krylov.Inconsistent, "x is a solution of least squares: there are more equations than unknowns, and b is not in the range of A; check b"
		residual := make([]float64, n)
		e.a.MulVec(residual, r.X)
		for i := range residual {
			residual[i] = b[i] - residual[i]
		}
		if v := weigh(e.a, residual, b); Shows(v, n) {
			r.Evidence = &v
		}
	}
	r.Cautions = append(r.Cautions, e.missing()+": the others were solved, and x is one of many solutions")
	return r, nil
}

// contradiction is the result where equation i says 0 = b_i.
func (e *Emptied) contradiction(b []float64, i int) (r solve.Result, err error) {
	r = e.Chosen()
	y := make([]float64, len(b))
	y[i] = 1
	v := weigh(e.a, y, b)
	r.X, r.Reason, r.Evidence, r.Advice = make([]float64, len(b)), krylov.Inconsistent, &v, InconsistentAdvice
	r.Errors, err = verify.Compute(e.a, r.X, b, e.pool)
	return r, err
}

// missing says which rows and columns have no nonzeros.
func (e *Emptied) missing() string {
	var parts []string
	for _, part := range []struct {
		what string
		have []int32
		n    int
	}{{"row", e.rows, e.a.Rows}, {"column", e.cols, e.a.Cols}} {
		first := firstMissing(part.have) + 1
		switch missing := part.n - len(part.have); missing {
		case 0:
		case 1:
			parts = append(parts, fmt.Sprintf("%s %d has no nonzero", part.what, first))
		default:
			parts = append(parts, fmt.Sprintf("%d %ss (the first is %d) have no nonzeros", missing, part.what, first))
		}
	}
	return strings.Join(parts, ", and ")
}

// firstMissing returns the first number from 0 that is not in a sorted list.
func firstMissing(list []int32) int {
	for k, v := range list {
		if int(v) != k {
			return k
		}
	}
	return len(list)
}

// gathered returns some elements of a vector.
func gathered(x []float64, list []int32) []float64 {
	part := make([]float64, len(list))
	for k, i := range list {
		part[k] = x[i]
	}
	return part
}

// Close implements solver.kind.
func (e *Emptied) Close() {
	e.Inner.Close()
	e.pool.Close()
}
