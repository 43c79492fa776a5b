//go:build !purego

package kernels

func decodeSIMD(dst []float64, src []byte, w Words) bool {
	if active != NEON || len(dst) == 0 {
		return false
	}
	decodeQuad(dst, src, &w)
	return true
}
