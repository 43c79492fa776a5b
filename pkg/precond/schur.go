package precond

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// schur is a block triangular preconditioner of saddle points ([Murphy00]): with the blocks of fields,
//
//	M = ( A~  G  )
//	    (    -S~ ),   S~ ~ S = C + B A^-1 G.
//
// GMRES takes two iterations if A~ = A and S~ = S. A~ is A if A is diagonal; else an inexact solve by conjugate gradients with multigrid if
// A is symmetric, see innerCG; else multigrid. S~ is diagonal or multigrid too, see complement.
type schur struct {
	hostOnly
	*fields
	inverseA, inverseS Preconditioner
	g                  linop.Relaxer[vector, scalar]
	r, z               vector // in the order of the fields
	pool               *parallel.Pool
	cost               Cost
	text               string

	dst, src vector // of the application that is running; dst is nil until z is known
}

func newSchur(s setup) (Preconditioner, error) {
	f, err := s.fields()
	if err != nil {
		return nil, err
	}
	n, held := len(f.order), f.bytes()
	p := &schur{fields: f, r: make(vector, n), z: make(vector, n), pool: s.pool}
	if p.inverseA, err = s.inverse("A", f.a, f.order[:f.first], held); err != nil {
		return nil, fmt.Errorf("A: %w", err)
	}
	held += p.inverseA.Cost().Bytes
	how, complement, err := s.complement(f, p.inverseA.Apply, held)
	if err != nil {
		return nil, err
	}
	if p.inverseS, err = s.inverse("S", complement, f.order[f.first:], held+complement.Bytes()); err != nil {
		return nil, fmt.Errorf("S: %w", err)
	}
	held += complement.Bytes() + p.inverseS.Cost().Bytes
	if err := s.checkMemory(held + f.g.Bytes() + 16*int64(n)); err != nil {
		return nil, err
	}
	var g Cost
	if p.g, g, err = store(f.g, s.Epsilon, s.Options, s.pool); err != nil {
		return nil, err
	}
	work := workCost(2 * int64(n))
	work.Bytes += 4 * int64(n)
	p.cost = p.inverseA.Cost().Add(p.inverseS.Cost()).Add(g).Add(work)
	p.text = fmt.Sprintf("%s, %d + %d rows, A: %v, S ~ %s: %v", Schur, f.first, n-f.first, p.inverseA, how, p.inverseS)
	f.a, f.g, f.lower, f.d, f.e = nil, nil, nil, nil, nil
	return p, nil
}

// inverse sets up an approximate inverse of a block, beside so many bytes: the diagonal of a diagonal one, and multigrid of others.
func (s *setup) inverse(name string, m *csr.Matrix, rows []int32, held int64) (Preconditioner, error) {
	b := *s
	b.m, b.whole, b.values = m, int64(s.m.NNZ()), nil
	b.Operator, b.Kept, b.BlockSize, b.Multigrid.KCycle = nil, nil, 0, false
	b.Symmetric = csr.Examine(m, s.pool).Symmetric
	b.Stage = func(text string) { s.Stage(name + ": " + text) }
	if s.MaxBytes > 0 {
		b.MaxBytes = max(1, s.MaxBytes-held)
	}
	if s.Needs != nil {
		b.Needs = func(bytes int64) { s.Needs(held + bytes) }
	}
	if isDiagonal(m) {
		return newJacobi(b)
	}
	b.BlockSize = BlockSize(m)
	b.Multigrid.NearNull = s.nearNullOf(rows, b.BlockSize)
	p, err := newMultigrid(b)
	if err != nil || !b.Symmetric {
		return p, err
	}
	if err := b.checkMemory(p.Cost().Bytes + m.Bytes()); err != nil {
		return nil, err
	}
	return newInnerCG(b, p)
}

// isDiagonal reports whether m is a diagonal matrix.
func isDiagonal(m *csr.Matrix) bool {
	for i, j := range m.Col {
		if m.NNZ() != m.Rows || int(j) != i {
			return false
		}
	}
	return m.NNZ() == m.Rows
}

