package lab

import (
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/formats"
)

// The multiply-adds are v = slope v + shift, with the fixed point 1.
const (
	slope = 1 - 1.0/1024
	shift = 1.0 / 1024
)

func passFP64(_ RooflineConfig, data []byte, k int) float64 { return multiplyAdd[float64](data, k) }

func passMixed(_ RooflineConfig, data []byte, k int) float64 { return multiplyAdd[float32](data, k) }

// multiplyAdd computes in FP64 with values stored as S.
func multiplyAdd[S kernels.Value](data []byte, k int) float64 {
	var s [kernels.MulAddLanes]float64
	kernels.MulAdds(kernels.Default(), &s, as[S](data), k, slope, shift)
	return sum(s[:])
}

func passFP32(_ RooflineConfig, data []byte, k int) float64 {
	var s [kernels.MulAddLanes32]float32
	kernels.Default().MulAdds32(&s, as[float32](data), k, slope, shift)
	return sum(s[:])
}

// decodedAtOnce is the number of values that are decoded together, into the first-level cache.
const decodedAtOnce = 512

func passDecoded(c RooflineConfig, data []byte, k int) float64 {
	var s [kernels.MulAddLanes]float64
	buffer := aligned(make([]float64, decodedAtOnce+cacheLine))
	words := c.codec.Words()
	for values := (len(data) - formats.Padding) / c.Bytes; values > 0; values -= decodedAtOnce {
		some := buffer[:min(values, decodedAtOnce)]
		kernels.Default().Decode(words, some, data)
		data = data[len(some)*c.Bytes:]
		kernels.MulAdds(kernels.Default(), &s, some, k, slope, shift)
	}
	return sum(s[:])
}

// cacheLine is the number of float64 in a cache line.
const cacheLine = 8

// aligned returns x from its first cache line on.
func aligned(x []float64) []float64 {
	past := int(uintptr(unsafe.Pointer(&x[0])) / 8 % cacheLine)
	return x[(cacheLine-past)%cacheLine:]
}

// as returns the array, without its padding, as numbers.
func as[T kernels.Value](data []byte) []T {
	var zero T
	n := (len(data) - formats.Padding) / int(unsafe.Sizeof(zero))
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), n)
}

func sum[T kernels.Value](s []T) (total float64) {
	for _, v := range s {
		total += float64(v)
	}
	return total
}
