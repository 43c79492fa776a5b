package special

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// maxFound is the largest dimension of a null space that is sought.
const maxFound = 16

// LeastNorm solves a consistent system with a matrix that is singular to rounding, such as a saddle point with dependent constraints, with null spaces found by
// complete factors where these are cheap. The x that has the least norm is that of NullSpace. It returns nil if there are no such null spaces, or no such x.
func (a EvidenceSearch) LeastNorm() *solve.Result {
	m := a.S.Given
	right := a.nullSpace(m)
	if len(right) == 0 {
		return nil
	}
	left := a.nullSpace(m.Transpose(a.S.Pool))
	if len(left) != len(right) {
		return nil
	}
	opt := solve.Options{ // by default otherwise: the options of the solve may be why it stopped
		Accuracy:  solve.Accuracy{Tol: a.S.Opt.Tol, Stop: a.S.Opt.Stop, Digits: solve.NoDigits},
		Limits:    solve.Limits{MaxIter: a.S.Opt.MaxIter, Threads: a.S.Opt.Threads, MaxMemory: a.S.Opt.MaxMemory},
		NullSpace: solve.NullSpace{Kind: solve.NullSpaceGiven, Right: right, Left: left},
	}
	n, _, err := FindNullSpace(a.Ctx, m, rules.WithDefaults(opt, m.Rows), a.Make)
	if n == nil || err != nil {
		return nil
	}
	defer n.Close()
	r, err := n.Solve(a.Ctx, a.Given, nil)
	if err != nil || !r.Reason.Converged() {
		return nil
	}
	line := fmt.Sprintf("A is singular to rounding, with a null space of dimension %d: x is the solution of least norm", len(right))
	r.Cautions = append(r.Cautions, line)
	a.S.Say("verdict: %s", line)
	return &r
}

// nullSpace returns an orthonormal basis of the null space of t, as far as elimination in a small matrix or complete factors of a large one find it; nil: the factors
// are not cheap, or the dimension is above maxFound.
func (a EvidenceSearch) nullSpace(t *csr.Matrix) (basis [][]float64) {
	if a.Ctx.Err() != nil { // elimination cannot be interrupted
		return nil
	}
	if t.Rows <= rules.DenseRows {
		for _, v := range LeftNullVectors(t.Transpose(a.S.Pool)) {
			basis = withNull(basis, whole(t, nil), v)
		}
	} else if by := a.factor(t); by != nil {
		for k := 0; len(basis) == k && k <= maxFound; k++ { // as long as vectors are independent
			basis = withNull(basis, whole(t, a.S.Pool), by.solve(signs(t.Rows, uint64(k)), nil))
		}
	}
	if len(basis) > maxFound {
		return nil
	}
	return basis
}

// withNull returns an orthonormal basis with v added, if v is a null vector of t that does not depend on the basis; nil is none.
func withNull(basis [][]float64, t parted, v []float64) [][]float64 {
	if v == nil || t.AbsMax(v) == 0 || t.nullError(v) > nullTol*math.Sqrt(float64(len(v))) {
		return basis
	}
	v = t.normalized(v)
	for range 2 {
		v = t.orthogonalTo(basis, v)
	}
	if math.Sqrt(t.dot(v, v)) < dependent {
		return basis
	}
	return append(basis, t.normalized(v))
}
