package precond

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// rescaled is a preconditioner of A made from one of S A S, S = diag(s) powers of
// two: M^-1 = S M_s^-1 S. Matrices whose values are stored relative to their norm need
// this where rows differ much in size: small ones would be lost.
type rescaled struct {
	Preconditioner
	space linop.Host
	s, v  vector
	many  []vector // of ApplyMany, as v for each vector
}

// maxSpread is the largest spread of the exponents of S at which A is not scaled.
const maxSpread = 2

// equilibrated wraps create so that it gets a scaled matrix if the rows of A differ much in
// size. Options.Operator, if given, is used unscaled.
func equilibrated(create func(setup) (Preconditioner, error)) func(setup) (Preconditioner, error) {
	return func(s setup) (Preconditioner, error) {
		n := s.m.Rows
		scaling, err := csr.SymmetricScaling(s.m, false, s.pool)
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
		space := s.space(n)
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
