package special

import (
	"context"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A maker makes a Solver of another matrix, which it treats as ordinary.
type maker func(ctx context.Context, m *csr.Matrix, opt solve.Options) (Inner, error)

// Inner is a Solver of another matrix.
type Inner interface {
	Solve(ctx context.Context, b, x0 []float64) (solve.Result, error)
	Chosen() solve.Result
	Fallbacks() []string
	Memory() []choice.MethodMemory
	Close()

	Of() *refine.Problem
	WithTol(tol float64) Inner // a copy with another tolerance
}

// Advice about singular systems.
const (
	SingularAdvice = "A is singular to rounding, and x is large where it is nearly a null vector; " +
		"a constraint or boundary condition may be missing, or the null space has to be given (Options.NullSpace)"
	InconsistentAdvice = "A is singular to rounding and b is not in its range, so there is no solution; " +
		"check b, or the equations that contradict each other"
)

// ZeroReturned is the caution about an x that zero has replaced.
const ZeroReturned = "x = 0 is returned: the best x found is worse, ||r||/||b|| = %.1e"

// Vectors of the host.
type (
	vector = []float64
	scalar = linop.Float64
)
