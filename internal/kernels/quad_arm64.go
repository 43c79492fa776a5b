//go:build !purego

package kernels

func init() {
	slots.from(NEON, mulSlotsQuad)
	fastSlots.from(NEON, true)
	symmetric.from(NEON, mulSymmetricQuad)
}
