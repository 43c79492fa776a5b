package kernels

// mixedKernels are kernels on float64 and float32 vectors, like the methods of their
// names for a length that is a multiple of group.
type mixedKernels struct {
	stepInto  func(a float64, p, x, q, r []float64, w, f []float32) float64
	xpayMixed func(w, x []float32, a float64, y []float64)
}

// StepInto computes x += a p, r -= a q and f = w∘r, and returns r·r: Step and the right-hand
// side of a preconditioner that works in float32. r is rounded to float32 before it is
// multiplied.
func (k *Set) StepInto(a float64, p, x, q, r []float64, w, f []float32) float64 {
	n := grouped(len(p))
	s := k.mixed.stepInto(a, p[:n], x[:n], q[:n], r[:n], w[:n], f[:n])
	axpy(a, p[n:], x[n:])
	axpy(-a, q[n:], r[n:])
	MulMixed(w[n:], r[n:], f[n:])
	return s + dotRest(r[n:], r[n:])
}

func stepInto(a float64, p, x, q, r []float64, w, f []float32) float64 {
	s := step(a, p, x, q, r)
	MulMixed(w, r, f)
	return s
}

// MulMixed computes f = w∘r, elementwise, r being rounded to float32 first.
func MulMixed(w []float32, r []float64, f []float32) {
	r, f = r[:len(w)], f[:len(w)]
	for i, v := range w {
		f[i] = v * float32(r[i])
	}
}

// XpayMixed computes y = w∘x + a y, elementwise; the product w∘x is exact.
func (k *Set) XpayMixed(w, x []float32, a float64, y []float64) {
	n := grouped(len(y))
	k.mixed.xpayMixed(w[:n], x[:n], a, y[:n])
	xpayMixed(w[n:], x[n:], a, y[n:])
}

func xpayMixed(w, x []float32, a float64, y []float64) {
	w, x = w[:len(y)], x[:len(y)]
	for i, v := range y {
		y[i] = float64(w[i])*float64(x[i]) + float64(a*v)
	}
}
