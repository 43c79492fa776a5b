package lab

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// An Effort is how long a calibration takes.
type Effort struct {
	Products time.Duration // for the products with each matrix
	Reads    int           // of each length of the array that is read
	Array    int64         // bytes of the longest
	Share    float64       // of the time that has passed: the least that this thread must have run
	Loyalty  float64       // to the proportions of the known model, see adaptive.Model.Fit
}

// Thorough takes some seconds; Quick, for the first use on a machine, a quarter of one, unless other programs take processors meanwhile: the least of few times
// shows theirs, too.
var (
	Thorough = Effort{Products: 300 * time.Millisecond, Reads: 9, Array: 512 << 20, Loyalty: 1}
	Quick    = Effort{Products: 8 * time.Millisecond, Reads: 2, Array: 256 << 20, Share: 0.9, Loyalty: 2}
)

// ErrBusy is returned where a thread has not run as much as Effort.Share.
var ErrBusy = errors.New("other programs take the processors")

// calibrationRounds are the most rounds of products with a matrix.
const calibrationRounds = 200

// Calibrate returns a model of this processor for a set of kernels. It times products with the matrices on one thread
// in all layouts that they allow. Small matrices, which fit into a core's cache, give the times of the instructions;
// one whose x does not fit gives the cost of cache misses. Reading arrays of growing length gives both rates and how
// much of the shared cache there is. Calibrate starts from the known model. The error is ErrBusy as soon as that shows.
func Calibrate(ctx context.Context, k *kernels.Set, name string, known *adaptive.Model, matrices []*csr.Matrix, effort Effort) (*adaptive.Model, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start, ran := time.Now(), host.ThreadSeconds()
	busy := func() error {
		if host.ThreadSeconds()-ran < effort.Share*time.Since(start).Seconds() {
			return ErrBusy
		}
		return nil
	}
	pool := parallel.New(1)
	defer pool.Close()
	from := *known
	var err error
	from.Rates, from.Sizes.Shared, err = readCurve(ctx, known.Sizes.Near, effort)
	if err = cmp.Or(err, busy()); err != nil {
		return nil, err
	}
	known = &from
	var works []adaptive.Work
	for _, m := range matrices {
		x, y := newVector(m.Cols), newVector(m.Rows)
		for j := range x {
			x[j] = 1
		}
		first := len(works)
		var cases []Case
		for _, epsilon := range []float64{0x1p-24, 0x1p-53} {
			spec := adaptive.Spec{Set: adaptive.AFX, Epsilon: epsilon, Kernels: k.String(), Model: known}
			list, err := adaptive.NewWorks(m, spec, pool)
			if err != nil {
				return nil, err
			}
			for _, w := range list {
				if w.Layout.FP64() && epsilon < 0x1p-24 {
					continue // which has one accuracy only
				}
				spec.Layout = w.Layout
				p, _, err := Store(m, spec, pool)
				if err != nil {
					return nil, err
				}
				works = append(works, w)
				cases = append(cases, Warm(func() { p.apply(y, x) }))
			}
		}
		times, err := Timing{Repeat: calibrationRounds, Budget: effort.Products}.Measure(ctx, cases...)
		if err = cmp.Or(err, busy()); err != nil {
			return nil, err
		}
		for k, t := range times {
			works[first+k].Seconds = t.Min
		}
	}
	from.Kernels = k.String()
	return from.Fit(name, works, effort.Loyalty)
}

// readCurve measures the rates at which one thread reads memory and the shared cache, and the bytes that the latter
// holds: between the last length that is read faster than the mean of both rates, and its double.
func readCurve(ctx context.Context, near int64, effort Effort) (r adaptive.Rates, shared int64, err error) {
	data := make([]float64, effort.Array/8)
	for i := 0; i < len(data); i += 512 { // the system allocates pages when they are written
		data[i] = 1
	}
	var cases []Case
	var lengths []int64
	for bytes := effort.Array; bytes > near; bytes /= 2 {
		part := data[:bytes/8]
		lengths = append(lengths, bytes)
		cases = append(cases, Warm(func() { kernels.Default().Fold(part, maxStreams) }))
	}
	times, err := Timing{Repeat: effort.Reads}.Measure(ctx, cases...)
	if err != nil {
		return r, 0, err
	}
	rate := func(k int) float64 { return float64(lengths[k]) / times[k].Min / 1e9 }
	r.Memory = rate(0)
	for k := range lengths {
		r.Cache = max(r.Cache, rate(k))
	}
	for k := len(lengths) - 1; k >= 0 && rate(k) > math.Sqrt(r.Memory*r.Cache); k-- {
		shared = lengths[k] / 2 * 3
	}
	return r, max(shared, near), nil
}

// Scattered returns a matrix with so many elements in random columns of each row, for the cost of cache misses.
func Scattered(rows, cols, each int) *csr.Matrix {
	m := &csr.Matrix{Rows: rows, Cols: cols, RowPtr: make([]int64, rows+1), Col: make([]int32, rows*each), Val: make([]float64, rows*each)}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range rows {
		m.RowPtr[i+1] = int64((i + 1) * each)
		for k := range each { // one in each part of the columns: they ascend
			m.Col[i*each+k] = int32((k*cols + r.IntN(cols)) / each)
			m.Val[i*each+k] = 1 + r.Float64()
		}
	}
	return m
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
