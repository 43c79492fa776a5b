package precond

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// rescaled is a preconditioner of A made from one of S A S, S = diag(s) powers of
// two: M^-1 = S M_s^-1 S. What is stored by the norm of a matrix needs this
// where rows differ much: small ones would be lost.
type rescaled struct {
	Preconditioner
	space *linop.Host
	s, v  vector
}

// maxSpread is the spread of the exponents of S that needs no scaling.
const maxSpread = 2

// equilibrated makes a maker scale a matrix whose rows differ much. One that is
// stored already, Options.Operator, stays as it was.
func equilibrated(create func(setup) (Preconditioner, error)) func(setup) (Preconditioner, error) {
	return func(s setup) (Preconditioner, error) {
		n := s.m.Rows
		scaling, err := csr.SymmetricScaling(s.m, s.pool)
		if err != nil {
			return nil, err
		}
		e := scaling.Row
		if s.Operator != nil || n == 0 || slices.Max(e)-slices.Min(e) <= maxSpread {
			return create(s)
		}
		if err := s.checkMemory(int64(16*n + 8*s.m.NNZ())); err != nil {
			return nil, err
		}
		s.m = scaling.Apply(s.m, s.pool)
		p, err := create(s)
		if err != nil {
			return nil, err
		}
		space := linop.NewHost(n, s.pool)
		q := &rescaled{Preconditioner: p, space: space, s: space.New(), v: space.New()}
		for i := range q.s {
			q.s[i] = csr.Ldexp(1, e[i])
		}
		return q, nil
	}
}

// Apply computes dst = S M_s^-1 S src.
func (p *rescaled) Apply(dst, src vector) {
	p.space.Mul(1, p.s, src, p.v)
	p.Preconditioner.Apply(dst, p.v)
	p.space.Mul(1, p.s, dst, dst)
}

func (p *rescaled) Cost() Cost {
	return p.Preconditioner.Cost().Add(workCost(int64(2 * len(p.s))))
}
