package lab

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/gpu"
)

// hostArrays are arrays of which each thread has a part that it wrote first.
type hostArrays struct {
	a, b, c []float64
	pool    *parallel.Pool
	kernels *kernels.Set
	parts   []float64 // of the inner product, a cache line apart
}

func newHostArrays(n int, pool *parallel.Pool) *hostArrays {
	h := &hostArrays{
		a: make([]float64, n), b: make([]float64, n), c: make([]float64, n),
		pool: pool, kernels: kernels.Default(), parts: make([]float64, cacheLine*pool.Threads()),
	}
	h.each(func(_ int, a, b, c []float64) {
		for i := range a {
			a[i], b[i], c[i] = streamA, streamB, streamC
		}
	})
	return h
}

// each runs do on the part of every thread.
func (h *hostArrays) each(do func(k int, a, b, c []float64)) {
	t := h.pool.Threads()
	h.pool.Run(t, parallel.Func(func(k int) { do(k, share(h.a, k, t), share(h.b, k, t), share(h.c, k, t)) }))
}

func (h *hostArrays) copy() { h.each(func(_ int, a, _, c []float64) { h.kernels.Copy(a, c) }) }

func (h *hostArrays) mul() {
	h.each(func(_ int, _, b, c []float64) { h.kernels.ScaleTo(streamScalar, c, b) })
}

func (h *hostArrays) add() { h.each(func(_ int, a, b, c []float64) { h.kernels.Add(a, b, c) }) }

func (h *hostArrays) triad() {
	h.each(func(_ int, a, b, c []float64) { h.kernels.Triad(b, streamScalar, c, a) })
}

func (h *hostArrays) dot() (s float64) {
	h.each(func(k int, a, b, _ []float64) { h.parts[cacheLine*k] = h.kernels.Dot(a, b) })
	for k := 0; k < len(h.parts); k += cacheLine {
		s += h.parts[k]
	}
	return s
}

func (h *hostArrays) fetch() (a, b, c []float64, err error) { return h.a, h.b, h.c, nil }

// deviceArrays are on a device; each method waits for the device.
type deviceArrays struct {
	space   gpu.Space
	a, b, c *gpu.Vector
}

func newDeviceArrays(d *gpu.Device, n int) *deviceArrays {
	s := gpu.NewSpace(d, n)
	v := &deviceArrays{s, s.New(), s.New(), s.New()}
	first := make([]float64, n)
	for _, x := range []struct {
		v     *gpu.Vector
		value float64
	}{{v.a, streamA}, {v.b, streamB}, {v.c, streamC}} {
		for i := range first {
			first[i] = x.value
		}
		s.Upload(x.v, first)
	}
	return v
}

// wait waits for the device, which keeps errors.
func (v *deviceArrays) wait() { _ = v.space.Device().Wait() }

func (v *deviceArrays) copy() { v.space.CopyTo(v.a, v.c); v.wait() }

func (v *deviceArrays) mul() { v.space.ScaleTo(streamScalar, v.c, v.b); v.wait() }

func (v *deviceArrays) add() { v.space.Add(v.a, v.b, v.c); v.wait() }

func (v *deviceArrays) triad() { v.space.Triad(v.b, streamScalar, v.c, v.a); v.wait() }

func (v *deviceArrays) dot() float64 { return v.space.Dot(v.a, v.b).Float() }

func (v *deviceArrays) fetch() (a, b, c []float64, err error) {
	n := v.space.Dim()
	a, b, c = make([]float64, n), make([]float64, n), make([]float64, n)
	v.space.Download(a, v.a)
	v.space.Download(b, v.b)
	v.space.Download(c, v.c)
	return a, b, c, v.space.Device().Err()
}
