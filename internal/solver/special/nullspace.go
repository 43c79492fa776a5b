package special

import (
	"context"
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
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
	a           parted
	opt         solve.Options
	right, left [][]float64 // orthonormal
	found       bool        // the left null vectors come from solves, and are less accurate
	defects     []float64   // |y'A|_1 of the left null vectors
	rounded     bool        // some null vectors are so only to rounding
	pinned      basis       // of the right null vectors, with the unit matrix in the rows Q
	residual    float64     // largest row-wise error of the null vectors
	Inner       Inner       // of M
	make        func(ctx context.Context, m *dist.Matrix, opt solve.Options) (Inner, error)
	rowSums     []float64 // of magnitudes
}

// FindNullSpace returns the solver of a matrix whose null space is known or can be found, and the facts about the matrix. It returns
// nil for any other matrix.
func FindNullSpace(ctx context.Context, m *csr.Matrix, opt solve.Options, make maker) (*NullSpace, csr.Facts, error) {
	pool := parallel.New(opt.Threads)
	n := &NullSpace{a: whole(m, pool), make: func(ctx context.Context, m *dist.Matrix, opt solve.Options) (Inner, error) {
		return make(ctx, m.Local, opt)
	}}
	return n.prepare(ctx, opt, func() csr.Facts { return csr.Examine(m, pool) })
}

// MayBeSingular reports whether FindNullSpace looks for a null space of m that the options do not give: all rows sum to zero.
func MayBeSingular(m *csr.Matrix, opt solve.Options) bool {
	return opt.NullSpace.Kind == solve.NullSpaceAuto && whole(m, nil).rowsSumToZero()
}

// FindNullSpaceOverDomains is FindNullSpace for a matrix of several domains. Vectors of opt.NullSpace have the elements of this rank.
func FindNullSpaceOverDomains(
	ctx context.Context, m *dist.Matrix, opt solve.Options, make func(ctx context.Context, m *dist.Matrix, opt solve.Options) (Inner, error),
) (*NullSpace, csr.Facts, error) {
	pool := parallel.New(opt.Threads)
	n := &NullSpace{a: over(&ranks.Job{Matrix: m}, pool), make: make}
	return n.prepare(ctx, opt, func() csr.Facts { return dist.Examine(m, pool) })
}

// prepare finds the null space and makes the solver of M.
func (n *NullSpace) prepare(ctx context.Context, opt solve.Options, examine func() csr.Facts) (_ *NullSpace, facts csr.Facts, err error) {
	n.opt, n.rowSums = rules.InFloat64(opt), n.a.Local.RowSums(n.a.pool)
	found, err := n.find(ctx)
	if err == nil && found {
		facts = examine()
		opt.Examined(facts)
		err = n.build(ctx)
	}
	if err != nil || !found {
		n.a.pool.Close()
		return nil, facts, err
	}
	return n, facts, nil
}

// ended reports whether the context has ended, on any rank.
func (n *NullSpace) ended(ctx context.Context) bool { return dist.Any(n.a.Comm, ctx.Err() != nil) }

