//go:build !amd64 || purego

package kernels

// The kernels for this processor: there are none.
var (
	slotsSIMD func(dst []float64, p *SlotPanel, x []float64, row0 int, d Units, add bool)
	csrSIMD   func(dst []float64, lo, hi int, rowPtr []int64, col []int32, val, x []float64)
)
