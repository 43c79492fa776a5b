//go:build !purego

package kernels

func init() {
	vector.from(NEON, quadVector)
	slots.from(NEON, mulSlotsQuad)
	fastSlots.from(NEON, true)
	addingRows.from(NEON, addRowsWordsQuad)
	symmetric.from(NEON, mulSymmetricQuad)
	quantizing.from(NEON, quantizeScalars)
	arranging.from(NEON, arrangeSlotsQuad)
	sameDiagonals.from(NEON, sameDiagonalsVectors)
	packing.from(NEON, packSlotsQuad)
	packingBlocks.from(NEON, packBlocksVectors)
}
