//go:build !purego

package kernels

func init() {
	quantizing.from(AVX2, quantizeScalars)
	quantizing.from(AVX512, quantizeVectors)
	arranging.from(AVX2, arrangeSlotsQuad)
	sameDiagonals.from(AVX2, sameDiagonalsVectors)
	packing.from(AVX2, packSlotsQuad)
	packingBlocks.from(AVX2, packBlocksVectors)
}

func quantizeVectors(m []int64, width []uint8, v []float64, scale float64) int {
	if len(v) == 0 {
		return 0
	}
	return quantizeAVX512(&m[0], &width[0], &v[0], len(v), scale)
}

//go:noescape
func quantizeAVX512(m *int64, width *uint8, v *float64, n int, scale float64) (zeros int)
