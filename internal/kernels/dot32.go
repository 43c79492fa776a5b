package kernels

// lanes32 is the number of accumulators of an inner product of float32 vectors:
// product number k goes to accumulator k mod lanes32.
const lanes32 = 32

// Dot32 returns x·y in float32 arithmetic. Accumulators are added by halves, as
// in Dot; y has the length of x.
func (k *Set) Dot32(x, y []float32) float32 {
	var s [lanes32]float32
	n := len(x) &^ (lanes32 - 1)
	if n > 0 {
		k.dot32(hide(&s), x[:n], y[:n])
	}
	addProducts(&s, x[n:], y[n:])
	return sumByHalves(&s)
}

// DotMixed returns x·y in float64 arithmetic, in which the products are exact,
// added in the order of Dot32.
func (k *Set) DotMixed(x, y []float32) float64 {
	var s [lanes32]float64
	n := len(x) &^ (lanes32 - 1)
	if n > 0 {
		k.dotMixed(hide(&s), x[:n], y[:n])
	}
	addProducts(&s, x[n:], y[n:])
	return sumByHalves(&s)
}

// dot32Kernel is addProducts for a number of elements that is a multiple of lanes32, and not 0.
type dot32Kernel[A Value] = func(s *[lanes32]A, x, y []float32)

// addProducts adds x[k] y[k] to s[k mod lanes32] in the arithmetic of s.
func addProducts[A Value](s *[lanes32]A, x, y []float32) {
	for len(x) >= lanes32 && len(y) >= lanes32 {
		a, b := (*[lanes32]float32)(x), (*[lanes32]float32)(y)
		for k := range s {
			s[k] += A(A(a[k]) * A(b[k]))
		}
		x, y = x[lanes32:], y[lanes32:]
	}
	y = y[:len(x)]
	for k, v := range x {
		s[k] += A(A(v) * A(y[k]))
	}
}

func sumByHalves[A Value](s *[lanes32]A) A {
	for h := lanes32 / 2; h > 0; h /= 2 {
		for k := range h {
			s[k] += s[k+h]
		}
	}
	return s[0]
}
