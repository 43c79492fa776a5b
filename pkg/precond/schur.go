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
// GMRES takes two iterations if A~ = A and S~ = S. A~ is A if A is diagonal; else an inexact solve, see inexactInverse. For S~ see
// complement.
type schur struct {
	hostOnly
	*fields
	inverseA, inverseS Preconditioner
	storedA            linop.Relaxer[vector, scalar] // nil: A is diagonal
	storedG            linop.Relaxer[vector, scalar]
	r, z               vector // in the order of the fields
	pool               *parallel.Pool
	cost               Cost
	text               string

	dst, src vector // of the application that is running; dst is nil until the result is known
}

func newSchur(s setup) (Preconditioner, error) {
	f, err := s.fields()
	if err != nil {
		return nil, err
	}
	n, held := len(f.order), f.bytes()
	p := &schur{fields: f, r: make(vector, n), z: make(vector, n), pool: s.pool}
	if p.inverseA, err = s.inverse("A", f.a, f.order[:f.first], innerTol, held); err != nil {
		return nil, err
	}
	if err := p.store(&s, held); err != nil {
		return nil, err
	}
	if err := p.complement(&s, held+p.cost.Bytes); err != nil {
		return nil, err
	}
	p.cost = p.cost.Add(p.inverseS.Cost())
	p.text = fmt.Sprintf("%s, %d + %d rows, A: %v; S: %v", Schur, f.first, n-f.first, p.inverseA, p.inverseS)
	f.dropBlocks()
	return p, nil
}

// store stores A, unless it is diagonal, and G.
func (p *schur) store(s *setup, held int64) (err error) {
	n := int64(len(p.order))
	p.cost = p.inverseA.Cost().Add(workCost(2 * n)).Add(Cost{Bytes: 4 * n})
	if err := s.checkMemory(held + p.cost.Bytes + p.a.Bytes() + p.g.Bytes()); err != nil {
		return err
	}
	var cost Cost
	if p.storedG, cost, err = store(p.g, finer(s.Epsilon), s.Options, s.pool); err != nil {
		return err
	}
	p.cost = p.cost.Add(cost)
	switch c, inner := p.inverseA.(*innerCG); {
	case inner:
		p.storedA = c.a
	case !isDiagonal(p.a):
		p.storedA, cost, err = store(p.a, finer(s.Epsilon), s.Options, s.pool)
		p.cost = p.cost.Add(cost)
	}
	return err
}

// finer is the accuracy of the stored blocks, relative to their norms: jumps of coefficients make some of their rows small.
func finer(epsilon float64) float64 { return epsilon * epsilon }

// inverse sets up an approximate inverse of a block with these rows, beside so many bytes: the diagonal of a diagonal one, and otherwise
// inexactInverse to a tolerance.
func (s *setup) inverse(name string, m *csr.Matrix, rows []int32, tol float64, held int64) (p Preconditioner, err error) {
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
	b.BlockSize = BlockSize(m)
	b.Multigrid.NearNull = s.nearNullOf(rows, b.BlockSize)
	create := newJacobi
	if !isDiagonal(m) {
		create = inexactInverse(tol)
	}
	if name == "S" { // callers scale A
		create = equilibrated(create)
	}
	if p, err = create(b); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// isDiagonal reports whether m is a diagonal matrix.
func isDiagonal(m *csr.Matrix) bool {
	if m.NNZ() != m.Rows {
		return false
	}
	for i, j := range m.Col {
		if int(j) != i {
			return false
		}
	}
	return true
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
	p.storedG.ApplyPlus(p.z[:first], p.r[:first], p.z[first:])
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
