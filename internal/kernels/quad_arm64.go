//go:build !purego

package kernels

func init() {
	vector.from(NEON, quadVector)
	slots.from(NEON, mulSlotsQuad)
	slotsMulti.from(NEON, mulSlotsMultiQuad)
	symmetricMulti.from(NEON, mulSymmetricMultiQuad)
	fastSlots.from(NEON, true)
	addingRows.from(NEON, addRowsWordsQuad)
	symmetric.from(NEON, mulSymmetricQuad)
}
