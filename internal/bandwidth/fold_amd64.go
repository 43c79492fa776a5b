//go:build !purego

package bandwidth

import "github.com/mpsolve/mpsolve/internal/kernels"

// simdFolds are fold for n > 0 elements of each stream, by tier.
var simdFolds = map[kernels.Tier]func(p *float64, n, streams int) uint64{
	kernels.AVX2:   foldAVX2,
	kernels.AVX512: foldAVX512,
}

//go:noescape
func foldAVX2(p *float64, n, streams int) uint64

//go:noescape
func foldAVX512(p *float64, n, streams int) uint64
