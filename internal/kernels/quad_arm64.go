//go:build !purego

package kernels

func init() {
	slots.from(NEON, mulSlotsQuad)
	symmetric.from(NEON, mulSymmetricQuad)
}
