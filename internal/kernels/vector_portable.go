package kernels

// portableVector is the kernels of plain Go: what the others must equal to the bit.
var portableVector = vectorKernels{
	dot: dot, dot4: dot4, axpy: axpy, axpy4: axpy4,
	axpyDot: axpyDot, xpay: xpay, scale: scale, step: step,
	mul: mul, relax: relax,
	copy: copyTo, scaleTo: scaleTo, add: add, triad: triad,
}

// dot has half its accumulators in variables and half in memory: sixteen
// variables are more than the registers, and then the compiler keeps fewer.
func dot(x, y []float64) float64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	var t [group / 2]float64
	for len(x) >= group && len(y) >= group {
		a, b := (*[group]float64)(x), (*[group]float64)(y)
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
		s4 += float64(a[4] * b[4])
		s5 += float64(a[5] * b[5])
		s6 += float64(a[6] * b[6])
		s7 += float64(a[7] * b[7])
		t[0] += float64(a[8] * b[8])
		t[1] += float64(a[9] * b[9])
		t[2] += float64(a[10] * b[10])
		t[3] += float64(a[11] * b[11])
		t[4] += float64(a[12] * b[12])
		t[5] += float64(a[13] * b[13])
		t[6] += float64(a[14] * b[14])
		t[7] += float64(a[15] * b[15])
		x, y = x[group:], y[group:]
	}
	s0 = (s0 + t[0]) + (s4 + t[4])
	s1 = (s1 + t[1]) + (s5 + t[5])
	s2 = (s2 + t[2]) + (s6 + t[6])
	s3 = (s3 + t[3]) + (s7 + t[7])
	return (s0 + s2) + (s1 + s3)
}

// dotRest returns x·y, added one by one: what whole groups leave.
func dotRest(x, y []float64) (s float64) {
	y = y[:len(x)]
	for i, v := range x {
		s += float64(v * y[i])
	}
	return s
}

func dot4(v0, v1, v2, v3, w []float64, h *[4]float64) {
	h[0], h[1], h[2], h[3] = dot(v0, w), dot(v1, w), dot(v2, w), dot(v3, w)
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

func mul(a float64, w, x, y []float64) {
	x, y = x[:len(w)], y[:len(w)]
	for i, v := range w {
		y[i] = a * float64(v*x[i])
	}
}

func relax(a float64, w, x, r []float64) {
	x, r = x[:len(w)], r[:len(w)]
	for i, v := range w {
		r[i] = x[i] + float64(a*float64(v*r[i]))
	}
}

func copyTo(x, y []float64) { copy(y[:len(x)], x) }

func scaleTo(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = a * v
	}
}

func add(x, y, z []float64) {
	y, z = y[:len(x)], z[:len(x)]
	for i, v := range x {
		z[i] = v + y[i]
	}
}

func triad(x []float64, a float64, y, z []float64) {
	y, z = y[:len(x)], z[:len(x)]
	for i, v := range x {
		z[i] = v + float64(a*y[i])
	}
}
