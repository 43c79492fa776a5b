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
	c.convert(convertJob[T]{src: src, scale: scale})
	if most := kernels.AbsMax(c.job.most); !(most > leastInput && most < mostInput) && most == most {
		if most = kernels.AbsMax(src); most > 0 && finite(most) {
			_, e := math.Frexp(most)
			scale = math.Ldexp(1, -max(e, -1000))
			c.convert(convertJob[T]{src: src, scale: scale})
		}
	}
	c.run(0)
	c.convert(convertJob[T]{dst: dst, scale: 1 / scale})
}

// convertJob is a conversion from or to float64 as a parallel.Job: to the right-hand side
// S_1 scale src, or from the solution to dst = S scale x.
type convertJob[T real] struct {
	c        *cycle[T]
	src, dst []float64
	scale    float64
	most     []float64 // the largest magnitudes of the right-hand side, NaN if an element is
}

func (c *cycle[T]) convert(j convertJob[T]) {
	j.c, j.most = c, c.job.most
	c.job = j
	pool := c.pool
	if len(c.root) < serialChunks {
		pool = nil
	}
	pool.Run(len(j.most), &c.job)
	c.job = convertJob[T]{most: j.most}
}

// Do converts some elements.
func (j *convertJob[T]) Do(part int) {
	lo, hi := part*convertRows, min((part+1)*convertRows, len(j.c.root))
	if j.dst != nil {
		x, dst := j.c.solution(0)[lo:hi], j.dst[lo:hi]
		for i, w := range j.c.root[lo:hi] {
			dst[i] = float64(w) * float64(x[i]) * j.scale
		}
		return
	}
	most := T(0)
	f, src := j.c.rhs(0)[lo:hi], j.src[lo:hi]
	for i, w := range j.c.left[lo:hi] {
		v := w * T(j.scale*src[i])
		f[i] = v
		if v = max(v, -v); !(v <= most) { // NaN sticks
			most = v
		}
	}
	j.most[part] = float64(most)
}
