package csr

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/james-bowman/sparse"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// BenchmarkMatrix examines, scales, reorders, multiplies and converts a five-point grid
// of five million nonzeros; "Upwind" is one without a partner to any entry.
func BenchmarkMatrix(b *testing.B) {
	const n, k = 1_000_000, 1000
	five := func(stencil ...int) *Matrix {
		return build(b, n, n, func(add func(i, j int, v float64)) {
			for i := range n {
				for _, d := range stencil {
					if j := i + d; 0 <= j && j < n {
						add(i, j, float64(1+i%7+j%7))
					}
				}
			}
		})
	}
	m, upwind := five(-k, -1, 0, 1, k), five(-2*k, -k, -2, -1, 0)
	scaling, src := BothScaling(m, nil), m.ToSparse()
	p := shuffled(rand.New(rand.NewPCG(27, 28)), n)
	q := p.Inverse()
	s := m.Permuted(p, q, nil)
	for _, bench := range []struct {
		name string
		run  func(pool *parallel.Pool)
	}{
		{"Examine", func(pool *parallel.Pool) { Examine(m, pool) }},
		{"ExamineUpwind", func(pool *parallel.Pool) { Examine(upwind, pool) }},
		{"RowSums", func(pool *parallel.Pool) { m.RowSums(pool) }},
		{"RowScaling", func(pool *parallel.Pool) { RowScaling(m, pool) }},
		{"SymmetricScaling", func(pool *parallel.Pool) { _, _ = SymmetricScaling(m, false, pool) }},
		{"BothScaling", func(pool *parallel.Pool) { BothScaling(m, pool) }},
		{"Apply", func(pool *parallel.Pool) { scaling.Apply(m, pool) }},
		{"Transpose", func(pool *parallel.Pool) { m.Transpose(pool) }},
		{"Permuted", func(pool *parallel.Pool) { m.Permuted(p, q, pool) }},
		{"RCM", func(*parallel.Pool) { _, _ = RCM(b.Context(), m) }},
		{"RCMShuffled", func(*parallel.Pool) { _, _ = RCM(b.Context(), s) }},
		{"FromCSR", func(*parallel.Pool) { _, _ = FromSparse(src) }},
		{"FromCSC", func(*parallel.Pool) { _, _ = FromSparse(src.T().(*sparse.CSC)) }},
		{"FromNonZeros", func(*parallel.Pool) { _, _ = fromNonZeros(src) }},
		{"ToSparse", func(*parallel.Pool) { m.ToSparse() }},
		{"Validate", func(*parallel.Pool) { _ = m.Validate() }},
	} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", bench.name, threads), func(b *testing.B) {
				pool := parallel.New(threads)
				defer pool.Close()
				b.SetBytes(m.Bytes())
				for b.Loop() {
					bench.run(pool)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.NNZ()), "ns/nz")
			})
		}
	}
}
