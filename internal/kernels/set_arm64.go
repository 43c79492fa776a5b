//go:build !purego

package kernels

var levels = []level{{"neon", true, (*Set).neon}}

func (k *Set) neon() {
	k.vector = quadVector
	k.slots = mulSlotsQuad
	k.fastSlots = true
	k.symmetric = mulSymmetricQuad
	k.slotsMulti = mulSlotsMultiQuad
	k.symmetricMulti = mulSymmetricMultiQuad
	k.decode = decodeQuad
	k.addRows = addRowsWordsQuad
}
