//go:build !amd64 || purego

package kernels

// The kernels for this processor: there are none.
var (
	slotsSIMD func(acc []float64, p *SlotPanel, x []float64)
	csr64SIMD csrKernel[float64]
	csr32SIMD csrKernel[float32]
)
