package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/mpsolve/mpsolve/lab"
)

// Labels of the accessor experiments.
const (
	kernelLabel       = "kernel"
	precisionLabel    = "precision"
	distributionLabel = "distribution"
	dataLabel         = "data"
	sizeLabel         = "n"
)

// seeds is the number of random problems whose errors are averaged, as in [Gruetzmacher23].
const seeds = 10

var accessorValues = append([]string{"error", "error_median", "seconds", "bytes", "gflops", "gbps", "time_fp64", "time_fp32"},
	quartiles("time_fp64", "time_fp32")...)

func precisions() label {
	return label{precisionLabel, lab.FP64, oneOf(words(lab.Precisions)...)}
}

func distributions() label {
	return label{distributionLabel, string(lab.Uniform), oneOf(words(lab.Distributions)...)}
}

func words[T ~string](list []T) (words []string) {
	for _, w := range list {
		words = append(words, string(w))
	}
	return words
}

// accessorKernels is the kind of measurement of GEMV, DOT and TRSV whose storage and arithmetic have different
// precisions.
func accessorKernels() kind {
	return kind{
		name: "accessor", text: "dense kernels with different precisions of storage and arithmetic",
		labels: []label{
			{kernelLabel, string(lab.GEMV), oneOf("GEMV", "DOT", "TRSV")},
			precisions(), distributions(),
			{dataLabel, "FP64", oneOf("FP64", "FP32")}, // FP32: numbers that FP32 represents
			{sizeLabel, "1024", positive},
		},
		values: accessorValues,
		cost: func(p point, _ float64) float64 {
			n, _ := strconv.ParseFloat(p[sizeLabel], 64) // was checked
			if p[kernelLabel] == string(lab.DOT) {
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
	kernel := lab.Kernel(p[kernelLabel])
	n, _ := strconv.Atoi(p[sizeLabel]) // was checked
	return measureProblems(ctx, in, points, lab.ProblemBytes(kernel, n), func(seed uint64) (*lab.Problem, error) {
		return lab.NewProblem(kernel, n, lab.Distribution(p[distributionLabel]), p[dataLabel] == "FP32", seed, in.pool)
	})
}

// measureProblems measures the precisions of problems of so many bytes, if they fit into memory: the errors over all
// seeds, and the time of the first problem.
func measureProblems(ctx context.Context, in input, points []point, bytes int64, problem func(seed uint64) (*lab.Problem, error)) error {
	if in.maxMemory > 0 && bytes > in.maxMemory {
		return in.emitReason(fmt.Sprintf("takes %d bytes, more than the memory limit", bytes), points...)
	}
	results := map[lab.Precision]result{}
	errors := map[lab.Precision][]float64{}
	for seed := range seeds {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := problem(uint64(seed + 1))
		if err != nil {
			return in.emitReason(err.Error(), points...)
		}
		for _, precision := range lab.Precisions {
			errors[precision] = append(errors[precision], p.Error(precision))
		}
		if seed > 0 {
			continue
		}
		times, err := p.Times(ctx, in.timing())
		if err != nil {
			return err
		}
		for precision, time := range times {
			values := map[string]float64{
				"seconds": time.Median, "bytes": float64(p.Traffic(precision)),
				"gflops": float64(p.FLOPs()) / time.Median / 1e9, "gbps": float64(p.Traffic(precision)) / time.Median / 1e9,
			}
			relative(values, "time_fp64", time, times[lab.FP64])
			relative(values, "time_fp32", time, times[lab.FP32])
			results[precision] = result{values: values}
		}
	}
	for _, p := range points {
		precision := lab.Precision(p[precisionLabel])
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

// ellProduct is the kind of measurement of y = A x with A in ELL and a random x.
func ellProduct() kind {
	return kind{
		name: "ell", text: "y = A x for a random x with A in ELL, with different precisions of storage and arithmetic", matrix: true,
		labels:   []label{{kernelLabel, string(lab.ELL), oneOf("ELL")}, precisions(), distributions()},
		values:   accessorValues,
		cost:     productCost,
		unitNorm: true, together: but(precisionLabel),
		measure: func(ctx context.Context, in input, points []point) error {
			bytes := lab.ELLProblemBytes(in.matrix) // one long row pads all rows
			return measureProblems(ctx, in, points, bytes, func(seed uint64) (*lab.Problem, error) {
				return lab.NewELLProblem(in.matrix, lab.Distribution(points[0][distributionLabel]), seed, in.pool)
			})
		},
	}
}
