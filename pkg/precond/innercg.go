package precond

import (
	"errors"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Varies reports whether an application of a preconditioner is not a linear map, because it
// iterates itself: then methods must be flexible.
func Varies(p Preconditioner) bool {
	switch p := p.(type) {
	case *multigrid:
		return p.varies
	case *schur:
		return Varies(p.inverseA) || Varies(p.inverseS)
	case *commutator:
		return Varies(p.Preconditioner)
	case *rescaled:
		return Varies(p.Preconditioner)
	case *innerCG, *cg32:
		return true
	}
	return false
}

// Tolerances of inexact solves with A, and with the matrix of commutators, whose inverse is applied twice; and their most steps.
const (
	innerTol   = 0.1
	innerTolS  = 0.03
	innerSteps = 20
)

// innerCG solves A z = r inexactly by conjugate gradients preconditioned by M: until the norm of the residual that belongs to M^-1,
// which is nearly the norm of the error that belongs to A, has fallen to a tolerance, and by another application of M.
type innerCG struct {
	Preconditioner
	tol        float64
	a          linop.Relaxer[vector, scalar]
	space      linop.Host
	r, z, p, q vector
	cost       Cost
}

// wellConditioned is the ratio of the eigenvalues of D^-1 A, as some Lanczos steps estimate them, up to which the diagonal is the
// preconditioner of inner conjugate gradients: they are a few for mass matrices, and tens for Laplacians.
const wellConditioned = 12

// inexactInverse returns what makes inner conjugate gradients to a tolerance, with the diagonal of a well-conditioned matrix and multigrid
// of others; of one that is not symmetric multigrid alone. Diagonal blocks replace multigrid where connections are weak.
func inexactInverse(tol float64) func(s setup) (Preconditioner, error) {
	return func(s setup) (Preconditioner, error) {
		create := newMultigrid
		if s.Symmetric && s.m.Rows > coarsest { // others are inverted
			w, _ := s.jacobiDiagonal()
			smallest, largest, err := extremeEigenvalues(linop.NewCSR(s.m, s.pool), w, thorough, s.pool)
			if err != nil {
				return nil, err
			}
			if largest <= wellConditioned*smallest {
				create = newJacobi
			}
		}
		p, err := create(s)
		if errors.Is(err, errWeak) {
			p, err = newBlockJacobi(s)
		}
		if err != nil || !s.Symmetric {
			return p, err
		}
		return newInnerCG(s, p, tol)
	}
}

func newInnerCG(s setup, by Preconditioner, tol float64) (Preconditioner, error) {
	if err := s.checkMemory(by.Cost().Bytes + s.m.Bytes() + 32*int64(s.m.Rows)); err != nil {
		return nil, err
	}
	a, cost, err := store(s.m, finer(s.Epsilon), s.Options, s.pool)
	if err != nil {
		return nil, err
	}
	c := &innerCG{Preconditioner: by, tol: tol, a: a, space: s.space(s.m.Rows)}
	c.r, c.z, c.p, c.q = c.space.New(), c.space.New(), c.space.New(), c.space.New()
	c.cost = by.Cost().Add(cost).Add(workCost(4 * int64(s.m.Rows)))
	return c, nil
}

// Apply computes dst ~ A^-1 src.
func (c *innerCG) Apply(dst, src vector) {
	c.space.Zero(dst)
	c.space.Copy(c.r, src)
	var enough, before scalar
	for k := range innerSteps {
		c.Preconditioner.Apply(c.z, c.r)
		rz := c.space.Dot(c.r, c.z)
		if k == 0 {
			enough = scalar(c.tol*c.tol) * rz
			c.space.Copy(c.p, c.z)
		} else {
			c.space.Xpay(c.z, rz/before, c.p)
		}
		if !(rz > enough) {
			break
		}
		pq := c.a.ApplyDot(c.q, c.p, c.p)
		if !(pq > 0) {
			break
		}
		c.space.Step(rz/pq, c.p, dst, c.q, c.r)
		before = rz
	}
	c.space.Axpy(1, c.z, dst)
}

func (c *innerCG) Cost() Cost { return c.cost }

func (c *innerCG) String() string { return "inner cg with " + c.Preconditioner.String() }
