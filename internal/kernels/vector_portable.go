package kernels

// portableVector is the tier of plain Go: what the others must equal to the bit.
var portableVector = vectorKernels{
	dot: dot, dot4: dot4, axpy: axpy, axpy4: axpy4,
	axpyDot: axpyDot, xpay: xpay, scale: scale, step: step,
}

// Sixteen accumulators are more than the registers of most machines hold. The
// portable sums therefore come in two passes, over the first and the second
// eight elements of every group, which also read different cache lines.

// half is half a group.
const half = group / 2

func dot(x, y []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return byHalves(dotHalf(x, y), dotHalf(x[half:], y[half:]))
}

// byHalves adds the accumulators, given as the first and the second eight.
func byHalves(s, t [half]float64) float64 {
	for k := range s {
		s[k] += t[k]
	}
	for h := half / 2; h > 0; h /= 2 {
		for k := range h {
			s[k] += s[k+h]
		}
	}
	return s[0]
}

// dotHalf returns the accumulators of the first eight elements of every group.
func dotHalf(x, y []float64) [half]float64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for i := 0; i < len(x); i += group {
		a, b := (*[half]float64)(x[i:]), (*[half]float64)(y[i:])
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
		s4 += float64(a[4] * b[4])
		s5 += float64(a[5] * b[5])
		s6 += float64(a[6] * b[6])
		s7 += float64(a[7] * b[7])
	}
	return [half]float64{s0, s1, s2, s3, s4, s5, s6, s7}
}

// dotRest returns x·y, added one by one: what whole groups leave.
func dotRest(x, y []float64) (s float64) {
	y = y[:len(x)]
	for i, v := range x {
		s += float64(v * y[i])
	}
	return s
}

func dot4(v0, v1, v2, v3, w []float64) (h0, h1, h2, h3 float64) {
	return dot(v0, w), dot(v1, w), dot(v2, w), dot(v3, w)
}

func axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float64(a * v)
	}
}

func axpy4(a0, a1, a2, a3 float64, v0, v1, v2, v3, w []float64) {
	v0, v1, v2, v3 = v0[:len(w)], v1[:len(w)], v2[:len(w)], v3[:len(w)]
	for i, s := range w {
		s += float64(a0 * v0[i])
		s += float64(a1 * v1[i])
		s += float64(a2 * v2[i])
		s += float64(a3 * v3[i])
		w[i] = s
	}
}

func axpyDot(a float64, x, y, z []float64) float64 {
	axpy(a, x, y)
	return dot(y, z)
}

func xpay(x []float64, a float64, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = v + float64(a*y[i])
	}
}

func scale(a float64, x []float64) {
	for i := range x {
		x[i] *= a
	}
}

func step(a float64, p, x, q, r []float64) float64 {
	axpy(a, p, x)
	axpy(-a, q, r)
	return dot(r, r)
}
