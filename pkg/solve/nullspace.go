package solve

import (
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// NullSpaceKind says where the null space of a singular matrix comes from.
type NullSpaceKind string

// Where it may come from. NullSpaceAuto takes that of a pure Neumann problem, whose rows sum
// to zero, and otherwise none.
const (
	NullSpaceAuto     NullSpaceKind = "auto"
	NullSpaceNone     NullSpaceKind = "none"
	NullSpaceConstant NullSpaceKind = "constant" // constants, on each connected component
	NullSpaceGiven    NullSpaceKind = "given"    // NullSpace.Right
)

// NullSpaces lists all.
var NullSpaces = []NullSpaceKind{NullSpaceAuto, NullSpaceNone, NullSpaceConstant, NullSpaceGiven}

// NullSpace describes the null space of a singular matrix A, like PETSc's MatSetNullSpace and
// MatSetTransposeNullSpace. A system with such a matrix has solutions if b is orthogonal to
// the left null space, that of A'; the one returned is orthogonal to the null space, and so
// the shortest. Vectors need not be orthonormal.
type NullSpace struct {
	Kind  NullSpaceKind // "": NullSpaceAuto
	Right [][]float64   // that span the null space, for NullSpaceGiven
	Left  [][]float64   // that span the left one; nil: Right if A'v = 0 for these, otherwise found by solving with A'
}

const (
	// nullVectorTol is the largest row-wise error max_i |A v|_i / (sum_j |a_ij| |v|_inf) of a null
	// vector: the default tolerance of a solve.
	nullVectorTol = 1e-10
	// From a component |y'b| of inconsistentTol sum |y_i| (T_i |x|_inf + |b_i|) in the left
	// null space b is not called consistent: some hundred roundings of A x. What y'A is off
	// zero may explain |y'A|_1 |x|_inf, and counts inconsistentDefects times.
	inconsistentTol     = 0x1p-44
	inconsistentDefects = 4
	// maxNullity is the largest dimension: there are two dense vectors for each.
	maxNullity = 64
)

// NullSpaceResult is what a solve with a singular matrix knows of its null space.
type NullSpaceResult struct {
	Dim       int     // of it; 0: the matrix was taken for nonsingular
	Residual  float64 // largest row-wise error of the null vectors, left and right
	Component float64 // largest |y'b| / sum |y_i| (T_i |x|_inf + |b_i|) for a y of the left null space, T_i = sum_j |a_ij|
}

// nullSpace solves with a singular matrix A. With right and left null vectors V and Y, and
// rows P and columns Q for which Y_P and V_Q are regular,
//
//	M = A + E_P diag(sigma) E_Q'
//
// is nonsingular, as sparse as A, and symmetric or definite if A was and P = Q. From M x = b
// follows Y'b = Y_P' diag(sigma) x_Q, so that x_Q = 0 and A x = b if b is consistent: then x
// less its part in the null space is the solution. So the matrix that methods and
// preconditioners see is never singular.
type nullSpace struct {
	a           *csr.Matrix
	opt         Options
	right, left [][]float64 // orthonormal
	found       bool        // the left ones by solves, which does not tell them as accurately
	defects     []float64   // |y'A|_1 of the left ones
	rounded     bool        // some are null vectors but for roundings
	pinned      basis       // the right ones, the unit matrix in the rows Q
	residual    float64
	inner       *Solver   // of M
	rowSums     []float64 // of magnitudes
	pool        *parallel.Pool
}

// newSingular returns the Solver of a matrix whose null space is known or can be found; nil
// if there is none.
func newSingular(ctx context.Context, m *csr.Matrix, opt Options) (*Solver, error) {
	start := time.Now()
	pool := parallel.New(opt.Threads)
	n := &nullSpace{a: m, opt: opt.inFloat64(), pool: pool, rowSums: m.RowSums(pool)}
	found, err := n.find(ctx)
	var facts csr.Facts
	if err == nil && found {
		facts = csr.Examine(m, pool)
		opt.Examined(facts)
		err = n.build(ctx)
	}
	if err != nil || !found {
		pool.Close()
		return nil, err
	}
	opt.Device = n.inner.opt.Device
	return &Solver{
		Facts: facts, Method: n.inner.Method, Scale: n.inner.Scale, Order: n.inner.Order,
		Setup: time.Since(start), Threads: n.inner.Threads, given: m, m: m, opt: opt, special: n,
	}, nil
}

// find fills in the null vectors; found is false if there are none.
func (n *nullSpace) find(ctx context.Context) (found bool, err error) {
	given := n.opt.NullSpace
	auto := given.Kind == NullSpaceAuto
	switch {
	case given.Kind == NullSpaceNone, auto && !rowsSumToZero(n.a):
		return false, nil
	case given.Kind == NullSpaceGiven:
		n.right = given.Right
	default:
		count, of := n.a.Components()
		if count > maxNullity {
			if auto {
				n.opt.Log(fmt.Sprintf("nullspace none: every row sums to zero, but there are %d connected components", count))
				return false, nil
			}
			return false, invalid("the null space would have %d constants, one for each connected component; at most %d can be", count, maxNullity)
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

// findLeft fills in the left null vectors: those given, the right ones if they are, or what
// solves with the transpose of M find: M'y = E_Q sigma has A'y = 0.
func (n *nullSpace) findLeft(ctx context.Context) (err error) {
	if given := n.opt.NullSpace.Left; given != nil {
		if len(given) != len(n.right) {
			return invalid("%d left null vectors for %d null vectors; there are as many of both", len(given), len(n.right))
		}
		n.left, err = n.orthonormal("left null vector", given, leftNullError)
		return err
	}
	same := true
	for _, v := range n.right {
		same = same && leftNullError(n.a, v) <= nullVectorTol
	}
	if same {
		n.left = n.right
		return nil
	}
	n.opt.Log("nullspace transpose: solving for the left null vectors")
	q, residual := pivots(n.right, n.weights()).rows, n.residual
	// M regular needs a regular Y_Q, which is not known yet; a dense column W in place of
	// E_Q on the left, W in general position, needs nothing.
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
func (n *nullSpace) solveLeft(ctx context.Context, m *csr.Matrix, q []int) error {
	opt := n.quiet()
	opt.Tol, opt.Stop = leftTol, StopRow
	t, err := New(ctx, m.Transpose(n.pool), opt)
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
	n.left, err = n.orthonormal("left null vector found", found, leftNullError)
	n.found = true
	return err
}

// leftTol is the tolerance to which left null vectors are solved for, as far as rounding lets.
const leftTol = 0x1p-52

// quiet returns the options for a solve that nobody watches.
func (n *nullSpace) quiet() Options {
	opt := n.opt
	opt.ordinary = true
	opt.Digits, opt.Log, opt.Monitor, opt.Examined, opt.Checkpoint = NoDigits, nil, nil, nil, Checkpoints{}
	return opt
}

// exactNull is the error of a null vector that is none of rounding of A: sums in double-double
// arithmetic leave it.
const exactNull = 0x1p-80

// build sets up the solver of M.
func (n *nullSpace) build(ctx context.Context) (err error) {
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
	opt.ordinary, opt.Examined = true, nil
	opt.Held += n.a.Bytes() + int64(8*n.a.Rows*3*len(n.right))
	n.opt.Log(n.line())
	n.inner, err = New(ctx, withEntries(n.a, rows, columns.rows, n.sigma(rows)), opt)
	return err
}

// sigma returns what is added in these rows: the magnitude and the sign of the diagonal. In
// rows without one, as those of pressures, it is the sum of the magnitudes with minus sign,
// which fits saddle points.
func (n *nullSpace) sigma(rows []int) []float64 {
	sigma := make([]float64, len(rows))
	for k, i := range rows {
		if sigma[k] = n.a.At(i, i); sigma[k] == 0 {
			_, vals := n.a.Row(i)
			for _, v := range vals {
				sigma[k] -= max(v, -v)
			}
		}
	}
	return sigma
}

// line tells what was found.
func (n *nullSpace) line() string {
	k := len(n.right)
	switch n.opt.NullSpace.Kind {
	case NullSpaceGiven:
		return fmt.Sprintf("nullspace given: dimension %d, |A v| <= %.1e |A||v|; x is orthogonal to it", k, n.residual)
	case NullSpaceConstant:
		return fmt.Sprintf("nullspace constant: dimension %d, |A v| <= %.1e |A||v|; the mean of x is zero", k, n.residual)
	}
	return fmt.Sprintf("nullspace constant: every row sums to zero, as in a pure Neumann problem, dimension %d; the mean of x is zero", k)
}
