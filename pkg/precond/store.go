package precond

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// store is storeFactor by the criterion nw, which stores a_ij and a_ji alike; in FP64 if epsilon is MinEpsilon.
func store(m *csr.Matrix, epsilon float64, opt Options, pool *parallel.Pool) (linop.Relaxer[vector, scalar], Cost, error) {
	return storeFactor(Factor{m, epsilon, adaptive.NW}, opt, pool)
}

// storeFactor stores f, which may be rectangular, in AFX; in FP64 CSR if its accuracy is 0 or MinEpsilon. See Options.Kernels and
// Options.Model.
func storeFactor(f Factor, opt Options, pool *parallel.Pool) (linop.Relaxer[vector, scalar], Cost, error) {
	m, epsilon := f.Matrix, f.Epsilon
	nnz := int64(m.NNZ())
	fp64 := Cost{nnz, 8 * nnz, m.Bytes(), m.Bytes()}
	if epsilon <= adaptive.MinEpsilon || nnz == 0 {
		a := linop.NewCSR(m, pool)
		kernels.Use(a, opt.Kernels)
		return a, fp64, nil
	}
	set, err := adaptive.LookupSet("AFX")
	if err != nil {
		return nil, Cost{}, err
	}
	a, err := adaptive.Build(m, adaptive.Spec{Set: set, Epsilon: epsilon, Criterion: f.Criterion, Kernels: opt.Kernels, Model: opt.Model}, pool)
	if err != nil {
		return nil, Cost{}, err
	}
	if a.Layout() == adaptive.CSR {
		a := linop.NewCSR32(m, pool)
		kernels.Use(a, opt.Kernels)
		return a, Cost{nnz, 4 * nnz, m.Bytes() - 4*nnz, m.Bytes()}, nil
	}
	s := a.Stats()
	kept := int64(s.NNZ - s.Dropped)
	cost := Cost{Values: kept, Bytes: a.Bytes(), FP64Bytes: m.Bytes()}
	for _, f := range s.Formats {
		cost.ValueBytes += int64(f.Count * f.Format.Bytes)
	}
	return a, cost, nil
}

// both returns g and its transpose so that each stays the transpose of the other when it is stored: g is
// first rounded to values that both formats hold exactly. Nonzeros on its diagonal stay
// nonzero. It overwrites g.
func both(g *csr.Matrix, epsilon float64, pool *parallel.Pool) ([]Factor, error) {
	rows, cols := slices.Max(append(g.RowSums(pool), 0)), slices.Max(append(colSums(g), 0))
	norm := max(rows, cols)
	if !finite(norm) {
		return nil, fmt.Errorf("%w: entries of the factor are not finite", ErrNotDefinite)
	}
	theta := 0.0
	if epsilon > adaptive.MinEpsilon {
		theta = math.Ldexp(1, csr.Exponent(epsilon*norm)-1) // the power of two not above
		round(g, 2*theta, pool)
	}
	return []Factor{factorWithin(g, theta, rows), factorWithin(g.Transpose(pool), theta, cols)}, nil
}

// storeAll stores factors, as they are if opt.Portable.
func storeAll(factors []Factor, opt Options, pool *parallel.Pool) (all []linop.Relaxer[vector, scalar], cost Cost, err error) {
	for _, f := range factors {
		if opt.Portable {
			f.Epsilon = 0
		}
		a, c, err := storeFactor(f, opt, pool)
		if err != nil {
			return nil, cost, err
		}
		all, cost = append(all, a), cost.Add(c)
	}
	return all, cost, nil
}

// colSums returns sum_i |a_ij| for each column.
func colSums(m *csr.Matrix) []float64 {
	t := make([]float64, m.Cols)
	for k, j := range m.Col {
		t[j] += math.Abs(m.Val[k])
	}
	return t
}

// round rounds g to multiples of quantum, a power of two, and drops what becomes zero, but
// for the diagonal, whose nonzeros become at least quantum.
func round(g *csr.Matrix, quantum float64, pool *parallel.Pool) {
	bounds := csr.Panels(g)
	zeros := make([]bool, len(bounds)-1)
	pool.RunRanges(bounds, func(panel, lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, vals := g.Row(i)
			for k, v := range vals {
				w := math.RoundToEven(v/quantum) * quantum
				if w == 0 && v != 0 && int(cols[k]) == i {
					w = math.Copysign(quantum, v)
				}
				vals[k] = w
				zeros[panel] = zeros[panel] || w == 0
			}
		}
	})
	if !slices.Contains(zeros, true) {
		return
	}
	n := int64(0)
	for i := range g.Rows {
		lo, hi := g.RowPtr[i], g.RowPtr[i+1]
		g.RowPtr[i] = n
		for k := lo; k < hi; k++ {
			if v := g.Val[k]; v != 0 {
				g.Col[n], g.Val[n] = g.Col[k], v
				n++
			}
		}
	}
	g.RowPtr[g.Rows] = n
	g.Col, g.Val = g.Col[:n], g.Val[:n]
}
