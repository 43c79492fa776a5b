//go:build !amd64 || purego

package kernels

// The kernels for this processor: there are none.
var (
	slotsSIMD     func(dst []float64, p *SlotPanel, x []float64, row0 int, d Units, add bool)
	symmetricSIMD func(sums []float64, p *SlotPanel, x []float64, r SymmetricRange)
	csr64SIMD     csrKernel[float64]
	csr32SIMD     csrKernel[float32]
)

var (
	vectorTiers = map[Tier]vectorKernels{Portable: portableVector}
	vector      = pick(vectorTiers)
)
