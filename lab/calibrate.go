package lab

import (
	"context"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// The rounds of a calibration, and the time limit of each kind of measurement.
const (
	calibrationRounds = 200
	calibrationTime   = 300 * time.Millisecond
)

// Calibrate returns a model of this processor for a set of kernels. It times products with the matrices on one thread
// in all layouts that they allow. Small matrices, which fit into a core's cache, give the times of the instructions;
// one whose x does not fit gives the cost of cache misses. Calibrate starts from the known model and keeps its sizes
// of caches.
func Calibrate(ctx context.Context, k *kernels.Set, name string, known *adaptive.Model, matrices []*csr.Matrix) (*adaptive.Model, error) {
	pool := parallel.New(1)
	defer pool.Close()
	rates, err := measureRates(ctx, known.Sizes)
	if err != nil {
		return nil, err
	}
	set, err := adaptive.LookupSet("AFX")
	if err != nil {
		return nil, err
	}
	var works []adaptive.Work
	for _, m := range matrices {
		x, y := make([]float64, m.Cols), make([]float64, m.Rows)
		for j := range x {
			x[j] = 1
		}
		first := len(works)
		var cases []Case
		for _, layout := range []adaptive.Layout{
			adaptive.CSR, adaptive.Slots, adaptive.Diagonals, adaptive.Blocks, adaptive.Symmetric, adaptive.SELL, adaptive.Tiles,
		} {
			for _, epsilon := range []float64{0x1p-24, 0x1p-53} {
				spec := adaptive.Spec{Set: set, Epsilon: epsilon, Layout: layout, Kernels: k.String(), Model: known}
				w, err := adaptive.NewWork(m, spec, pool)
				if err != nil {
					continue // not a layout for this matrix
				}
				p, _, err := Store(m, spec, pool)
				if err != nil {
					return nil, err
				}
				works = append(works, w)
				cases = append(cases, Warm(func() { p.apply(y, x) }))
				if layout == adaptive.CSR {
					break // FP64 CSR has one accuracy only
				}
			}
		}
		times, err := Timing{Repeat: calibrationRounds, Budget: calibrationTime}.Measure(ctx, cases...)
		if err != nil {
			return nil, err
		}
		for k, t := range times {
			works[first+k].Seconds = t.Min
		}
	}
	from := *known
	from.Rates, from.Kernels = rates, k.String()
	return from.Fit(name, works)
}

// measureRates measures the rates at which one thread reads memory and the shared cache.
func measureRates(ctx context.Context, sizes adaptive.Sizes) (r adaptive.Rates, err error) {
	rate := func(bytes int64) float64 {
		var limits map[int]Bandwidth
		if err == nil {
			limits, err = MeasureBandwidth(ctx, bytes, []int{1})
		}
		return limits[1].Read / 1e9
	}
	r.Cache = rate((sizes.Near + sizes.Shared) / 2)
	r.Memory = rate(ArrayBytes(sizes.Shared, 0))
	return r, err
}

// Bandwidth is the rate at which a number of threads read and write memory, in bytes per second: the limit of
// products with large sparse matrices. A rate that was not measured is 0.
type Bandwidth struct {
	Streams [maxStreams]float64 // each thread reads 1, 2, ... contiguous parts in turn
	Read    float64             // the largest of Streams
	Triad   float64             // a = b + s c, counted as two reads and a write
}

const (
	maxStreams      = 4 // of kernels.Fold
	bandwidthRounds = 9
)

// ArrayBytes returns the size of an array to measure memory with, given the bytes of the last-level cache and of the
// memory (0: not known): well beyond the cache, but at most 2 GiB and a quarter of the memory.
func ArrayBytes(lastLevelCache, memory int64) int64 {
	size := min(max(4*lastLevelCache, 256<<20), 2<<30)
	if memory > 0 {
		size = min(size, memory/4)
	}
	return size
}

// MeasureBandwidth returns the bandwidth of each number of threads, measured with an array of about size bytes. It
// returns early with the cause of ctx.
func MeasureBandwidth(ctx context.Context, size int64, threads []int) (map[int]Bandwidth, error) {
	data := make([]float64, max(1, size/8))
	for i := range data { // the system allocates pages when they are written
		data[i] = float64(i)
	}
	var cases []Case
	var bytes []int // of each case
	for _, t := range threads {
		pool := parallel.New(t)
		defer pool.Close()
		pass := func(moved func(part []float64) int, do func(part []float64)) {
			all := 0
			for k := range t {
				all += moved(share(data, k, t))
			}
			bytes = append(bytes, all)
			cases = append(cases, Case{Run: func() {
				pool.Each(t, func(k int) { do(share(data, k, t)) })
			}})
		}
		for streams := 1; streams <= maxStreams; streams++ {
			pass(func(part []float64) int { return 8 * streams * kernels.StreamLength(len(part), streams) },
				func(part []float64) { kernels.Default().Fold(part, streams) })
		}
		pass(func(part []float64) int { return 8 * 3 * (len(part) / 3) }, triad)
	}
	times, err := Timing{Repeat: bandwidthRounds}.Measure(ctx, cases...)
	if err != nil {
		return nil, err
	}
	speed := func(k int) float64 { return float64(bytes[k]) / times[k].Min }
	measured := map[int]Bandwidth{}
	for i, t := range threads {
		var b Bandwidth
		first := i * (maxStreams + 1)
		for k := range b.Streams {
			b.Streams[k] = speed(first + k)
		}
		b.Read, b.Triad = slices.Max(b.Streams[:]), speed(first+maxStreams)
		measured[t] = b
	}
	return measured, nil
}

// share returns the part of data that belongs to thread k.
func share(data []float64, k, threads int) []float64 {
	return data[len(data)*k/threads : len(data)*(k+1)/threads]
}

// triad computes a = b + c/2, where a, b and c are the thirds of part.
func triad(part []float64) {
	n := len(part) / 3
	a, b, c := part[:n], part[n:][:n], part[2*n:][:n]
	for i := range n {
		a[i] = b[i] + float64(0.5*c[i])
	}
}
