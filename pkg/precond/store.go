package precond

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
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
		kernels.Use(a, opt.kernels)
		return a, fp64, nil
	}
	set, err := adaptive.LookupSet("AFX")
	if err != nil {
		return nil, Cost{}, err
	}
	a, err := adaptive.Build(m, adaptive.Spec{Set: set, Epsilon: epsilon, Criterion: f.Criterion, Kernels: opt.Kernels, Model: opt.Model, Narrow: true}, pool)
	if err != nil {
		return nil, Cost{}, err
	}
	if a.Layout() == adaptive.CSR {
		a := linop.NewCSR32(m, pool)
		kernels.Use(a, opt.kernels)
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
		theta = math.Ldexp(1, dd.Exponent(epsilon*norm)-1) // the power of two not above
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
		s.Multigrid.NearNull = slices.Clone(s.Multigrid.NearNull)
		for k, v := range s.Multigrid.NearNull {
			w := make(vector, n)
			for i := range w {
				w[i] = dd.Ldexp(v[i], -e[i])
			}
			s.Multigrid.NearNull[k] = w
		}
		p, err := create(s)
		if err != nil {
			return nil, err
		}
		space := s.space(n)
		q := &rescaled{Preconditioner: p, space: space, s: space.New(), v: space.New()}
		for i := range q.s {
			q.s[i] = dd.Ldexp(1, e[i])
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

const (
	// leastInput and mostInput bound the largest element of a right-hand side of a cycle.
	leastInput = 0x1p-60
	mostInput  = 0x1p60
	// convertRows is the number of elements that are converted at a time.
	convertRows = 4096
)

// Apply does one cycle from zero: dst = M^-1 src. Where float32 could over- or underflow, src is
// scaled by a power of two meanwhile.
func (c *cycle[T]) Apply(dst, src []float64) {
	scale := 1.0
	if most := c.convert(convertJob[T]{src: src, scale: scale}); !(most > leastInput && most < mostInput) && most == most {
		if most = c.convert(convertJob[T]{src: src}); most > 0 && finite(most) {
			_, e := math.Frexp(most)
			scale = math.Ldexp(1, -max(e, -1000))
		}
		c.convert(convertJob[T]{src: src, scale: scale})
	}
	c.run(0)
	c.convert(convertJob[T]{dst: dst, scale: 1 / scale})
}

// span maps n elements from at on of vectors of the finest level to the elements from outer on of the vectors of Apply.
type span struct{ at, outer, n int }

// setSpans sets the spans of the elements that the cycle has: of at most convertRows elements each.
func (c *cycle[T]) setSpans(all ...span) {
	c.spans = nil
	for _, s := range all {
		for lo := 0; lo < s.n; lo += convertRows {
			c.spans = append(c.spans, span{s.at + lo, s.outer + lo, min(convertRows, s.n-lo)})
		}
	}
	c.job.most = make([]float64, len(c.spans))
}

// convertJob is a conversion from or to float64 as a parallel.Job: to the right-hand side
// S_1 scale src, or from the solution to dst = S scale x. If scale is 0, it only looks for the largest magnitude of src.
type convertJob[T real] struct {
	c        *cycle[T]
	src, dst []float64
	scale    float64
	most     []float64 // the largest magnitudes of the right-hand side, NaN if an element is
}

// convert does a conversion and returns the largest magnitude, NaN if an element is.
func (c *cycle[T]) convert(j convertJob[T]) float64 {
	j.c, j.most = c, c.job.most
	c.job = j
	pool := c.pool
	if len(c.root) < serialChunks {
		pool = nil
	}
	pool.Run(len(c.spans), &c.job)
	c.job = convertJob[T]{most: j.most}
	most := kernels.AbsMax(j.most)
	if c.greatest != nil && j.dst == nil {
		most = c.greatest(most)
	}
	return most
}

// Do converts some elements.
func (j *convertJob[T]) Do(part int) {
	s := j.c.spans[part]
	lo, hi := s.at, s.at+s.n
	switch {
	case j.dst != nil:
		x, dst := j.c.solution(0)[lo:hi], j.dst[s.outer:][:s.n]
		for i, w := range j.c.root[lo:hi] {
			dst[i] = float64(w) * float64(x[i]) * j.scale
		}
	case j.scale == 0:
		j.most[part] = kernels.AbsMax(j.src[s.outer:][:s.n])
	default:
		most := T(0)
		f, src := j.c.rhs(0)[lo:hi], j.src[s.outer:][:s.n]
		for i, w := range j.c.left[lo:hi] {
			v := w * T(j.scale*src[i])
			f[i] = v
			if v = max(v, -v); !(v <= most) { // NaN sticks
				most = v
			}
		}
		j.most[part] = float64(most)
	}
}
