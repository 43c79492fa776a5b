package lab

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// RooflineConfig is a storage format and a precision of arithmetic.
type RooflineConfig struct {
	Name  string
	Bytes int // per value

	codec formats.Codec
	pass  func(c RooflineConfig, data []byte, k int) float64 // over some values
}

// Names of the configurations that convert nothing, or FP32 to FP64 on load. All others have the name of their format
// and FP64 arithmetic.
const (
	FP64         = "FP64"
	FP32         = "FP32"
	FP64OverFP32 = "FP64-over-FP32"
)

// RooflineConfigs returns all configurations: those of [Gruetzmacher23], section 3, and FP64 arithmetic over every
// other storage format.
func RooflineConfigs() (configs []RooflineConfig) {
	for _, f := range formats.All() {
		c := RooflineConfig{Name: f.Name, Bytes: f.Bytes, codec: f.Unit(), pass: passDecoded}
		switch {
		case f.Name == FP64:
			c.pass = passFP64
		case f.Name == FP32:
			c.pass = passFP32
			mixed := c
			mixed.Name, mixed.pass = FP64OverFP32, passMixed
			configs = append(configs, c, mixed)
			continue
		case f.Name == "BF16" || strings.HasPrefix(f.Name, "FP") && f.Kind != formats.Minifloat:
			continue // FP24 is RP24, and so on
		}
		configs = append(configs, c)
	}
	return configs
}

