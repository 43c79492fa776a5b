package special

import (
	"context"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

const (
	// nullVectorTol is the largest row-wise error max_i |A v|_i / (sum_j |a_ij| |v|_inf) of a null
	// vector: the default tolerance of a solve.
	nullVectorTol = 1e-10
	// b is not consistent if |y'b| of a left null vector y exceeds inconsistentTol sum |y_i| (T_i |x|_inf + |b_i|), some hundred
	// roundings of A x. The deviation of y'A from zero may explain |y'A|_1 |x|_inf of it, which counts inconsistentDefects times.
	inconsistentTol     = 0x1p-44
	inconsistentDefects = 4
	// maxNullity is the largest dimension of a null space: each dimension takes two dense vectors.
	maxNullity = 64
)

// NullSpace solves with a singular matrix A. With right and left null vectors V and Y, and
// rows P and columns Q for which Y_P and V_Q are regular,
//
//	M = A + E_P diag(sigma) E_Q'
//
// is nonsingular, as sparse as A, and symmetric or definite if A is and P = Q. M x = b implies Y'b = Y_P' diag(sigma) x_Q. If b is
// consistent, then x_Q = 0 and A x = b, and x less its part in the null space is the solution. So the matrix of methods
// and preconditioners is never singular.
type NullSpace struct {
	a           *csr.Matrix
	opt         solve.Options
	right, left [][]float64 // orthonormal
	found       bool        // the left null vectors come from solves, and are less accurate
	defects     []float64   // |y'A|_1 of the left null vectors
	rounded     bool        // some null vectors are so only to rounding
	pinned      basis       // of the right null vectors, with the unit matrix in the rows Q
	residual    float64     // largest row-wise error of the null vectors
	Inner       Inner       // of M
	make        maker
	rowSums     []float64 // of magnitudes
	pool        *parallel.Pool
}

// FindNullSpace returns the solver of a matrix whose null space is known or can be found, and the facts about the matrix. It returns
// nil for any other matrix.
func FindNullSpace(ctx context.Context, m *csr.Matrix, opt solve.Options, make maker) (_ *NullSpace, facts csr.Facts, err error) {
	pool := parallel.New(opt.Threads)
	n := &NullSpace{a: m, opt: rules.InFloat64(opt), pool: pool, rowSums: m.RowSums(pool), make: make}
	found, err := n.find(ctx)
	if err == nil && found {
		facts = csr.Examine(m, pool)
		opt.Examined(facts)
		err = n.build(ctx)
	}
	if err != nil || !found {
		pool.Close()
		return nil, facts, err
	}
	return n, facts, nil
}

// find finds the null vectors; found is false if there are none.
func (n *NullSpace) find(ctx context.Context) (found bool, err error) {
	given := n.opt.NullSpace
	auto := given.Kind == solve.NullSpaceAuto
	switch {
	case given.Kind == solve.NullSpaceNone, auto && !rowsSumToZero(n.a):
		return false, nil
	case given.Kind == solve.NullSpaceGiven:
		n.right = given.Right
	default:
		count, of := components(n.a)
		if count > maxNullity {
			if auto {
				n.opt.Log(fmt.Sprintf("nullspace none: every row sums to zero, but there are %d connected components", count))
				return false, nil
			}
			return false, rules.Invalid("the null space would have %d constants, one for each connected component; at most %d can be", count, maxNullity)
		}
		n.right = indicators(count, of)
	}
	if n.right, err = n.orthonormal("null vector", n.right, nullError); err != nil {
		return false, err
	}
	if err := n.findLeft(ctx); err != nil {
		if auto && ctx.Err() == nil {
			n.opt.Log(fmt.Sprintf("nullspace none: every row sums to zero, but %v", err))
			return false, nil
		}
		return false, err
	}
	return true, nil
}

// findLeft finds the left null vectors: as given; the right null vectors if these are also left null vectors; or by solves with the
// transpose of M, since M'y = E_Q sigma implies A'y = 0.
func (n *NullSpace) findLeft(ctx context.Context) (err error) {
	if given := n.opt.NullSpace.Left; given != nil {
		if len(given) != len(n.right) {
			return rules.Invalid("%d left null vectors for %d null vectors; there are as many of both", len(given), len(n.right))
		}
		n.left, err = n.orthonormal("left null vector", given, LeftNullError)
		return err
	}
	same := true
	for _, v := range n.right {
		same = same && LeftNullError(n.a, v) <= nullVectorTol
	}
	if same {
		n.left = n.right
		return nil
	}
	n.opt.Log("nullspace transpose: solving for the left null vectors")
	q, residual := pivots(n.right, n.weights()).rows, n.residual
	// M is regular only if Y_Q is, which is not known yet. With a dense column W in general position instead of E_Q on the left, M
	// is regular in any case.
	if err = n.solveLeft(ctx, withEntries(n.a, q, q, n.sigma(q)), q); err == nil || ctx.Err() != nil {
		return err
	}
	n.residual = residual
	if err = n.solveLeft(ctx, withColumns(n.a, q, n.rowSums), q); err != nil {
		err = fmt.Errorf("%w; give the left null space", err)
	}
	return err
}

// solveLeft finds left null vectors of A from M = A + W E_Q': M'y = E_Q has A'y = 0.
func (n *NullSpace) solveLeft(ctx context.Context, m *csr.Matrix, q []int) error {
	opt := n.quiet()
	opt.Tol, opt.Stop = leftTol, solve.StopRow
	t, err := n.make(ctx, m.Transpose(n.pool), opt)
	if err != nil {
		return err
	}
	defer t.Close()
	var found [][]float64
	for _, j := range q {
		b := make([]float64, n.a.Rows)
		b[j] = n.rowSums[j]
		r, err := t.Solve(ctx, b, nil)
		if err != nil {
			return err
		}
		found = append(found, r.X)
	}
	n.left, err = n.orthonormal("left null vector found", found, LeftNullError)
	n.found = true
	return err
}

// leftTol is the tolerance of solves for left null vectors, which rounding may keep them from.
const leftTol = 0x1p-52

// quiet returns the options for an auxiliary solve, without reports.
func (n *NullSpace) quiet() solve.Options {
	opt := n.opt
	opt.Digits, opt.Log, opt.Monitor, opt.Examined, opt.Checkpoint = solve.NoDigits, nil, nil, nil, solve.Checkpoints{}
	return opt
}

// exactNull is the largest error of a vector that counts as an exact null vector: sums in double-double arithmetic leave less.
const exactNull = 0x1p-80

// build sets up the solver of M.
func (n *NullSpace) build(ctx context.Context) (err error) {
	weights := n.weights()
	for i := range weights {
		weights[i] *= largestIn(n.left, i)
	}
	columns := pivots(n.right, weights)
	rows := columns.rows
	if !regularAt(n.left, rows) {
		rows = pivots(n.left, n.weights()).rows
	}
	n.pinned = columns
	n.rounded = n.residual > exactNull
	for _, y := range n.left {
		e, norm := leftDefects(n.a, y)
		n.defects = append(n.defects, norm)
		n.rounded = n.rounded || e > exactNull
	}
	opt := n.opt
	opt.Examined = nil
	opt.Held += n.a.Bytes() + int64(8*n.a.Rows*3*len(n.right))
	n.opt.Log(n.line())
	n.Inner, err = n.make(ctx, withEntries(n.a, rows, columns.rows, n.sigma(rows)), opt)
	return err
}

// sigma returns the values to add in these rows: the diagonal elements. In rows with a zero diagonal, as of pressures, the value is
// minus the sum of the magnitudes, which suits saddle points, and in rows of zeros the largest such sum.
func (n *NullSpace) sigma(rows []int) []float64 {
	sigma := make([]float64, len(rows))
	for k, i := range rows {
		if sigma[k] = n.a.At(i, i); sigma[k] == 0 {
			_, vals := n.a.Row(i)
			for _, v := range vals {
				sigma[k] -= max(v, -v)
			}
		}
		if sigma[k] == 0 {
			sigma[k] = AbsMax(n.rowSums)
		}
	}
	return sigma
}

// line describes the null space in one line.
func (n *NullSpace) line() string {
	k := len(n.right)
	switch n.opt.NullSpace.Kind {
	case solve.NullSpaceGiven:
		return fmt.Sprintf("nullspace given: dimension %d, |A v| <= %.1e |A||v|; x is orthogonal to it", k, n.residual)
	case solve.NullSpaceConstant:
		return fmt.Sprintf("nullspace constant: dimension %d, |A v| <= %.1e |A||v|; the mean of x is zero", k, n.residual)
	}
	return fmt.Sprintf("nullspace constant: every row sums to zero, as in a pure Neumann problem, dimension %d; the mean of x is zero", k)
}
