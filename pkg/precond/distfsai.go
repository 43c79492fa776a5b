package precond

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// newDistributedFSAI is newFSAI of a matrix that is spread over ranks. A row of G with the pattern of A needs the rows of
// that pattern, which are in the segment of its domain: so M does not depend on domains, but for rounding. With patterns of higher powers it is
// one of each domain's diagonal block.
func newDistributedFSAI(s distributed) (Preconditioner, error) {
	if s.Degree > 1 {
		return byDomain(equilibrated(newFSAI))(s)
	}
	g, err := s.fsaiFactor()
	if err != nil {
		return nil, err
	}
	gt := s.transposed(g)
	rows, cols := s.largest(g.RowSums(s.pool)), s.largest(gt.RowSums(s.pool))
	norm := max(rows, cols)
	if !finite(norm) {
		return nil, fmt.Errorf("%w: entries of the factor are not finite", ErrNotDefinite)
	}
	theta := 0.0
	if s.Epsilon > adaptive.MinEpsilon {
		theta = math.Ldexp(1, dd.Exponent(s.Epsilon*norm)-1) // the power of two not above
		round(g, 2*theta, s.pool)
		round(gt, 2*theta, s.pool)
	}
	p := &fsai{twoProducts{work: make(vector, s.a.Len)}, defaultPower}
	var costG, costT Cost
	var errG, errT error
	p.a, costG, errG = s.storeRounded(g, theta)
	p.b, costT, errT = s.storeRounded(gt, theta)
	for _, err := range []error{errG, errT} {
		if err := agree(s.a.Comm, err); err != nil {
			return nil, err
		}
	}
	p.cost = s.total(costG.Add(costT).Add(workCost(int64(s.a.Elements()))))
	return p, nil
}

// fsaiFactor returns G, in positions of vectors.
func (s *distributed) fsaiFactor() (*csr.Matrix, error) {
	ghosts := s.a.GhostRows(s.m)
	own := make([]outcome, len(s.a.Parts))
	var blocks []dist.RowBlock
	for k, p := range s.a.Parts {
		part, o := s.fsaiPart(k, ghosts[k])
		if own[k] = o; o.Error != nil {
			break
		}
		blocks = append(blocks, dist.ShiftedBlock(p.At, part, 0, part.Rows, p.At))
	}
	all := joinOutcomes(s.a.Comm, own)
	s.report(all)
	if all.Error != nil {
		return nil, decodeError(all.Error)
	}
	return dist.Stacked(s.a.Len, s.a.Len, blocks, s.pool), nil
}

// fsaiPart returns the own rows of part k of G, with the columns of its segment.
func (s *distributed) fsaiPart(k int, ghosts dist.Rows) (g *csr.Matrix, o outcome) {
	p := s.a.Parts[k]
	m := s.a.Segment(s.m, k, ghosts, s.pool)
	opt := s.Options
	opt.MaxBytes = s.share(opt.MaxBytes, m)
	opt.Needs = func(bytes int64) { o.Needs = max(o.Needs, s.ofAll(bytes, m)) }
	t := newSetup(s.ctx, m, opt, s.pool)
	var err error
	func() {
		defer t.end(&err)
		if err = t.interrupted(); err != nil {
			return
		}
		f := t.fsai(p.Below, p.Below+p.Own)
		g, err = f.factor()
	}()
	if err != nil {
		o.Error = encodeError(s.located(p, err))
	}
	return g, o
}

// transposed returns the own rows of G^T, whose pattern is part of the pattern of A. Collective.
func (s *distributed) transposed(g *csr.Matrix) *csr.Matrix {
	var blocks []dist.RowBlock
	for k, ghosts := range s.a.GhostRows(g) {
		p := s.a.Parts[k]
		t := s.a.Segment(g, k, ghosts, s.pool).Transpose(s.pool)
		blocks = append(blocks, dist.ShiftedBlock(p.First(), t, p.Below, p.Below+p.Own, p.At))
	}
	return dist.Stacked(s.a.Len, s.a.Len, blocks, s.pool)
}

// largest returns the largest of what all ranks have, none of them negative; NaN if one is. Collective.
func (s *distributed) largest(x []float64) float64 {
	bits := []int64{0}
	for _, v := range x {
		bits[0] = max(bits[0], int64(math.Float64bits(v)&math.MaxInt64)) // NaN is above infinity
	}
	s.a.Comm.Max(bits)
	return math.Float64frombits(uint64(bits[0]))
}

// storeRounded stores a matrix of multiples of 2 theta in positions of vectors so that they stay as they are; in FP64 if theta is 0.
func (s *distributed) storeRounded(m *csr.Matrix, theta float64) (linop.Relaxer[vector, scalar], Cost, error) {
	g := &dist.Matrix{Layout: s.a.Layout, N: s.a.N, NNZ: s.a.NNZ, Local: m}
	var parts []linop.Products
	var cost Cost
	for k := range s.a.Parts {
		part := g.PartOf(m, k, s.pool)
		epsilon := 0.0
		if norm := slices.Max(part.RowSums(s.pool)); theta > 0 && norm > 0 {
			epsilon = min(theta/norm*(1+0x1p-10), 0.5) // a little more than theta, relative to the norm
		}
		a, c, err := store(part, epsilon, s.Options, s.pool)
		if err != nil {
			return nil, cost, err
		}
		parts = append(parts, productsOf(a))
		cost = cost.Add(c)
	}
	return dist.NewOperator(g, parts, s.pool), cost, nil
}

// productsOf returns the products of a matrix of store.
func productsOf(a linop.Relaxer[vector, scalar]) linop.Products {
	switch a := a.(type) {
	case linop.CSR:
		return a
	case adaptive.Matrix:
		return a.Products()
	}
	panic(fmt.Sprintf("precond: products of a %T", a))
}
