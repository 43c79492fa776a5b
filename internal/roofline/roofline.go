// Package roofline measures performance over arithmetic intensity: values are read
// from memory in a storage format, converted to the precision of the arithmetic, and
// go through some multiply-adds each ([Gruetzmacher23], section 3). Where memory
// bounds, a format of fewer bytes lifts the roof, as long as its conversion hides
// behind memory; conversions do not count as FLOPs.
package roofline

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/nearest"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Config is a storage format and a precision of arithmetic.
type Config struct {
	Name  string
	Bytes int // per value

	codec formats.Codec
	pass  func(c Config, data []byte, k int) float64 // over some values
}

// Names of the configurations that convert nothing, or FP32 to FP64 on load. All
// others are called after their format and have FP64 arithmetic.
const (
	FP64         = "FP64"
	FP32         = "FP32"
	FP64OverFP32 = "FP64-over-FP32"
)

// Configs returns all configurations: those of the paper and FP64 arithmetic over
// every other storage format.
func Configs() []Config {
	configs := []Config{
		{Name: FP64, Bytes: 8, pass: passFP64},
		{Name: FP32, Bytes: 4, pass: passFP32},
		{Name: FP64OverFP32, Bytes: 4, pass: passMixed},
	}
	for _, f := range formats.All() {
		if f.Name == "BF16" || strings.HasPrefix(f.Name, "FP") {
			continue // FP24 is RP24, and so on
		}
		c := Config{Name: f.Name, Bytes: f.Bytes, codec: formats.Codec{Format: f}, pass: passDecoded}
		switch f.Kind {
		case formats.Relative:
			c.codec.Exponent = -8
		case formats.Fixed:
			c.codec.Exponent = 1 - 8*f.Bytes
		}
		configs = append(configs, c)
	}
	return configs
}

