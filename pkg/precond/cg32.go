package precond

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

const (
	cg32Tol   = 3e-4 // that the residual of an application is reduced to, in the 2-norm, scaled: three reach a tolerance of 1e-10
	cg32Steps = 80   // at most
)

// cg32 solves A z = r inexactly by conjugate gradients with the diagonal, in float32: with vectors of float32 and the matrix
//
//	S A S,  S = D^-1/2,
//
// in float32. The method that applies it iterates in FP64, with few iterations ([SuzukiIwashita25] nests methods like this). Where rows are
// short, an iteration in FP64 takes mostly vectors, of which this one reads and writes half the bytes. Inner products are summed in float64.
type cg32 struct {
	hostOnly
	n          int
	a          *chunked
	root       []float32 // S
	x, r, p, q []float32
	pool       *parallel.Pool
	kernels    *kernels.Set
	cost       Cost

	applications, steps int
	rate                float64 // see Inner

	// The loop that is running.
	op       cg32Op
	partial  []float64 // results of its blocks
	dst, src vector
	exponent int
	factor   float32
}

// cg32Op names a loop over all rows.
type cg32Op uint8

const (
	cg32Size      cg32Op = iota // max |src|
	cg32Begin                   // r = p = S src 2^-exponent, x = 0; r·r
	cg32Dot                     // p·q
	cg32Step                    // x += factor p, r -= factor q; r·r
	cg32Direction               // p = r + factor p
	cg32End                     // dst = S x 2^exponent
)

// cg32Block is the number of rows of a block.
const cg32Block = 4096

func newCG32(s setup) (Preconditioner, error) {
	n := s.m.Rows
	if err := s.checkMemory(8*int64(s.m.NNZ()) + 40*int64(n)); err != nil {
		return nil, err
	}
	w, err := inverseDiagonal(s.m, true, s.pool, func(i int, d float64) (float64, error) { return 0, errDiagonal(i, d, true) })
	if err != nil {
		return nil, err
	}
	if !rootsWithin(w, mostRoot) {
		return nil, errors.New("diagonal entries are too far apart for FP32")
	}
	scale := scaleOf(w, 1, s.pool)
	a, cost := chunkStore{s, true}.store(s.m, chunkScales{scale.root, scale.root}, nil)
	c := &cg32{n: n, a: a, root: rounded[float32](scale.root), pool: s.pool, kernels: s.kernels, partial: make([]float64, max(1, (n+cg32Block-1)/cg32Block))}
	for _, v := range []*[]float32{&c.x, &c.r, &c.p, &c.q} {
		*v = make([]float32, paddedLen(n))
	}
	c.cost = cost.Add(vectorCost[float32](5 * int64(n)))
	return c, nil
}

// Apply computes dst ~ A^-1 src. If A turns out not to be definite, it is D^-1 src, or what the steps before have found.
func (c *cg32) Apply(dst, src vector) {
	c.dst, c.src, c.exponent = dst, src, 0
	c.run(cg32Size)
	if most := slices.Max(c.partial); most > 0 && finite(most) {
		c.exponent = dd.Exponent(most)
	}
	rr := c.run(cg32Begin)
	if !finite(rr) {
		copy(c.x, c.r)
	}
	enough := cg32Tol * cg32Tol * rr
	first, steps := rr, c.steps
	for k := range cg32Steps {
		if !(rr > enough) || !finite(rr) {
			break
		}
		c.steps++
		c.a.Apply(c.q, c.p)
		pq := c.run(cg32Dot)
		if !(pq > 0) {
			if k == 0 {
				copy(c.x, c.r)
			}
			break
		}
		before := rr
		c.factor = float32(rr / pq)
		rr = c.run(cg32Step)
		c.factor = float32(rr / before)
		c.run(cg32Direction)
	}
	if c.applications++; c.steps > steps && finite(rr) {
		c.rate = max(c.rate, math.Log(first/rr)/2/float64(c.steps-steps))
	}
	c.run(cg32End)
	c.dst, c.src = nil, nil
}

// Inner returns the mean number of iterations of the applications so far, and the largest logarithm of a reduction by an iteration, in the mean of an application.
func (c *cg32) Inner() (iterations, rate float64) {
	return float64(c.steps) / float64(max(1, c.applications)), c.rate
}

// run runs a loop and returns the sum of its results.
func (c *cg32) run(op cg32Op) (sum float64) {
	c.op = op
	c.pool.Run(len(c.partial), c)
	for _, s := range c.partial {
		sum += s
	}
	return sum
}

// Do implements parallel.Job.
func (c *cg32) Do(block int) {
	lo := block * cg32Block
	hi := min(lo+cg32Block, c.n)
	c.partial[block] = c.rows(lo, hi)
}

// rows runs the loop for the rows lo to hi-1.
func (c *cg32) rows(lo, hi int) (result float64) {
	n := hi - lo
	x, r, p, q, root := c.x[lo:hi], c.r[lo:hi][:n], c.p[lo:hi][:n], c.q[lo:hi][:n], c.root[lo:hi][:n]
	switch f := c.factor; c.op {
	case cg32Size:
		for _, v := range c.src[lo:hi] {
			result = max(result, math.Abs(v))
		}
	case cg32Begin:
		for i, v := range c.src[lo:hi] {
			v := float32(dd.Ldexp(v, -c.exponent)) * root[i]
			x[i], r[i], p[i] = 0, v, v
		}
		result = c.kernels.DotMixed(r, r)
	case cg32Dot:
		result = c.kernels.DotMixed(p, q)
	case cg32Step:
		for i := range x {
			x[i] += float32(f * p[i])
			r[i] -= float32(f * q[i])
		}
		result = c.kernels.DotMixed(r, r)
	case cg32Direction:
		for i, v := range r {
			p[i] = v + float32(f*p[i])
		}
	case cg32End:
		dst := c.dst[lo:hi][:n]
		for i, v := range x {
			dst[i] = dd.Ldexp(float64(root[i]*v), c.exponent)
		}
	}
	return result
}

func (c *cg32) Cost() Cost { return c.cost }

func (c *cg32) String() string {
	return fmt.Sprintf("%s, to %g in at most %d iterations in FP32", CG32, cg32Tol, cg32Steps)
}
