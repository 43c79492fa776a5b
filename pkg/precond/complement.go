package precond

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// complement sets inverseS to an approximate inverse of the Schur complement S = C + B A^-1 G, beside so many bytes. With D, the diagonal
// of A, and L = C + B D^-1 G, which inexactInverse inverts, it is
//
//	L^-1 (C + B D^-1 A D^-1 G) L^-1  or  (C + diag(B D^-1 G))^-1.
//
// The first, of least-squares commutators ([Elman06]), is S^-1 if A D^-1 G = G F for some F: for a diagonal A, and nearly so for A that are
// like mass matrices and for flow on staggered grids. Where that is far off, as of finite elements, the second is better: S of
// viscous flow is like a mass matrix of the pressure ([Elman14]).
func (p *schur) complement(s *setup, held int64) error {
	s.Stage("S: its approximation")
	whole, err := s.wholeComplement(p.fields, held)
	if err != nil {
		return err
	}
	held += whole.Bytes()
	l, err := s.inverse("S", whole, p.order[p.first:], innerTolS, held)
	if err != nil {
		return err
	}
	c, err := newCommutator(s, p, l)
	if err != nil {
		return err
	}
	if err := s.checkMemory(held + c.Cost().Bytes); err != nil {
		return err
	}
	if p.storedA == nil || c.defect() <= mostDefect {
		p.inverseS = c
		return s.interrupted()
	}
	p.inverseS, err = s.inverse("S", p.withDiagonal(), p.order[p.first:], innerTol, held)
	return err
}

// mostDefect is the largest defect with which commutators are used: it is 0.02 to 0.12 for flow on staggered grids with and without jumps of
// the viscosity, 0.16 to 0.27 for mixed diffusion, and 0.5 to 0.56 for Taylor and Hood's elements, in the plane and in space.
const mostDefect = 0.35

// commutator is L^-1 (C + B D^-1 A D^-1 G) L^-1.
type commutator struct {
	Preconditioner // L^-1
	of             *schur
	lower          linop.Relaxer[vector, scalar] // (B -C)
	overD          vector                        // the diagonal of D^-1
	space          linop.Host                    // of the first field

	u, v vector // v of both fields
	y, t vector
	cost Cost
}

func newCommutator(s *setup, p *schur, l Preconditioner) (*commutator, error) {
	n := len(p.order)
	c := &commutator{Preconditioner: l, of: p, overD: make(vector, p.first), space: s.space(p.first)}
	c.u, c.v, c.y, c.t = make(vector, p.first), make(vector, n), make(vector, n-p.first), make(vector, n-p.first)
	for i, d := range p.d {
		c.overD[i] = 1 / d
	}
	lower, cost, err := store(p.lower, finer(s.Epsilon), s.Options, s.pool)
	c.lower = lower
	c.cost = l.Cost().Add(cost).Add(workCost(int64(2*n + n + p.first)))
	return c, err
}

// Apply implements Preconditioner.
func (c *commutator) Apply(dst, src vector) {
	c.Preconditioner.Apply(c.y, src)
	c.image()
	for i, y := range c.y {
		c.v[c.of.first+i] = -y
	}
	c.lower.Apply(c.t, c.v)
	c.Preconditioner.Apply(dst, c.t)
}

// image sets the first part of v to D^-1 A D^-1 G y, and u to A D^-1 G y unless A = D.
func (c *commutator) image() {
	v := c.v[:c.of.first]
	c.of.storedG.Apply(c.u, c.y)
	c.space.Mul(1, c.overD, c.u, v)
	if c.of.storedA != nil {
		c.of.storedA.Apply(c.u, v)
		c.space.Mul(1, c.overD, c.u, v)
	}
}

// defect returns the distance of A D^-1 G x from the range of G for a random x, in the norm of D^-1, relative to its size.
func (c *commutator) defect() float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range c.y {
		c.y[i] = rng.Float64() - 0.5
	}
	c.image()
	v := c.v[:c.of.first]
	size := c.space.Dot(c.u, v)
	clear(c.v[c.of.first:])
	c.lower.Apply(c.t, c.v)
	c.Preconditioner.Apply(c.y, c.t)
	c.of.storedG.Apply(v, c.y)
	c.space.Axpy(-1, v, c.u)
	c.space.Mul(1, c.overD, c.u, v)
	return math.Sqrt((c.space.Dot(c.u, v) / size).Float())
}

func (c *commutator) Cost() Cost { return c.cost }

func (c *commutator) String() string { return fmt.Sprintf("commutators, %v", c.Preconditioner) }

// withDiagonal returns C + diag(B D^-1 G).
func (f *fields) withDiagonal() *csr.Matrix {
	c := newMatrix(len(f.e), len(f.e), int64(len(f.e)))
	for i, e := range f.e {
		cols, vals := f.lower.Row(i)
		n := f.left(cols)
		there := false
		for k, j := range cols[n:] {
			j -= int32(f.first)
			v := -vals[n+k]
			if !there && int(j) >= i {
				if there = true; int(j) == i {
					v += e
				} else {
					c.Col, c.Val = append(c.Col, int32(i)), append(c.Val, e)
				}
			}
			c.Col, c.Val = append(c.Col, j), append(c.Val, v)
		}
		if !there {
			c.Col, c.Val = append(c.Col, int32(i)), append(c.Val, e)
		}
		c.RowPtr[i+1] = int64(len(c.Col))
	}
	return c
}

// wholeComplement returns C + B D^-1 G as the product
//
//	(B D^-1/2  -C) (D^-1/2 G)
//	               (   -I   ),
//
// which is exactly symmetric if B is the transpose of G and C is symmetric.
func (s *setup) wholeComplement(f *fields, held int64) (*csr.Matrix, error) {
	if err := s.checkMemory(held + f.lower.Bytes() + f.g.Bytes() + 20*int64(len(f.order))); err != nil {
		return nil, err
	}
	left, right := f.lower.Clone(), newMatrix(len(f.order), f.g.Cols, int64(f.g.NNZ()+f.g.Cols))
	right.Col, right.Val = append(right.Col, f.g.Col...), append(right.Val, f.g.Val...)
	copy(right.RowPtr, f.g.RowPtr)
	root := make(vector, f.first)
	for i := range root {
		root[i] = 1 / math.Sqrt(f.d[i])
		_, vals := right.Row(i)
		for k := range vals {
			vals[k] *= root[i]
		}
	}
	for k, j := range left.Col {
		if int(j) < f.first {
			left.Val[k] *= root[j]
		}
	}
	for j := range f.g.Cols {
		right.Col, right.Val = append(right.Col, int32(j)), append(right.Val, -1)
		right.RowPtr[f.first+j+1] = int64(len(right.Col))
	}
	if err := s.checkWork(multiplicationsOf(left, right, s.pool)); err != nil {
		return nil, err
	}
	blocks := equalBlocks(right.Cols, 1)
	nonzeros, err := nonzerosOfProduct(left, right, blocks, s.pool)
	if err != nil {
		return nil, err
	}
	if err := s.checkMemory(held + left.Bytes() + right.Bytes() + 2*csr.Bytes(int64(left.Rows), nonzeros)); err != nil {
		return nil, err
	}
	return productOf(left, right, blocks, s.pool)
}
