//go:build !purego

package kernels

var levels = []level{{"neon", true, (*Set).neon}}

func (k *Set) neon() {
	k.vector = quadVector
	k.csr64 = csrQuad[float64](csrHere)
	k.csr32 = csrQuad[float32](csrHere)
	k.slots = mulSlotsQuad
	k.fastSlots = true
	k.symmetric = mulSymmetricQuad
	k.decode = decodeQuad
	k.addRows = addRowsWordsQuad

	k.quantize = quantizeScalars
	k.arrange = arrangeSlotsQuad
	k.sameDiagonals = sameDiagonalsVectors
	k.blockWidths = blockWidthsVectors
	k.mirror = mirrorScalars
	k.absSums = absSumsVectors
	k.pack = packSlotsQuad
	k.packBlocks = packBlocksVectors
}
