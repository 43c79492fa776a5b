package roofline

import (
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/formats"
)

// The multiply-adds are v = slope v + shift, whose fixed point is one.
const (
	slope = 1 - 1.0/1024
	shift = 1.0 / 1024
)

func passFP64(_ Config, data []byte, k int) float64 {
	var s [kernels.MulAddLanes]float64
	kernels.MulAdds(&s, as[float64](data), k, slope, shift)
	return sum(s[:])
}

func passFP32(_ Config, data []byte, k int) float64 {
	var s [kernels.MulAddLanes32]float32
	kernels.MulAdds32(&s, as[float32](data), k, slope, shift)
	return sum(s[:])
}

func passMixed(_ Config, data []byte, k int) float64 {
	var s [kernels.MulAddLanes]float64
	kernels.MulAdds(&s, as[float32](data), k, slope, shift)
	return sum(s[:])
}

// chunk is the number of values that are decoded at once, in the first-level cache.
const chunk = 512

func passDecoded(c Config, data []byte, k int) float64 {
	var s [kernels.MulAddLanes]float64
	buffer := aligned(make([]float64, chunk+line))
	words := c.codec.Words()
	for values := (len(data) - formats.Padding) / c.Bytes; values > 0; values -= chunk {
		some := buffer[:min(values, chunk)]
		words.Decode(some, data)
		data = data[len(some)*c.Bytes:]
		kernels.MulAdds(&s, some, k, slope, shift)
	}
	return sum(s[:])
}

// line is the number of values in a cache line.
const line = 8

// aligned is x from the first cache line on.
func aligned(x []float64) []float64 {
	past := int(uintptr(unsafe.Pointer(&x[0])) / 8 % line)
	return x[(line-past)%line:]
}

// as is the array, less its padding, as numbers.
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
