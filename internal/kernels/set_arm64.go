//go:build !purego

package kernels

var levels = []level{{"neon", true, (*Set).neon}}

func (k *Set) neon() {
	k.quad()
	k.csr64 = csrQuad[float64](csrHere)
	k.csr32 = csrQuad[float32](csrHere)
}
