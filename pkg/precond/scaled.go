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
func equilibrated(
	build func(*csr.Matrix, Options, *linop.Pool) (Preconditioner, error),
) func(*csr.Matrix, Options, *linop.Pool) (Preconditioner, error) {
	return func(m *csr.Matrix, opt Options, pool *linop.Pool) (Preconditioner, error) {
		scaling, err := csr.SymmetricScaling(m, pool)
		if err != nil {
			return nil, err
		}
		e := scaling.Row
		if opt.Operator != nil || m.Rows == 0 || slices.Max(e)-slices.Min(e) <= maxSpread {
			return build(m, opt, pool)
		}
		if err := opt.allow(int64(16*m.Rows + 8*m.NNZ())); err != nil {
			return nil, err
		}
		p, err := build(scaling.Apply(m, pool), opt, pool)
		if err != nil {
			return nil, err
		}
		space := linop.NewHost(m.Rows, pool)
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
	bytes := int64(16 * len(p.s))
	return p.Preconditioner.Cost().Add(Cost{Bytes: bytes, FP64Bytes: bytes})
}
