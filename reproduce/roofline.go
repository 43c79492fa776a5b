package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/lab"
)

const intensityLabel = "intensity"

// rooflines is the kind of measurement of performance over arithmetic intensity.
func rooflines() kind {
	return kind{
		name: "roofline", text: "arithmetic on values from memory: performance over arithmetic intensity",
		labels: []label{
			{formatsLabel, lab.FP64, domain{"a configuration of mpsolve bench roofline", func(w string) error {
				_, err := lab.FindRoofline(w)
				return err
			}}},
			{intensityLabel, "2", domain{"an even number of FLOPs a value", func(w string) error {
				if n, err := strconv.Atoi(w); err != nil || n < 2 || n%2 != 0 {
					return fmt.Errorf("%q is not an even number, at least 2", w)
				}
				return nil
			}}},
			threads("all"),
		},
		values:   []string{"gflops", "gbps", "seconds"},
		cost:     func(point, float64) float64 { return 0.05 },
		together: func(point) string { return "" },
		measure:  measureRoofline,
	}
}

// quickRooflineBytes is the size of the array in quick runs.
const quickRooflineBytes = 512 << 20

func measureRoofline(ctx context.Context, in input, points []point) error {
	opt := lab.RooflineOptions{
		Size: lab.ArrayBytes(host.Caches().LastLevel(), host.Memory()), Repeat: 3,
		Progress: in.progress,
	}
	if in.quick {
		opt.Size, opt.Repeat = min(opt.Size, quickRooflineBytes), 1
	}
	for _, p := range points {
		c, err := lab.FindRoofline(p[formatsLabel])
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(opt.Configs, func(d lab.RooflineConfig) bool { return c.Name == d.Name }) {
			opt.Configs = append(opt.Configs, c)
		}
		intensity, _ := strconv.Atoi(p[intensityLabel]) // was checked
		opt.Intensities = append(opt.Intensities, intensity)
		opt.Threads = append(opt.Threads, p.threads())
	}
	opt.Intensities, opt.Threads = sortedSet(opt.Intensities), sortedSet(opt.Threads)
	measured, err := lab.Roofline(ctx, opt)
	if err != nil {
		return err
	}
	for _, p := range points {
		for _, m := range measured {
			if m.Config != p[formatsLabel] || strconv.Itoa(m.Intensity) != p[intensityLabel] || m.Threads != p.threads() {
				continue
			}
			values := map[string]float64{"gflops": m.GFLOPS, "gbps": m.GBps, "seconds": m.Seconds}
			if err := in.emit(p, result{values: values}); err != nil {
				return err
			}
		}
	}
	return nil
}

func sortedSet(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}

// streams is the kind of measurement of the bandwidth of memory over the size of arrays, as BabelStream measures it.
func streams() kind {
	var names []string
	for _, k := range lab.StreamKernels() {
		names = append(names, k.Name)
	}
	return kind{
		name: "stream", text: "kernels of BabelStream: bandwidth over the size of arrays",
		labels:   []label{{kernelLabel, "triad", oneOf(names...)}, {sizeLabel, "1048576", positive}, threads("all")},
		values:   append([]string{"gbps", "seconds", "bytes"}, quartiles("gbps")...),
		cost:     func(p point, _ float64) float64 { n, _ := strconv.ParseFloat(p[sizeLabel], 64); return 0.01 + 1e-8*n },
		together: but(kernelLabel),
		measure:  measureStream,
	}
}

func measureStream(ctx context.Context, in input, points []point) error {
	n, _ := strconv.Atoi(points[0][sizeLabel]) // was checked
	if size := 3 * 8 * int64(n); in.maxMemory > 0 && size > in.maxMemory {
		return in.emitReason("the arrays take more than the memory limit", points...)
	}
	timing := in.timing()
	results, err := lab.Stream(ctx, lab.StreamOptions{
		Sizes: []int{n}, Threads: []int{points[0].threads()}, Repeat: timing.Repeat, Budget: timing.Budget, Progress: in.progress,
	})
	if err != nil {
		return err
	}
	for _, p := range points {
		for _, r := range results {
			if r.Kernel != p[kernelLabel] {
				continue
			}
			values := map[string]float64{"seconds": r.Median, "bytes": float64(r.Bytes)}
			speeds(values, r.Time, float64(r.Bytes))
			if err := in.emit(p, result{values: values}); err != nil {
				return err
			}
		}
	}
	return nil
}