// nearNullOf returns the near-null vectors of some rows, in nodes of a size: for a single vector one for each unknown of a node.
func (s *setup) nearNullOf(rows []int32, size int) (space [][]float64) {
	for _, v := range s.Multigrid.NearNull {
		parts := 1
		if len(s.Multigrid.NearNull) < size {
			parts = size
		}
		for part := range parts {
			of := make(vector, len(rows))
			for k := part; k < len(of); k += parts {
				of[k] = v[rows[k]]
			}
			space = append(space, of)
		}
	}
	return space
}

// Apply computes dst = M^-1 src: A~^-1 (r_1 + G z_2) and -z_2 for z_2 = S~^-1 r_2, where r is src in the order and with the signs of the
// fields.
func (p *schur) Apply(dst, src vector) {
	first, parts := p.first, (len(p.order)+fieldBlock-1)/fieldBlock
	p.src = src
	p.pool.Run(parts, p)
	p.inverseS.Apply(p.z[first:], p.r[first:])
	p.g.ApplyPlus(p.z[:first], p.r[:first], p.z[first:])
	p.inverseA.Apply(p.r[:first], p.z[:first])
	p.dst = dst
	p.pool.Run(parts, p)
	p.dst, p.src = nil, nil
}

// fieldBlock is the number of elements that one thread moves at a time.
const fieldBlock = 1 << 14

// Do moves a part of src to r, or of the result to dst.
func (p *schur) Do(part int) {
	for k := part * fieldBlock; k < min((part+1)*fieldBlock, len(p.order)); k++ {
		i, second := p.order[k], k >= p.first
		switch {
		case p.dst == nil && second:
			p.r[k] = p.signs[1] * p.src[i]
		case p.dst == nil:
			p.r[k] = p.signs[0] * p.src[i]
		case second:
			p.dst[i] = -p.z[k]
		default:
			p.dst[i] = p.r[k]
		}
	}
}

func (p *schur) Cost() Cost { return p.cost }

func (p *schur) String() string { return p.text }

// Varies reports whether an application of a preconditioner is not a linear map, because it
// iterates itself: then methods must be flexible.
func Varies(p Preconditioner) bool {
	switch p := p.(type) {
	case *multigrid:
		return p.varies
	case *schur:
		return Varies(p.inverseA)
	case *innerCG:
		return true
	}
	return false
}

const (
	innerTol   = 0.1 // of an inexact solve
	innerSteps = 20
)

// innerCG solves A z = r inexactly by conjugate gradients preconditioned by M: until the norm of the residual that belongs to M^-1,
// which is nearly the norm of the error that belongs to A, has fallen to innerTol, and by another application of M.
type innerCG struct {
	Preconditioner
	a          linop.Relaxer[vector, scalar]
	space      linop.Host
	r, z, p, q vector
	cost       Cost
}

func newInnerCG(s setup, by Preconditioner) (Preconditioner, error) {
	a, cost, err := store(s.m, s.Epsilon, s.Options, s.pool)
	if err != nil {
		return nil, err
	}
	c := &innerCG{Preconditioner: by, a: a, space: s.space(s.m.Rows)}
	c.r, c.z, c.p, c.q = c.space.New(), c.space.New(), c.space.New(), c.space.New()
	c.cost = by.Cost().Add(cost).Add(workCost(4 * int64(s.m.Rows)))
	return c, nil
}

// Apply computes dst ~ A^-1 src.
func (c *innerCG) Apply(dst, src vector) {
	c.space.Zero(dst)
	c.space.Copy(c.r, src)
	var first, before scalar
	for k := range innerSteps {
		c.Preconditioner.Apply(c.z, c.r)
		rz := c.space.Dot(c.r, c.z)
		if k == 0 {
			first = rz
			c.space.Copy(c.p, c.z)
		} else {
			c.space.Xpay(c.z, rz/before, c.p)
		}
		if !(rz > innerTol*innerTol*first) {
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
