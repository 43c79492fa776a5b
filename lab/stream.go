package lab

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// StreamKernel is one of the kernels of BabelStream [Deakin18] on arrays a, b and c of doubles.
type StreamKernel struct {
	Name   string
	Arrays int // that it reads or writes
	run    func(on streamArrays)
}

// streamArrays are the three arrays of the kernels, on the host or on a device. scalar is streamScalar.
type streamArrays interface {
	copy()        // c = a
	mul()         // b = scalar c
	add()         // c = a + b
	triad()       // a = b + scalar c
	dot() float64 // a·b
	fetch() (a, b, c []float64, err error)
}

// StreamKernels returns copy, mul, add, triad and dot, in the order of BabelStream.
func StreamKernels() []StreamKernel {
	return []StreamKernel{
		{"copy", 2, streamArrays.copy},
		{"mul", 2, streamArrays.mul},
		{"add", 3, streamArrays.add},
		{"triad", 3, streamArrays.triad},
		{"dot", 2, func(on streamArrays) { on.dot() }},
	}
}

// The first values of a, b and c, and the factor, as in BabelStream.
const (
	streamA, streamB, streamC = 0.1, 0.2, 0.0
	streamScalar              = 0.4
)

// StreamOptions configure a measurement.
type StreamOptions struct {
	Sizes    []int // elements of an array
	Threads  []int // on the host
	Repeat   int
	Budget   time.Duration // of each size; 0: no limit
	Progress func(string)
}

// StreamResult is the measurement of one kernel with arrays of n elements. A write counts once, whatever the caches
// read before it.
type StreamResult struct {
	Kernel  string
	N       int
	Threads int   // 0 on a device
	Bytes   int64 // read and written
	Time
}

// Best and Typical return the rate in 10^9 bytes per second of the fastest and of the median round.
func (r StreamResult) Best() float64    { return float64(r.Bytes) / r.Min / 1e9 }
func (r StreamResult) Typical() float64 { return float64(r.Bytes) / r.Median / 1e9 }

// Stream measures all kernels on the host, all numbers of threads interleaved, and checks the arrays afterwards as
// BabelStream does. It returns early with the cause of ctx.
func Stream(ctx context.Context, opt StreamOptions) (list []StreamResult, err error) {
	for _, n := range opt.Sizes {
		var on []streamArrays
		for _, threads := range opt.Threads {
			pool := parallel.New(threads)
			defer pool.Close()
			on = append(on, newHostArrays(n, pool))
		}
		results, err := stream(ctx, n, on, opt)
		if err != nil {
			return nil, err
		}
		list = append(list, results...)
	}
	return list, nil
}

// DeviceStream is Stream on a device.
func DeviceStream(ctx context.Context, d *gpu.Device, opt StreamOptions) (list []StreamResult, err error) {
	opt.Threads = []int{0}
	for _, n := range opt.Sizes {
		arrays := newDeviceArrays(d, n)
		if err := d.Wait(); err != nil {
			return nil, err
		}
		results, err := stream(ctx, n, []streamArrays{arrays}, opt)
		arrays.space.Close()
		if err != nil {
			return nil, err
		}
		list = append(list, results...)
	}
	return list, nil
}

// streamLeast is the least time of one measurement: small arrays are run repeatedly for as long.
const streamLeast = 200 * time.Microsecond

// stream measures arrays of one size.
func stream(ctx context.Context, n int, on []streamArrays, opt StreamOptions) (list []StreamResult, err error) {
	var cases []Case
	var counts []int
	for i, arrays := range on {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		if err := checkStream(arrays, n); err != nil {
			return nil, err
		}
		for _, k := range StreamKernels() {
			count := 1
			run := func() {
				for range count {
					k.run(arrays)
				}
			}
			for ; ; count *= 2 {
				start := time.Now()
				if run(); time.Since(start) >= streamLeast {
					break
				}
			}
			cases, counts = append(cases, Case{Run: run}), append(counts, count)
			list = append(list, StreamResult{Kernel: k.Name, N: n, Threads: opt.Threads[i], Bytes: int64(8 * k.Arrays * n)})
		}
	}
	timing := Timing{Repeat: opt.Repeat, Budget: opt.Budget, Progress: func(round int) {
		opt.Progress(fmt.Sprintf("2^%.3g elements: round %d of %d", math.Log2(float64(n)), round+1, opt.Repeat))
	}}
	times, err := timing.Measure(ctx, cases...)
	for k, t := range times {
		list[k].Time = t.per(counts[k])
	}
	return list, err
}

// streamRounds is the number of rounds whose results are checked.
const streamRounds = 3

// checkStream runs the kernels in turn on new arrays and compares the mean errors of the arrays and of the inner
// product with the bounds of BabelStream.
func checkStream(on streamArrays, n int) error {
	a, b, c := streamA, streamB, streamC
	for range streamRounds {
		c = a
		b = streamScalar * c
		c = a + b
		a = b + streamScalar*c
		on.copy()
		on.mul()
		on.add()
		on.triad()
	}
	product := on.dot()
	gotA, gotB, gotC, err := on.fetch()
	if err != nil {
		return err
	}
	const bound = 100 * 0x1p-52
	for _, v := range []struct {
		name string
		got  []float64
		want float64
	}{{"a", gotA, a}, {"b", gotB, b}, {"c", gotC, c}} {
		sum := 0.0
		for _, g := range v.got {
			sum += math.Abs(g - v.want)
		}
		if mean := sum / float64(n); !(mean <= bound) {
			return fmt.Errorf("stream: array %s is wrong by %g on average, at most %g is expected", v.name, mean, bound)
		}
	}
	if want := a * b * float64(n); !(math.Abs(product-want) <= 1e-8*want) {
		return fmt.Errorf("stream: the inner product is %.15g, expected %.15g", product, want)
	}
	return nil
}

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
	h.pool.Each(t, func(k int) { do(k, share(h.a, k, t), share(h.b, k, t), share(h.c, k, t)) })
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
