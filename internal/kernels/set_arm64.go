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
	k.csr64Multi = csrMultiSIMD[float64](csr64Multi2Quad, csr64Multi4Quad, csr64Multi8Quad)
	k.csr32Multi = csrMultiSIMD[float32](csr32Multi2Quad, csr32Multi4Quad, csr32Multi8Quad)
	k.slotsMulti = quadMulti.mulSlots
	k.symmetricMulti = quadMulti.mulSymmetric
	k.decode = decodeQuad
	k.addRows = addRowsWordsQuad
}
