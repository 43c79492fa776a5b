package precond

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

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
