//go:build !purego

package kernels

func quantizeVectors(m []int64, width []uint8, v []float64, scale float64) int {
	if len(v) == 0 {
		return 0
	}
	return quantizeAVX512(&m[0], &width[0], &v[0], len(v), scale)
}

//go:noescape
func quantizeAVX512(m *int64, width *uint8, v *float64, n int, scale float64) (zeros int)

func packSlotsOct(even, odd []byte, m []int64, items []int32, widths []uint8) {
	c := newPackCall(m, first(items), widths)
	c.to[0], c.to[1] = first(even), first(odd)
	packOct(&c)
}

func packBlocksVectorsOct(to *[MaxBlock][]byte, m []int64, items *BlockItems, b, w int) {
	width := [1]byte{byte(w)}
	c := newPackCall(m, &items.First[0], width[:])
	c.blocks(to, items, b)
	packBlocksOct(&c)
}
