package solve

import (
	"context"
	"errors"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dd"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// family is what solves in lockstep share: all that is made of the matrix, by the one that needs it first.
// Only one of them runs at a time.
type family struct {
	*host
	matrices map[storedAs]*sharedMatrix
	made     map[madeFor]madeOnce
	scaled   map[bool]*csr.Matrix // by scaledMatrix.none, while solves go on
	later    *csr.Scaling         // see scaledMatrix

	ctx       context.Context // of the SolveMany under way
	blockCG   *krylov.BlockCG // nil: none yet
	blockSize int             // Options.Block, or fewer right-hand sides
}

// storedAs names a stored matrix.
type storedAs struct {
	set      string
	epsilon  float64
	dd, none bool
}

func asStored(t Storage, s *scaledMatrix) storedAs {
	return storedAs{t.Set.Name, t.Epsilon, t.DD, s.none}
}

// sharedMatrix is a stored matrix and how many use it.
type sharedMatrix struct {
	matrix[vector, scalar]
	users int
}

// madeFor names a preconditioner.
type madeFor struct {
	variant
	budget    float64
	precision precision // of the method's matrix
	none      bool
}

// madeOnce is what came of setting up a preconditioner.
type madeOnce struct {
	precond.Preconditioner
	work float64
	err  error
}

// newFamily is a family that begins with what f has.
func newFamily(f *refinement[vector, scalar], at *host) *family {
	g := &family{host: at, matrices: map[storedAs]*sharedMatrix{}, made: map[madeFor]madeOnce{}, scaled: map[bool]*csr.Matrix{}}
	c := f.correction
	if first := asStored(c.first, c.scaled); c.matrix.about().storage.same(c.first) {
		g.matrices[first] = &sharedMatrix{matrix: c.matrix, users: 1}
	}
	return g
}

// preconditioner is that of c with a set-up, made once.
func (g *family) preconditioner(
	c *correction[vector, scalar], v variant, budget float64, setUp func() (precond.Preconditioner, float64, error),
) (made precond.Preconditioner, work float64, err error) {
	key := madeFor{v, budget, c.matrix.about().storage.precision(), c.scaled.none}
	if had, ok := g.made[key]; ok {
		return had.Preconditioner, had.work, had.err
	}
	if made, work, err = setUp(); !errors.Is(err, precond.ErrInterrupted) {
		g.made[key] = madeOnce{made, work, err}
	}
	return made, work, err
}

// memberPlace is the place of a solve in lockstep.
type memberPlace struct {
	*host
	*family
	*member
}

// A sharedPlace has matrices that others have stored.
type sharedPlace[V any, S linop.Scalar[S]] interface {
	shared(s *scaledMatrix, t Storage) (matrix[V, S], error)
}

var _ sharedPlace[vector, scalar] = memberPlace{}

// shared is the scaled matrix in the storage t, for a member.
func (p memberPlace) shared(s *scaledMatrix, t Storage) (matrix[vector, scalar], error) {
	key := asStored(t, s)
	kept := p.matrices[key]
	if kept == nil {
		made, err := storeMatrices(p.host, s, t)
		if err != nil {
			return nil, err
		}
		kept = &sharedMatrix{matrix: made}
		p.matrices[key] = kept
	}
	kept.users++
	return p.member.matrix(kept.matrix, func() {
		if kept.users--; kept.users == 0 {
			delete(p.matrices, key)
		}
	}), nil
}

// memberMatrix is a stored matrix that a member multiplies with.
type memberMatrix struct {
	memberOperator
	of      matrix[vector, scalar]
	dropped func()
}

// matrix is of for the member.
func (m *member) matrix(of matrix[vector, scalar], dropped func()) memberMatrix {
	return memberMatrix{memberOperator{of, m, severalOf(of)}, of, dropped}
}

// severalOf returns what multiplies several vectors with a stored matrix.
func severalOf(of matrix[vector, scalar]) severalProducts {
	if both, ok := of.(transposing[vector, scalar]); ok {
		of = both.matrix
	}
	return severalProducts{of.(hostMatrix).Relaxer.(linop.SeveralOperator)}
}

var (
	_ linop.Transposer[vector, scalar] = memberMatrix{}
	_ widening                         = memberMatrix{}
)

// ApplyT computes dst = A^T src.
func (a memberMatrix) ApplyT(dst, src vector) {
	switch of := a.of.(type) {
	case transposing[vector, scalar]:
		if of.transpose == nil {
			a.Apply(dst, src)
			return
		}
		a.product(severalOf(of.transpose), linop.Product{Dst: dst, Src: src})
	case linop.Transposer[vector, scalar]:
		of.ApplyT(dst, src)
	}
}

func (a memberMatrix) about() stored { return a.of.about() }

func (a memberMatrix) storageError(r vector, norm float64, d powers[vector], e int) {
	a.of.storageError(r, norm, d, e)
}

func (a memberMatrix) release() { a.dropped() }

func (a memberMatrix) wide() linop.Operator[dd.Vec, dd.DD] { return a.of.(widening).wide() }

// upload is a preconditioner for the member: one whose applications it waits for, or with what it keeps between
// calls for itself.
func (a memberMatrix) upload(made precond.Preconditioner) (krylov.Preconditioner[vector], error) {
	switch by := made.(type) {
	case precond.Cycles:
		m := a.member
		return by.ForkWaiting(func(copy precond.Preconditioner) { m.ask(&request{copy: copy, of: severalCycles{by}}) }), nil
	case precond.Forker:
		return by.Fork(), nil
	case precond.Several:
		return memberApplication{by, a.member}, nil
	}
	return made, nil
}