// FindRoofline returns the configuration of that name, in upper or lower case. The error suggests the nearest name.
func FindRoofline(name string) (RooflineConfig, error) {
	var names []string
	for _, c := range RooflineConfigs() {
		if strings.EqualFold(c.Name, name) {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return RooflineConfig{}, fmt.Errorf("unknown configuration %q; did you mean %s?", name, host.NearestWord(name, names))
}

// Intensities returns the FLOPs per value to measure, two for each multiply-add, up to where arithmetic bounds every
// configuration.
func Intensities() []int { return []int{2, 4, 8, 16, 32, 64, 128, 256, 512} }

// RooflineOptions configure a measurement of the roofline.
type RooflineOptions struct {
	Configs     []RooflineConfig
	Intensities []int // FLOP per value, even and at least 2
	Threads     []int
	Size        int64 // bytes of the array that is read, well beyond the cache
	Repeat      int
	Budget      time.Duration // 0: no limit
	Progress    func(string)
}

// RooflinePoint is a measured point of a roof, the best of all rounds.
type RooflinePoint struct {
	Config    string
	Bytes     int     // per value
	Intensity int     // FLOP per value
	Threads   int     //
	GFLOPS    float64 // 10^9 FLOP per second
	GBps      float64 // 10^9 bytes per second read from memory
	Seconds   float64 // of one pass
}

// mostMultiplyAdds bounds the multiply-adds of one pass: with many for each value a part of the array suffices, since
// memory is not the bound then.
const mostMultiplyAdds = 1 << 32

// slowerPortable is about how many times slower the portable kernels are than the fastest.
const slowerPortable = 16

// Roofline measures performance over arithmetic intensity: values are read from memory in a storage format, converted
// to the precision of the arithmetic, and each goes through some multiply-adds ([Gruetzmacher23], section 3). Where
// memory is the bound, a format of fewer bytes raises the roof, as long as its conversion hides behind memory;
// conversions do not count as FLOPs.
//
// The points are sorted by configuration and then by threads. Roofline returns early with the cause of ctx, checked
// after each pass.
func Roofline(ctx context.Context, opt RooflineOptions) ([]RooflinePoint, error) {
	for _, i := range opt.Intensities {
		if i < 2 || i%2 != 0 {
			return nil, fmt.Errorf("%d FLOP per value: want an even number, at least 2", i)
		}
	}
	work := mostMultiplyAdds
	if kernels.Default().String() == "portable" {
		work /= slowerPortable
	}
	data := newRoofline(opt.Size)
	all := parallel.New(runtime.GOMAXPROCS(0))
	defer all.Close()
	round, filled := 0, ""
	var points []RooflinePoint
	var cases []Case
	for _, c := range opt.Configs {
		tile, err := c.tile()
		if err != nil {
			return nil, err
		}
		for _, threads := range opt.Threads {
			pool := parallel.New(threads)
			defer pool.Close()
			for _, intensity := range opt.Intensities {
				k := intensity / 2
				values := min(c.values(data), work/k/multiple*multiple)
				prepare := func() {
					opt.Progress(fmt.Sprintf("round %d of %d: %s, threads %d", round, max(1, opt.Repeat), c.Name, threads))
					if filled != c.Name {
						repeat(data, tile, all)
						filled = c.Name
					}
				}
				cases = append(cases, Case{prepare, func() { c.run(data, values, k, pool) }})
				points = append(points, RooflinePoint{
					Config: c.Name, Bytes: c.Bytes, Intensity: intensity, Threads: threads,
					GFLOPS: float64(values) * float64(intensity) / 1e9, GBps: float64(values) * float64(c.Bytes) / 1e9,
				})
			}
		}
	}
	timing := Timing{Repeat: opt.Repeat, Budget: opt.Budget, Progress: func(k int) { round = k + 1 }}
	times, err := timing.Measure(ctx, cases...)
	if err != nil {
		return nil, err
	}
	for k, t := range times { // of one pass so far
		p := &points[k]
		p.Seconds, p.GFLOPS, p.GBps = t.Min, p.GFLOPS/t.Min, p.GBps/t.Min
	}
	return points, nil
}

// The array is read in parts that do not depend on the number of threads, and so do not the sums. There are many
// parts, so that threads have about equal work. Each part has the same number of values, a multiple of the lanes of
// the kernels.
const (
	rooflineParts = 960
	multiple      = rooflineParts * 256
)

// newRoofline allocates an array of about size bytes, at least one multiple of FP64.
func newRoofline(size int64) []byte {
	words := make([]float64, max(size/8, multiple)+formats.Padding/8+1)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
}

// values returns the number of values that the array holds.
func (c RooflineConfig) values(data []byte) int {
	return (len(data) - formats.Padding) / c.Bytes / multiple * multiple
}

// run returns the sum of all values after k multiply-adds with each.
func (c RooflineConfig) run(data []byte, values, k int, pool *parallel.Pool) float64 {
	var sums [rooflineParts]float64
	each := values / rooflineParts
	pool.Each(rooflineParts, func(part int) {
		lo := part * each * c.Bytes
		sums[part] = c.pass(c, data[lo:lo+each*c.Bytes+formats.Padding], k)
	})
	return sum(sums[:])
}

// tileValues is the number of different values that the array repeats.
const tileValues = 4096

// example returns value i of a tile, which every format represents.
func example(i int) float64 { return 0.25 + 0.5*float64(i*2654435761%tileValues)/tileValues }

// tile returns the different values in the storage format.
func (c RooflineConfig) tile() ([]byte, error) {
	values := make([]float64, tileValues)
	for i := range values {
		values[i] = example(i)
	}
	encoded := make([]byte, tileValues*c.Bytes)
	if err := c.codec.Encode(encoded, values); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return encoded, nil
}

// repeat fills the array with copies of a tile.
func repeat(data, tile []byte, pool *parallel.Pool) {
	data = data[:len(data)-formats.Padding]
	pool.Each(blocks(len(data), len(tile)), func(k int) { copy(data[k*len(tile):], tile) })
}

// Roof is the bound of the points of a number of threads: the most bytes and FLOPs per second, in units of 10^9, that
// any of the points, or of the kernels that measure the bandwidth, has reached.
type Roof struct {
	GBps   float64
	GFLOPS map[string]float64 // by the precision of the arithmetic, FP64 or FP32
}

// RoofOf returns the roof of points; read is the measured bandwidth in bytes per second, 0 if there is none.
func RoofOf(points []RooflinePoint, threads int, read float64) Roof {
	r := Roof{GBps: read / 1e9, GFLOPS: map[string]float64{}}
	for _, p := range points {
		if p.Threads == threads {
			r.GBps = max(r.GBps, p.GBps)
			r.GFLOPS[p.arithmetic()] = max(r.GFLOPS[p.arithmetic()], p.GFLOPS)
		}
	}
	return r
}

// arithmetic returns the precision of the arithmetic: all configurations but FP32 itself compute in FP64.
func (p RooflinePoint) arithmetic() string {
	if p.Config == FP32 {
		return FP32
	}
	return FP64
}

// FLOPPerByte returns the arithmetic intensity.
func (p RooflinePoint) FLOPPerByte() float64 { return float64(p.Intensity) / float64(p.Bytes) }

// BestOf returns the two parts of a roof for a configuration and a number of threads: the most bytes and the most
// FLOPs per second of all points, both in units of 10^9.
func BestOf(points []RooflinePoint, config string, threads int) (gbps, gflops float64) {
	for _, p := range points {
		if p.Config == config && p.Threads == threads {
			gbps, gflops = max(gbps, p.GBps), max(gflops, p.GFLOPS)
		}
	}
	return gbps, gflops
}

// ConfigsOf returns the names of the configurations of points, in the order of points.
func ConfigsOf(points []RooflinePoint) (names []string) {
	for _, p := range points {
		if !slices.Contains(names, p.Config) {
			names = append(names, p.Config)
		}
	}
	return names
}
