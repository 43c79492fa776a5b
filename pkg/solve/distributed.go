package solve

import (
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dist"
)

// NewDistributed is New for a matrix that is spread over the ranks of a.Comm, which all call it with the same options, and
// then Solve and Close in the same order. Solve takes the own elements of the rank, and Result.X has them, in the
// order of the matrix ([dist.Layout.Spread]). All else in the Solver and in a Result is the same on all ranks, and so is
// an error; times are those of each. Options.Log and Options.Monitor are used on rank 0 alone. The bits of x depend on
// a.Domains and not on the number of ranks. Options.Threads and Options.MaxMemory count for a rank and for
// all ranks together.
//
// A context that ends on one rank ends the work of all. A matrix of one domain is solved with by its rank, as by
// New, while the others wait.
func NewDistributed(ctx context.Context, a *dist.Matrix, opt Options) (*Solver, error) {
	if a.Comm.Rank() > 0 {
		opt.Log, opt.Monitor = nil, nil
	}
	if a.Domains.Count() == 1 {
		return NewAtRoot(ctx, a.Comm, a.Local, opt)
	}
	return nil, fmt.Errorf("solve: several domains are not done yet")
}

// chosen is what a Solver found out and chose, as far as it can be seen.
type chosen struct {
	Facts   csr.Facts
	Method  Method
	Scale   Scale
	Setup   time.Duration
	Threads int
}

// NewAtRoot is New on rank 0, while the others wait and learn of the Solver what NewDistributed says. They pass
// any m, and to Solve any vectors; Result.X is nil there.
func NewAtRoot(ctx context.Context, c dist.Comm, m *csr.Matrix, opt Options) (*Solver, error) {
	s := &Solver{}
	learned, err := shareRoot(c, func() (c chosen, err error) {
		if s, err = New(ctx, m, opt); err == nil {
			c = chosen{s.Facts, s.Method, s.Scale, s.Setup, s.Threads}
		}
		return c, err
	})
	if err != nil {
		return nil, err
	}
	s.Facts, s.Method, s.Scale, s.Setup, s.Threads = learned.Facts, learned.Method, learned.Scale, learned.Setup, learned.Threads
	s.root = c
	return s, nil
}

// solveAtRoot solves on rank 0, with the whole system; the others learn all of the Result but X.
func (s *Solver) solveAtRoot(ctx context.Context, b, x0 []float64) (Result, error) {
	var x []float64
	var evidence *Evidence
	r, err := shareRoot(s.root, func() (Result, error) {
		r, err := s.solve(ctx, b, x0)
		x, r.X = r.X, nil
		if evidence = r.Evidence; evidence != nil {
			without := *evidence
			without.Y, r.Evidence = nil, &without
		}
		return r, err
	})
	if r.X = x; evidence != nil {
		r.Evidence = evidence
	}
	return r, err
}
