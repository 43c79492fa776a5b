package solve

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// loop goes over all unknowns in parts of fixed length, on the threads of a pool.
type loop struct {
	bounds []int
	pool   *linop.Pool
}

// partLength is the number of unknowns that a part of a loop has.
const partLength = 1 << 15

func newLoop(n int, pool *linop.Pool) loop {
	l := loop{pool: pool}
	for at := 0; at < n; at += partLength {
		l.bounds = append(l.bounds, at)
	}
	l.bounds = append(l.bounds, n)
	return l
}

// each calls do for every unknown.
func (l loop) each(do func(i int)) {
	l.pool.RunRanges(l.bounds, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			do(i)
		}
	})
}

// parts returns what do returns for each part.
func (l loop) parts(do func(lo, hi int) float64) []float64 {
	results := make([]float64, len(l.bounds)-1)
	l.pool.RunRanges(l.bounds, func(k, lo, hi int) { results[k] = do(lo, hi) })
	return results
}

// largest is the largest of the values for all unknowns, NaN if any is, and at least 0.
func (l loop) largest(value func(i int) float64) float64 {
	worst := 0.0
	for _, v := range l.parts(func(lo, hi int) float64 {
		worst := 0.0
		for i := lo; i < hi; i++ {
			worst = max(worst, value(i))
		}
		return worst
	}) {
		worst = max(worst, v)
	}
	return worst
}

// norm2 returns the 2-norm of x as norm 2^e, which may be beyond float64.
func (l loop) norm2(x []float64) (norm float64, e int) {
	largest := l.absMax(x)
	if largest == 0 || largest-largest != 0 {
		return largest, 0
	}
	e = csr.Exponent(largest)
	sum := 0.0
	for _, v := range l.parts(func(lo, hi int) (s float64) {
		for _, v := range x[lo:hi] {
			v = csr.Ldexp(v, -e)
			s += float64(v * v)
		}
		return s
	}) {
		sum += v
	}
	return math.Sqrt(sum), e
}

// absMax returns the largest magnitude, NaN if any element is NaN.
func (l loop) absMax(x []float64) (largest float64) {
	for _, v := range l.parts(func(lo, hi int) float64 { return kernels.AbsMax(x[lo:hi]) }) {
		largest = max(largest, v)
	}
	return largest
}
