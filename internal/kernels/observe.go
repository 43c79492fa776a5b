package kernels

// Observe passes the output of every kernel of the default set to hook, which may change it, until restore is called.
// The output is the vector that a call wrote, or its scalars. All threads call hook, and neither Observe nor restore
// may be called while kernels run. It serves tests that inject faults; otherwise kernels are called directly, without
// a check for a hook.
func Observe(hook func(out []float64)) (restore func()) {
	before := *standard
	*standard = before.observed(hook)
	return func() { *standard = before }
}

// observed returns the same set, whose outputs go through hook.
func (k Set) observed(hook func([]float64)) Set {
	o := k
	o.vector = k.vector.observed(hook, func(s float64) float64 {
		out := [1]float64{s}
		hook(out[:])
		return out[0]
	})
	o.csr64 = func(dst []float64, lo, hi int, rowPtr []int64, col []int32, val, x []float64) {
		k.csr64(dst, lo, hi, rowPtr, col, val, x)
		hook(dst[lo:hi])
	}
	o.csr32 = func(dst []float64, lo, hi int, rowPtr []int64, col []int32, val []float32, x []float64) {
		k.csr32(dst, lo, hi, rowPtr, col, val, x)
		hook(dst[lo:hi])
	}
	o.residual64 = func(r, b []float64, lo, hi int, rowPtr []int64, col []int32, val, x []float64) {
		k.residual64(r, b, lo, hi, rowPtr, col, val, x)
		hook(r[lo:hi])
	}
	o.slots = func(dst []float64, p *SlotPanel, x []float64, row0 int, d Units, add bool) {
		k.slots(dst, p, x, row0, d, add)
		hook(dst)
	}
	o.addRows = func(dst []float64, lo, hi int, rowPtr []uint32, col []int32, w Words, src []byte, x []float64) {
		k.addRows(dst, lo, hi, rowPtr, col, w, src, x)
		hook(dst[lo:hi])
	}
	o.symmetric = func(sums []float64, p *SlotPanel, x []float64, r SymmetricRange) {
		k.symmetric(sums, p, x, r)
		hook(sums)
	}
	return o
}

// observed returns the same kernels. The outputs of those that solves call go through hook and scalar.
func (k vectorKernels) observed(hook func([]float64), scalar func(float64) float64) vectorKernels {
	o := k
	o.dot = func(x, y []float64) float64 { return scalar(k.dot(x, y)) }
	o.dot4 = func(v0, v1, v2, v3, w []float64, h *[4]float64) {
		k.dot4(v0, v1, v2, v3, w, h)
		hook(h[:])
	}
	o.axpy = func(a float64, x, y []float64) {
		k.axpy(a, x, y)
		hook(y)
	}
	o.axpy4 = func(a0, a1, a2, a3 float64, v0, v1, v2, v3, w []float64) {
		k.axpy4(a0, a1, a2, a3, v0, v1, v2, v3, w)
		hook(w)
	}
	o.axpyDot = func(a float64, x, y, z []float64) float64 {
		s := k.axpyDot(a, x, y, z)
		hook(y)
		return scalar(s)
	}
	o.xpay = func(x []float64, a float64, y []float64) {
		k.xpay(x, a, y)
		hook(y)
	}
	o.scale = func(a float64, x []float64) {
		k.scale(a, x)
		hook(x)
	}
	o.step = func(a float64, p, x, q, r []float64) float64 {
		s := k.step(a, p, x, q, r)
		hook(x)
		hook(r)
		return scalar(s)
	}
	o.mul = func(a float64, w, x, y []float64) {
		k.mul(a, w, x, y)
		hook(y)
	}
	o.relax = func(a float64, w, x, r []float64) {
		k.relax(a, w, x, r)
		hook(r)
	}
	return o
}
