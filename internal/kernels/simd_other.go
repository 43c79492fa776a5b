//go:build !amd64 || purego

package kernels

// The kernels for this processor: there are none.
var (
	slotsSIMD func(acc []float64, p *SlotPanel, x []float64)
	csrSIMD   func(dst []float64, lo, hi int, rowPtr []int64, col []int32, val, x []float64)
)

func decodeBitsSIMD([]float64, []byte, int, FloatBits) bool { return false }

func decodeFloat32SIMD([]float64, []byte, int) bool { return false }

func decodeFixedSIMD([]float64, []byte, int, float64) bool { return false }

func addRowsSIMD([]float64, int, []uint32, []int32, []float64, int, []float64) (int, bool) {
	return 0, false
}
