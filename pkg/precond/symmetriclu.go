package precond

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/direct/factor"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// mostUnpivoted is the largest row-wise backward error of a solve with factors of a symmetric matrix: a few iterations make up for it, and other factors take
// at least twice as long.
const mostUnpivoted = 1e-6

// newLDL is M = L |D| L^T where A = L D L^T, in an order that fills little: positive definite
// for every symmetric A, and M^-1 A has the eigenvalues 1 and -1 [Vecharynski13], unless
// pivots were replaced.
func newLDL(s setup) (Preconditioner, error) {
	c, _, err := s.indefinite(LDL)
	if err != nil {
		return nil, err
	}
	c.Modulus = true
	return c, nil
}

// keepsSymmetry reports whether LU is tried as L D L^T.
func (s *setup) keepsSymmetry() bool {
	return s.m.NNZ() > quickNonzeros && s.m.Rows == s.m.Cols && csr.Examine(s.m, s.pool).Symmetric
}

// newSymmetricLU is newLU for a large symmetric matrix, in an order that keeps it symmetric: A = L D L^T takes half the work of L U, and
// an order of A fills less than one of A with its rows permuted. It returns nil if the matrix is not symmetric, or the factors do not suffice.
func (s *setup) newSymmetricLU() (Preconditioner, error) {
	if !s.keepsSymmetry() {
		return nil, nil
	}
	c, suffices, err := s.indefinite(LU)
	if err != nil || !suffices {
		return nil, err
	}
	return c, nil
}

// indefinite is A = L D L^T by the pivoting of Bunch and Kaufman within fronts; where the diagonal has zeros, or these fronts do not suffice, each
// unknown with a weak diagonal entry is in a front with one that it depends on strongly. For M = L |D| L^T no pivot may have been replaced.
func (s *setup) indefinite(kind Kind) (c *complete, suffices bool, err error) {
	if s.wholeDiagonal() {
		p, err := s.planSymmetric()
		if err != nil {
			return nil, false, err
		}
		c, replaced, err := s.signed(kind, p)
		if err != nil || (kind == LU || replaced == 0) && s.suffices(c, mostUnpivoted) {
			return c, true, err
		}
	}
	p, err := s.planPairs()
	if err != nil {
		return nil, false, err
	}
	if c, _, err = s.signed(kind, p); err != nil {
		return nil, false, err
	}
	return c, kind == LDL || s.suffices(c, mostUnpivoted), nil // nothing else is M = L |D| L^T
}

// wholeDiagonal reports whether the diagonal has no zeros.
func (s *setup) wholeDiagonal() bool { return !slices.Contains(s.m.Diagonal(s.pool), 0) }

// planIndefinite is the plan that indefinite begins with.
func (s *setup) planIndefinite() (*frontPlan, error) {
	if s.wholeDiagonal() {
		return s.planSymmetric()
	}
	return s.planPairs()
}

// signed is A = L D L^T with so many pivots replaced. The name of the factors says how many eigenvalues of D, and so of A, are negative.
func (s *setup) signed(kind Kind, p *frontPlan) (c *complete, replaced int64, err error) {
	r := &factor.Rule{}
	c, err = s.factored(kind, "L D L^T, "+p.tree.OrderedBy+" order", p, r)
	if err == nil {
		c.name = fmt.Sprintf("%s, %d negative eigenvalues", c.name, r.Negative.Load())
	}
	return c, r.Replaced.Load(), err
}

// planPairs is the plan of fronts in which each unknown with a weak diagonal entry is together with one
// that it depends on strongly ([DuffPralet05], [SchenkGaertner06]).
func (s *setup) planPairs() (*frontPlan, error) {
	scaling, err := csr.SymmetricScaling(s.m, false, s.pool)
	if err != nil {
		return nil, err
	}
	match, more, err := transversal(s.ctx, scaling.Apply(s.m, s.pool), s.pool)
	if err != nil {
		return nil, err
	}
	for i := range scaling.Row { // the matched entries stay about 1, and others at most
		e := (more.Row[i] + more.Col[i]) >> 1
		scaling.Row[i] += e
		scaling.Col[i] += e
	}
	a := scaling.Apply(s.m, s.pool)
	a = padded(a, pairs(match, a.Diagonal(s.pool)))
	return s.planFronts(a, nil, nil, placement{rowExp: scaling.Row, colExp: scaling.Col})
}

// pairs cuts the cycles of a matching of columns with rows into pairs, and returns the partner of each unknown: itself if it has none.
// Unknowns whose diagonal entries are not weak stay alone.
func pairs(match []int32, diagonal []float64) []int32 {
	partner := marks(len(match))
	var cycle []int32
	for first := range match {
		cycle = cycle[:0]
		for j := int32(first); partner[j] < 0; j = match[j] {
			partner[j] = j
			cycle = append(cycle, j)
		}
		if len(cycle)%2 == 1 { // the one with the largest diagonal entry stays alone
			largest := 0
			for k, j := range cycle {
				if math.Abs(diagonal[j]) > math.Abs(diagonal[cycle[largest]]) {
					largest = k
				}
			}
			cycle = slices.Concat(cycle[largest+1:], cycle[:largest])
		}
		for k := 0; k+1 < len(cycle); k += 2 {
			i, j := cycle[k], cycle[k+1]
			if min(math.Abs(diagonal[i]), math.Abs(diagonal[j])) < weakDiagonal {
				partner[i], partner[j] = j, i
			}
		}
	}
	return partner
}

// padded adds zeros to a symmetric matrix, so that both unknowns of a pair have the same neighbours and any order that fills little
// eliminates them one after the other, in one front.
func padded(m *csr.Matrix, partner []int32) *csr.Matrix {
	out := &csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: make([]int64, 1, m.Rows+1), Col: make([]int32, 0, 2*m.NNZ()), Val: make([]float64, 0, 2*m.NNZ())}
	in := marks(m.Rows)
	var list []int32
	for i := range int32(m.Rows) {
		list = list[:0]
		add := func(j int32) {
			if in[j] != i {
				in[j] = i
				list = append(list, j)
			}
		}
		for _, of := range [2]int32{i, partner[i]} {
			add(of)
			cols, _ := m.Row(int(of))
			for _, j := range cols {
				add(j)
				add(partner[j])
			}
		}
		slices.Sort(list)
		cols, vals := m.Row(int(i))
		for _, j := range list {
			v := 0.0
			if len(cols) > 0 && cols[0] == j {
				v, cols, vals = vals[0], cols[1:], vals[1:]
			}
			out.Col, out.Val = append(out.Col, j), append(out.Val, v)
		}
		out.RowPtr = append(out.RowPtr, int64(len(out.Col)))
	}
	return out
}
