package reproduce

import (
	"context"
	"strconv"

	"github.com/mpsolve/mpsolve/lab"
)

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
		cost:     func(p point, _ float64) float64 { n, _ := strconv.ParseFloat(p[sizeLabel], 64); return 0.05 + 1e-7*n },
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
