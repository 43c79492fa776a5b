package adaptive

import (
	"sync"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/quantize"
)

// weights are odd pseudo-random numbers w_i, one for each row, by which a matrix M of integers is
// told from its transpose: the sum over j > i of w_i w_j (f(m_ij) - f(m_ji)) modulo 2^64, where f
// is one to one and moves high bits down. It is 0 if M is symmetric, never 0 if a single pair
// differs, and otherwise by chance. Sums of integers do not depend on their order.
type weights []uint64

func newWeights(n int, pool *parallel.Pool) weights {
	w := make(weights, n)
	const part = 1 << 16
	pool.Run((n+part-1)/part, parallel.Func(func(k int) {
		for i := k * part; i < min((k+1)*part, n); i++ {
			v := uint64(i+1) * 0x9e3779b97f4a7c15 // the finalizer of SplitMix64
			v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
			v = (v ^ v>>27) * 0x94d049bb133111eb
			w[i] = v ^ v>>31 | 1
		}
	}))
	return w
}

// mirrorOf is the part of the sum of rows.
func (b *builder) mirrorOf(w weights, t *quantize.Integers) uint64 {
	return b.spec.Kernels.Mirror(t.First, t.Col, t.M, w, t.Lo)
}

// isSymmetric reports whether the matrix is symmetric as it is stored: a_ij and a_ji
// are the same multiple of the same quantum.
func (b *builder) isSymmetric() bool {
	w := newWeights(b.m.Rows, b.pool)
	parts := make([]uint64, len(b.panels)-1)
	scratch := sync.Pool{New: func() any { return new(quantize.Integers) }}
	b.pool.RunRanges(b.panels, func(k, lo, hi int) {
		t := scratch.Get().(*quantize.Integers)
		defer scratch.Put(t)
		t.Quantize(b.m, b.part, lo, hi)
		parts[k] = b.mirrorOf(w, t)
	})
	sum := uint64(0)
	for _, p := range parts {
		sum += p
	}
	return sum == 0
}
