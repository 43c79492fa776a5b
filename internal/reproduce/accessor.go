package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/mpsolve/mpsolve/internal/accessor"
)

// Labels of the accessor experiments.
const (
	kernelLabel       = "kernel"
	precisionLabel    = "precision"
	distributionLabel = "distribution"
	sizeLabel         = "n"
)

// seeds is how many random problems give an error, as in [Gruetzmacher23].
const seeds = 10

var accessorValues = []string{"error", "error_median", "seconds", "gflops", "gbps", "time_fp64", "time_fp32"}

func precisions() label {
	return label{precisionLabel, string(accessor.FP64), oneOf(words(accessor.Precisions)...)}
}

func distributions() label {
	return label{distributionLabel, string(accessor.Uniform), oneOf(words(accessor.Distributions)...)}
}

func words[T ~string](list []T) (words []string) {
	for _, w := range list {
		words = append(words, string(w))
	}
	return words
}

// accessorKernels is the kind of GEMV, DOT and TRSV with storage and arithmetic in
// different precisions.
func accessorKernels() kind {
	return kind{
		name: "accessor", text: "dense kernels with different precisions of storage and arithmetic",
		labels: []label{
			{kernelLabel, string(accessor.GEMV), oneOf("GEMV", "DOT", "TRSV")},
			precisions(), distributions(),
			{sizeLabel, "1024", positive},
		},
		values: accessorValues,
		cost: func(p point, _ float64) float64 {
			n, _ := strconv.ParseFloat(p[sizeLabel], 64) // was checked
			if p[kernelLabel] == string(accessor.DOT) {
				return 1e-7 * n
			}
			return 1e-7 * n * n
		},
		together: but(precisionLabel),
		measure:  measureAccessor,
	}
}

func measureAccessor(ctx context.Context, in input, points []point) error {
	p := points[0]
	kernel := accessor.Kernel(p[kernelLabel])
	n, _ := strconv.Atoi(p[sizeLabel]) // was checked
	return measureProblems(ctx, in, points, accessor.Bytes(kernel, n), func(seed uint64) (*accessor.Problem, error) {
		return accessor.New(kernel, n, accessor.Distribution(p[distributionLabel]), seed, in.pool)
	})
}

// measureProblems measures the precisions of problems of that many bytes, if they fit
// into memory: the errors over all seeds, and the time of the first.
func measureProblems(ctx context.Context, in input, points []point, bytes int64, problem func(seed uint64) (*accessor.Problem, error)) error {
	if in.maxMemory > 0 && bytes > in.maxMemory {
		return in.emitReason(fmt.Sprintf("takes %d bytes, more than the memory limit", bytes), points...)
	}
	results := map[accessor.Precision]result{}
	errors := map[accessor.Precision][]float64{}
	for seed := range seeds {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := problem(uint64(seed + 1))
		if err != nil {
			return in.emitReason(err.Error(), points...)
		}
		for _, precision := range accessor.Precisions {
			errors[precision] = append(errors[precision], p.Error(precision))
		}
		if seed > 0 {
			continue
		}
		t := in.turns()
		times, err := p.Times(ctx, t.Repeat, t.Budget)
		if err != nil {
			return err
		}
		for precision, time := range times {
			results[precision] = result{values: map[string]float64{
				"seconds": time.Min, "gflops": float64(p.FLOPs()) / time.Min / 1e9,
				"gbps":      float64(p.Traffic(precision)) / time.Min / 1e9,
				"time_fp64": time.Min / times[accessor.FP64].Min, "time_fp32": time.Min / times[accessor.FP32].Min,
			}}
		}
	}
	for _, p := range points {
		precision := accessor.Precision(p[precisionLabel])
		r := results[precision]
		e := slices.Sorted(slices.Values(errors[precision]))
		sum := 0.0
		for _, x := range e {
			sum += x
		}
		r.values["error"], r.values["error_median"] = sum/seeds, (e[(seeds-1)/2]+e[seeds/2])/2
		if err := in.emit(p, r); err != nil {
			return err
		}
	}
	return nil
}

// ellProduct is the kind of y = A x with A in ELL, for a random x.
func ellProduct() kind {
	return kind{
		name: "ell", text: "y = A x for a random x with A in ELL, with different precisions of storage and arithmetic", matrix: true,
		labels:   []label{{kernelLabel, string(accessor.ELL), oneOf("ELL")}, precisions(), distributions()},
		values:   accessorValues,
		cost:     productCost,
		unitNorm: true, together: but(precisionLabel),
		measure: func(ctx context.Context, in input, points []point) error {
			bytes := accessor.ELLBytes(in.matrix) // a long row makes all rows long
			return measureProblems(ctx, in, points, bytes, func(seed uint64) (*accessor.Problem, error) {
				return accessor.NewELL(in.matrix, accessor.Distribution(points[0][distributionLabel]), seed, in.pool)
			})
		},
	}
}
