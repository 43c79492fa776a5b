package kernels

// Narrow is a number of fewer bits than float64 that it holds exactly.
type Narrow interface{ float32 | int16 }

// packedKernels are DotNarrow and AxpyNarrow for a length that is a multiple of group.
type packedKernels struct {
	dotFloats  func(v []float32, w []float64) float64
	dotShorts  func(v []int16, w []float64) float64
	axpyFloats func(a float64, v []float32, w []float64)
	axpyShorts func(a float64, v []int16, w []float64)
}

var portablePacked = packedKernels{dotNarrow[float32], dotNarrow[int16], axpyNarrow[float32], axpyNarrow[int16]}

// DotNarrow returns v·w in float64 arithmetic, with the sums of Dot.
func DotNarrow[T Narrow](k *Set, v []T, w []float64) float64 {
	n := grouped(len(v))
	var s float64
	switch head := any(v[:n]).(type) {
	case []float32:
		s = k.packed.dotFloats(head, w[:n])
	case []int16:
		s = k.packed.dotShorts(head, w[:n])
	}
	rest := 0.0
	for i, x := range v[n:] {
		rest += float64(float64(x) * w[n+i])
	}
	return s + rest
}

// AxpyNarrow computes w += a v in float64 arithmetic.
func AxpyNarrow[T Narrow](k *Set, a float64, v []T, w []float64) {
	n := grouped(len(v))
	switch head := any(v[:n]).(type) {
	case []float32:
		k.packed.axpyFloats(a, head, w[:n])
	case []int16:
		k.packed.axpyShorts(a, head, w[:n])
	}
	axpyNarrow(a, v[n:], w[n:])
}

func dotNarrow[T Narrow](v []T, w []float64) float64 {
	var s [group]float64
	for ; len(v) >= group; v, w = v[group:], w[group:] {
		for k := range s {
			s[k] += float64(float64(v[k]) * w[k])
		}
	}
	for half := group / 2; half > 0; half /= 2 {
		for k := range half {
			s[k] += s[k+half]
		}
	}
	return s[0]
}

func axpyNarrow[T Narrow](a float64, v []T, w []float64) {
	w = w[:len(v)]
	for i, x := range v {
		w[i] += float64(a * float64(x))
	}
}
