// Package bandwidth measures how fast threads can read memory: the limit that
// products with large sparse matrices run against.
package bandwidth

import (
	"math"
	"time"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

const (
	// MaxStreams is the largest number of streams that a thread can read.
	MaxStreams = 4

	line        = 8 // elements of a cache line
	repetitions = 3

	// sizes of the array
	cacheMultiple = 4
	smallest      = 256 << 20
	largest       = 2 << 30
)

// Size is the number of bytes to measure with, given those of the last-level
// cache and of the memory, 0 for not known: well beyond the cache, but at most
// 2 GB and a quarter of the memory.
func Size(lastLevelCache, memory int64) int64 {
	size := min(max(cacheMultiple*lastLevelCache, smallest), largest)
	if memory > 0 {
		size = min(size, memory/4)
	}
	return size
}

// A Meter measures on an array of its own.
type Meter struct{ data []float64 }

// NewMeter allocates an array of about that many bytes.
func NewMeter(size int64) *Meter {
	m := &Meter{make([]float64, max(1, size/8))}
	for i := range m.data { // pages exist once they are written to
		m.data[i] = float64(i)
	}
	return m
}

// Read returns the bytes per second at which that many threads read, each from
// 1 to MaxStreams contiguous parts of the array in turns, a cache line of each.
// It is the best of several passes over the array.
func (m *Meter) Read(threads, streams int) float64 {
	folded := make([]uint64, threads)
	bytes := 0
	for _, part := range m.split(threads) {
		bytes += 8 * streams * streamLength(part, streams)
	}
	return m.best(threads, bytes, func(thread int, part []float64) {
		folded[thread] = fold(part, streams)
	})
}

// Triad returns the bytes per second of a = b + s c on that many threads, with
// three arrays that share the meter's. Counted are two reads and a write of each
// element; most processors read what is written as well.
func (m *Meter) Triad(threads int) float64 {
	bytes := 0
	for _, part := range m.split(threads) {
		bytes += 8 * 3 * (len(part) / 3)
	}
	return m.best(threads, bytes, func(_ int, part []float64) {
		n := len(part) / 3
		triad(part[:n], part[n:2*n], part[2*n:3*n], 0.5)
	})
}

// split divides the array among threads.
func (m *Meter) split(threads int) [][]float64 {
	parts := make([][]float64, threads)
	for k := range parts {
		parts[k] = m.data[len(m.data)*k/threads : len(m.data)*(k+1)/threads]
	}
	return parts
}

func (m *Meter) best(threads, bytes int, pass func(thread int, part []float64)) float64 {
	pool := parallel.New(threads)
	defer pool.Close()
	parts := m.split(threads)
	least := math.Inf(1)
	for range repetitions {
		start := time.Now()
		pool.Run(threads, parallel.Func(func(k int) { pass(k, parts[k]) }))
		least = min(least, time.Since(start).Seconds())
	}
	return float64(bytes) / least
}

// triad computes a = b + s c.
func triad(a, b, c []float64, s float64) {
	b, c = b[:len(a)], c[:len(a)]
	for i := range a {
		a[i] = b[i] + float64(s*c[i])
	}
}
