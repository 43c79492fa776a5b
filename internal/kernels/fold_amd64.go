//go:build !purego

package kernels

// foldTiers fold n > 0 elements of each stream.
var (
	foldTiers = map[Tier]func(p *float64, n, streams int) uint64{AVX2: foldAVX2, AVX512: foldAVX512}
	foldSIMD  = pick(foldTiers)
)

//go:noescape
func foldAVX2(p *float64, n, streams int) uint64

//go:noescape
func foldAVX512(p *float64, n, streams int) uint64
