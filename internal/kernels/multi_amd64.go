//go:build !purego

package kernels

func init() {
	slotsMulti.from(AVX2, mulSlotsMultiQuad)
	symmetricMulti.from(AVX2, mulSymmetricMultiQuad)
}
