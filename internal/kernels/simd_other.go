//go:build !amd64 || purego

package kernels

// The kernels for this processor: there are none.
var (
	slotsSIMD func(acc []float64, p *SlotPanel, x []float64)
	csrSIMD   func(dst []float64, lo, hi int, rowPtr []int64, col []int32, val, x []float64)
)

func decodeSIMD([]float64, []byte, Words) bool { return false }

func addRowsSIMD([]float64, int, int, []uint32, []int32, Words, []byte, []float64) bool { return false }