// find finds the null vectors; found is false if there are none.
func (n *NullSpace) find(ctx context.Context) (found bool, err error) {
	given := n.opt.NullSpace
	auto := given.Kind == solve.NullSpaceAuto
	switch {
	case given.Kind == solve.NullSpaceNone, auto && !n.a.rowsSumToZero():
		return false, nil
	case given.Kind == solve.NullSpaceGiven:
		if n.right, err = n.given("null vector", given.Right); err != nil {
			return false, err
		}
	default:
		count, constants := n.a.constants(maxNullity)
		if count > maxNullity {
			if auto {
				n.opt.Log(fmt.Sprintf("nullspace none: every row sums to zero, but there are %d connected components", count))
				return false, nil
			}
			return false, rules.Invalid("the null space would have %d constants, one for each connected component; at most %d can be", count, maxNullity)
		}
		n.right = constants
	}
	if n.right, err = n.orthonormal("null vector", n.right, n.a.nullError); err != nil {
		return false, err
	}
	if err := n.findLeft(ctx); err != nil {
		if auto && !n.ended(ctx) {
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
		left, err := n.given("left null vector", given)
		if err == nil {
			n.left, err = n.orthonormal("left null vector", left, n.a.leftNullError)
		}
		return err
	}
	same := true
	for _, v := range n.right {
		same = same && n.a.leftNullError(v) <= nullVectorTol
	}
	if same {
		n.left = n.right
		return nil
	}
	n.opt.Log("nullspace transpose: solving for the left null vectors")
	q, residual := n.a.pivots(n.right, n.weights()).rows, n.residual
	// M is regular only if Y_Q is, which is not known yet. With a dense column W in general position instead of E_Q on the left, M
	// is regular in any case.
	if err = n.solveLeft(ctx, entries(q, q, n.sigma(q)), q); err == nil || n.ended(ctx) {
		return err
	}
	n.residual = residual
	if err = n.solveLeft(ctx, n.columns(q), q); err != nil {
		err = fmt.Errorf("%w; give the left null space", err)
	}
	return err
}

// solveLeft finds left null vectors of A from M = A + W E_Q', with the terms W: M'y = E_Q has A'y = 0.
func (n *NullSpace) solveLeft(ctx context.Context, terms func(row int64) ([]int64, []float64), q []int64) error {
	opt := n.quiet()
	opt.Tol, opt.Stop = leftTol, solve.StopRow
	m, err := n.a.plus(terms)
	if err != nil {
		return err
	}
	if m, err = m.transpose(); err != nil {
		return err
	}
	t, err := n.make(ctx, m.Matrix, opt)
	if err != nil {
		return err
	}
	defer t.Close()
	var found [][]float64
	for _, j := range q {
		b := n.a.New()
		if at, here := n.a.Position(j); here {
			b[at] = n.rowSums[at]
		}
		r, err := t.Solve(ctx, n.a.own(b), nil)
		if err != nil {
			return err
		}
		found = append(found, n.a.spread(r.X))
	}
	n.left, err = n.orthonormal("left null vector found", found, n.a.leftNullError)
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
	n.a.each(weights, func(i int) float64 { return weights[i] * largestIn(n.left, i) })
	columns := n.a.pivots(n.right, weights)
	rows := columns.rows
	if !n.a.regularAt(n.left, rows) {
		rows = n.a.pivots(n.left, n.weights()).rows
	}
	n.pinned = columns
	n.rounded = n.residual > exactNull
	for _, y := range n.left {
		e, norm := n.a.leftDefects(y)
		n.defects = append(n.defects, norm)
		n.rounded = n.rounded || e > exactNull
	}
	opt := n.opt
	opt.Examined = nil
	opt.Held += csr.Bytes(n.a.N, n.a.NNZ) + 8*n.a.N*3*int64(len(n.right))
	n.opt.Log(n.line())
	m, err := n.a.plus(entries(rows, columns.rows, n.sigma(rows)))
	if err == nil {
		n.Inner, err = n.make(ctx, m.Matrix, opt)
	}
	return err
}

// sigma returns the values to add in these rows: the diagonal elements. In rows with a zero diagonal, as of pressures, the value is
// minus the sum of the magnitudes, which suits saddle points, and in rows of zeros the largest such sum.
func (n *NullSpace) sigma(rows []int64) []float64 {
	sigma := make([]float64, len(rows))
	for k, row := range rows {
		sigma[k] = n.a.in(row, func(i int) float64 {
			s := n.a.Local.At(i, i)
			if _, vals := n.a.Local.Row(i); s == 0 {
				for _, v := range vals {
					s -= max(v, -v)
				}
			}
			return s
		})
		if sigma[k] == 0 {
			sigma[k] = n.a.AbsMax(n.rowSums)
		}
	}
	return sigma
}

// entries returns terms for dist.Matrix.Plus: a value in each of these rows and columns.
func entries(rows, cols []int64, values []float64) func(row int64) ([]int64, []float64) {
	in := map[int64]int{}
	for k, i := range rows {
		in[i] = k
	}
	return func(row int64) ([]int64, []float64) {
		if k, here := in[row]; here {
			return cols[k : k+1], values[k : k+1]
		}
		return nil, nil
	}
}

// columns returns terms for dist.Matrix.Plus: a vector in general position, of the magnitude of the rows, in each of these columns.
func (n *NullSpace) columns(cols []int64) func(row int64) ([]int64, []float64) {
	cols = slices.Sorted(slices.Values(cols))
	return func(row int64) ([]int64, []float64) {
		at, _ := n.a.Position(row)
		values := make([]float64, len(cols))
		for k, j := range cols {
			values[k] = n.rowSums[at] * generalPosition(row, j)
		}
		return cols, values
	}
}

// generalPosition returns a number in [-1, 1) that follows no pattern in i and j.
func generalPosition(i, j int64) float64 {
	h := uint64(i+1)*0x9e3779b97f4a7c15 ^ uint64(j+1)*0xbf58476d1ce4e5b9
	h = (h ^ h>>29) * 0x94d049bb133111eb
	return float64(int64(h^h>>32)) * 0x1p-63
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
