package precond

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// fsai is the factorised sparse approximate inverse of a symmetric positive
// definite A [Kolotilina93],
//
//	M^-1 = G^T G,
//
// G lower triangular with a given pattern: the pattern of the lower triangle of a power
// of A without its weak entries. Among all matrices of this pattern G minimises
// ||I - G L|| in the Frobenius norm, A = L L^T, and the diagonal of G A G^T is
// one. Row i, with columns J, is
//
//	g = y / sqrt(y_i),  A_JJ y = e_i.
//
// G is rounded to multiples of one quantum before it and its transpose are
// stored, so that M is exactly symmetric; it is positive definite for every G without
// zeros on its diagonal.
type fsai struct {
	twoProducts
	power int
}

// twoProducts is M^-1 = B A. An application is two products and keeps a vector between them.
type twoProducts struct {
	a, b linop.Relaxer[vector, scalar]
	work vector
	many []vector // of ApplyMany, as work for each vector
	cost Cost
	data []Factor // with Options.Portable
}

// newTwoProducts stores the factors A and B of M^-1 = B A.
func newTwoProducts(s *setup, factors []Factor) (twoProducts, error) {
	p := twoProducts{work: make(vector, s.m.Rows)}
	stored, cost, err := storeAll(factors, s.Options, s.pool)
	if err != nil {
		return p, err
	}
	p.a, p.b, p.cost = stored[0], stored[1], cost.Add(workCost(int64(s.m.Rows)))
	if s.Portable {
		p.data = factors
	}
	return p, nil
}

const (
	defaultPower = 1
	// weakEntry: entries of A below weakEntry sqrt(a_ii a_jj) are left out of the
	// patterns of its powers.
	weakEntry = 0.01
	// maxFSAIRow bounds the entries of a row of G: those nearest to the diagonal.
	maxFSAIRow = 128
)

func newFSAI(s setup) (Preconditioner, error) {
	f := s.fsai(0, s.m.Rows)
	g, err := f.factor()
	if err != nil {
		return nil, err
	}
	factors, err := both(g, s.Epsilon, s.pool)
	if err != nil {
		return nil, err
	}
	p, err := newTwoProducts(&s, factors)
	return &fsai{p, f.power}, err
}

// fsaiSetup makes rows lo to hi-1 of the factor of m; the others are empty.
type fsaiSetup struct {
	setup
	lo, hi   int
	power    int
	diagonal vector
	panels   []int
}

// fsai returns what makes rows of the factor.
func (s *setup) fsai(lo, hi int) fsaiSetup {
	f := fsaiSetup{setup: *s, lo: lo, hi: hi, power: s.Degree, diagonal: s.m.Diagonal(s.pool), panels: csr.Panels(s.m)}
	if f.power <= 0 {
		f.power = defaultPower
	}
	return f
}

// factor returns G.
func (s *fsaiSetup) factor() (*csr.Matrix, error) {
	n := s.m.Rows
	g := &csr.Matrix{Rows: n, Cols: n, RowPtr: make([]int64, n+1)}
	patterns := make([][]int32, len(s.panels)-1)
	s.pool.RunRanges(s.panels, func(panel, lo, hi int) {
		var cols []int32
		for i := max(lo, s.lo); i < min(hi, s.hi); i++ {
			cols = s.pattern(cols[:0], i)
			g.RowPtr[i+1] = int64(len(cols))
			patterns[panel] = append(patterns[panel], cols...)
		}
	})
	for i := range n {
		g.RowPtr[i+1] += g.RowPtr[i]
	}
	if err := s.checkMemory(2*csr.Bytes(int64(n), g.RowPtr[n]) + int64(8*n)); err != nil {
		return nil, err
	}
	g.Col, g.Val = slices.Concat(patterns...), make([]float64, g.RowPtr[n])
	return g, s.fill(g)
}

// pattern appends the columns of row i of G.
func (s *fsaiSetup) pattern(cols []int32, i int) []int32 {
	cols = append(cols, int32(i))
	for range s.power {
		for _, j := range cols { // the columns of the power before
			next, vals := s.m.Row(int(j))
			for k, c := range next {
				if s.power == 1 && int(c) > i {
					break
				}
				if v := vals[k]; v != 0 && (s.power == 1 || v*v >= weakEntry*weakEntry*s.diagonal[j]*s.diagonal[c]) {
					cols = append(cols, c)
				}
			}
		}
		slices.Sort(cols)
		cols = slices.Compact(cols)
	}
	last, _ := slices.BinarySearch(cols, int32(i))
	return cols[max(0, last+1-maxFSAIRow) : last+1]
}

// fill computes the entries of G.
func (s *fsaiSetup) fill(g *csr.Matrix) error {
	faults := make([]error, len(s.panels)-1)
	s.pool.RunRanges(s.panels, func(panel, lo, hi int) {
		var a [maxFSAIRow * maxFSAIRow]float64
		for i := max(lo, s.lo); i < min(hi, s.hi); i++ {
			cols, vals := g.Row(i)
			n := len(cols)
			s.gather(a[:n*n], cols)
			if !denseCholesky(a[:n*n], n) {
				faults[panel] = fmt.Errorf("%w: found at row %d", ErrNotDefinite, i-s.lo+1)
				return
			}
			lastOfInverse(vals, a[:n*n])
		}
	})
	return cmp.Or(faults...)
}

// gather sets the lower triangle of the dense matrix a to the lower triangle of A_JJ, row
// after row.
func (s *fsaiSetup) gather(a []float64, j []int32) {
	for k, row := range j {
		to := a[k*len(j):][:k+1]
		clear(to)
		cols, vals := s.m.Row(int(row))
		first, _ := slices.BinarySearch(cols, j[0])
		at := 0
		for e := first; e < len(cols) && cols[e] <= row; e++ {
			for j[at] < cols[e] {
				at++
			}
			if j[at] == cols[e] {
				to[at] = vals[e]
			}
		}
	}
}

// lastOfInverse sets g to the last column of L^-T, L the lower triangle of l, row
// after row: y / sqrt(y_n) where L L^T y = e_n.
func lastOfInverse(g, l []float64) {
	n := len(g)
	clear(g)
	g[n-1] = 1
	for i := n - 1; i >= 0; i-- {
		row := l[i*n : i*n+n]
		g[i] /= row[i]
		for k, v := range row[:i] {
			g[k] -= float64(v * g[i])
		}
	}
}

// Apply computes dst = B A src.
func (p *twoProducts) Apply(dst, src vector) {
	p.a.Apply(p.work, src)
	p.b.Apply(dst, p.work)
}

func (p *twoProducts) Cost() Cost { return p.cost }

func (p *fsai) String() string {
	if p.power == 1 {
		return string(FSAI)
	}
	return fmt.Sprintf("%s, pattern of power %d", FSAI, p.power)
}