// Lookup returns the configuration of that name, upper and lower case alike. The
// error names the nearest one.
func Lookup(name string) (Config, error) {
	var names []string
	for _, c := range Configs() {
		if strings.EqualFold(c.Name, name) {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return Config{}, fmt.Errorf("unknown configuration %q; did you mean %s?", name, nearest.Word(name, names))
}

// Intensities are FLOPs per value, two for each multiply-add, up to where
// arithmetic bounds every configuration.
func Intensities() []int { return []int{2, 4, 8, 16, 32, 64, 128, 256, 512} }

// Options say what to measure.
type Options struct {
	Configs     []Config
	Intensities []int // FLOP per value, even and at least 2
	Threads     []int
	Size        int64 // bytes of the array that is read, well beyond the cache
	Repeat      int
	Budget      time.Duration // fewer turns, but at least one; 0: no limit
	Progress    func(string)  // may be nil
}

// Point is a measured point of a roof, the best of all turns.
type Point struct {
	Config    string
	Bytes     int     // per value
	Intensity int     // FLOP per value
	Threads   int     //
	GFLOPS    float64 // 10^9 FLOP per second
	GBps      float64 // 10^9 bytes per second read from memory
	Seconds   float64 // of one pass
}

// mostMultiplyAdds bounds the multiply-adds of one pass: with many for each value a
// part of the array will do, since memory does not bound then.
const mostMultiplyAdds = 1 << 32

// slowerPortable is about how many times fewer a portable kernel does a second.
const slowerPortable = 16

// Measure measures all configurations in turns; the points come configuration by
// configuration, threads by threads. It returns early with the error of ctx, checked
// after each pass.
func Measure(ctx context.Context, opt Options) ([]Point, error) {
	for _, i := range opt.Intensities {
		if i < 2 || i%2 != 0 {
			return nil, fmt.Errorf("%d FLOP per value: want an even number, at least 2", i)
		}
	}
	work := mostMultiplyAdds
	if tier, _ := kernels.ActiveTier(); tier == kernels.Portable { // a wrong name is the command line's concern
		work /= slowerPortable
	}
	var points []Point
	data := newArray(opt.Size)
	begin := time.Now()
	for turn := range max(1, opt.Repeat) {
		if turn > 0 && opt.Budget > 0 && time.Since(begin) >= opt.Budget {
			break
		}
		at := 0
		for _, c := range opt.Configs {
			if err := c.fill(data); err != nil {
				return nil, err
			}
			for _, threads := range opt.Threads {
				if opt.Progress != nil {
					opt.Progress(fmt.Sprintf("turn %d of %d: %s, threads %d", turn+1, max(1, opt.Repeat), c.Name, threads))
				}
				pool := parallel.New(threads)
				for _, intensity := range opt.Intensities {
					p, err := c.point(ctx, data, intensity, work, pool)
					switch {
					case err != nil:
						pool.Close()
						return nil, err
					case turn == 0:
						points = append(points, p)
					case p.Seconds < points[at].Seconds:
						points[at] = p
					}
					at++
				}
				pool.Close()
			}
		}
	}
	return points, nil
}

// point measures one pass over the array, or a part of it.
func (c Config) point(ctx context.Context, data []byte, intensity, work int, pool *parallel.Pool) (Point, error) {
	if err := ctx.Err(); err != nil {
		return Point{}, err
	}
	k := intensity / 2
	values := min(c.values(data), work/k/multiple*multiple)
	start := time.Now()
	c.run(data, values, k, pool)
	s := time.Since(start).Seconds()
	return Point{
		Config: c.Name, Bytes: c.Bytes, Intensity: intensity, Threads: pool.Threads(),
		GFLOPS:  float64(values) * float64(intensity) / s / 1e9,
		GBps:    float64(values) * float64(c.Bytes) / s / 1e9,
		Seconds: s,
	}, nil
}

// The array is read in parts that do not depend on the number of threads, so that
// neither do sums; many, so that threads have about as much work each. They have as
// many values each, in whole turns of the kernels.
const (
	parts    = 960
	multiple = parts * 256
)

// values is the number of values that the array holds.
func (c Config) values(data []byte) int {
	return (len(data) - formats.Padding) / c.Bytes / multiple * multiple
}

// run returns the sum that k multiply-adds with every value leave.
func (c Config) run(data []byte, values, k int, pool *parallel.Pool) float64 {
	var sums [parts]float64
	each := values / parts
	pool.Run(parts, parallel.Func(func(part int) {
		lo := part * each * c.Bytes
		sums[part] = c.pass(c, data[lo:lo+each*c.Bytes+formats.Padding], k)
	}))
	total := 0.0
	for _, s := range sums {
		total += s
	}
	return total
}

// newArray allocates about that many bytes, at least one multiple of FP64.
func newArray(size int64) []byte {
	words := make([]float64, max(size/8, multiple)+formats.Padding/8+1)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
}

// tile is how many different values there are, over and over.
const tile = 4096

// example is a value that every format takes.
func example(i int) float64 { return 0.25 + 0.5*float64(i*2654435761%tile)/tile }

// fill stores the values of the array.
func (c Config) fill(data []byte) error {
	some := make([]float64, tile)
	for i := range some {
		some[i] = example(i)
	}
	codec := c.codec
	if codec.Bytes == 0 { // FP64 or FP32
		f, err := formats.Lookup(fmt.Sprintf("FP%d", 8*c.Bytes))
		if err != nil {
			return err
		}
		codec.Format = f
	}
	encoded := make([]byte, tile*c.Bytes)
	if err := codec.Encode(encoded, some); err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	data = data[:len(data)-formats.Padding]
	pool := parallel.New(runtime.GOMAXPROCS(0))
	defer pool.Close()
	pool.Run((len(data)+len(encoded)-1)/len(encoded), parallel.Func(func(k int) {
		copy(data[k*len(encoded):], encoded)
	}))
	return nil
}

// Best returns, for a configuration and a number of threads, the most bytes and the
// most FLOPs per second of all points, both in units of 10^9: the two parts of a roof.
func Best(points []Point, config string, threads int) (gbps, gflops float64) {
	for _, p := range points {
		if p.Config == config && p.Threads == threads {
			gbps, gflops = math.Max(gbps, p.GBps), math.Max(gflops, p.GFLOPS)
		}
	}
	return gbps, gflops
}

// Names returns the configurations that points have, in their order.
func Names(points []Point) (names []string) {
	for _, p := range points {
		if !slices.Contains(names, p.Config) {
			names = append(names, p.Config)
		}
	}
	return names
}
