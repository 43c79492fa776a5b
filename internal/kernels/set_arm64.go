//go:build !purego

package kernels

var levels = []level{{"neon", true, (*Set).neon}}

func (k *Set) neon() {
	k.vector = quadVector
	k.slots = mulSlotsQuad
	k.fastSlots = true
	k.symmetric = mulSymmetricQuad
	k.slotsMulti = quadMulti.mulSlots
	k.symmetricMulti = quadMulti.mulSymmetric
	k.decode = decodeQuad
	k.addRows = addRowsWordsQuad
}
