package mp

import (
	"math/big"
	"math/bits"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// AddScaled computes v += 2^e d, each element rounded once.
func (v *Vec) AddScaled(d []float64, e int) {
	s, y := kernels.NewAdder(v.words), v.all()
	for i, a := range d {
		addFloat64(s, &y, i, a, e)
	}
}

// addFloat64 adds a 2^e to number i of y.
func addFloat64(s *kernels.Adder, y *kernels.Numbers, i int, a float64, e int) {
	if w, ea, neg := split(a); w != 0 {
		shift := bits.LeadingZeros64(w)
		s.Put(y, i, y.Term(i), kernels.Term{Neg: neg, M: []uint64{w << shift}, E: ea + 64 - shift + e})
	}
}

// Axpy computes v += a x, each element rounded once. a is rounded to the precision of v first.
func (v *Vec) Axpy(pool *parallel.Pool, a *big.Float, x *Vec) { v.multiply(pool, a, x, true) }

// Scale computes v = a v, each element rounded once. a is rounded to the precision of v first.
func (v *Vec) Scale(pool *parallel.Pool, a *big.Float) { v.multiply(pool, a, v, false) }

// multiply computes v = a x, or v += a x.
func (v *Vec) multiply(pool *parallel.Pool, a *big.Float, x *Vec, add bool) {
	if x.Len() != v.Len() {
		panic("mp: a sum of vectors of different lengths")
	}
	factor := New(1, v.bits)
	factor.Set(0, a)
	pool.RunRanges(blocks(pool, v.Len()), func(_, lo, hi int) {
		if add {
			kernels.Default().AddTimes(v.numbers(lo, hi), factor.all(), x.numbers(lo, hi))
			return
		}
		fs, xs, m := factor.all(), x.all(), make([]uint64, x.words+v.words)
		f := fs.Term(0)
		for i := lo; i < hi; i++ {
			p := f.Times(xs.Term(i), m)
			v.put(i, p.Neg, p.M, p.E, false)
		}
	})
}
