package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/internal/bench"
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
	return label{precisionLabel, bench.FP64, oneOf(words(bench.Precisions)...)}
}

func distributions() label {
	return label{distributionLabel, string(bench.Uniform), oneOf(words(bench.Distributions)...)}
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
		name: "accessor", text: "dense kernels with storage and arithmetic in different precisions",
		labels: []label{
			{kernelLabel, string(bench.GEMV), oneOf("GEMV", "DOT", "TRSV")},
			precisions(), distributions(),
			{sizeLabel, "1024", positive},
		},
		values: accessorValues,
		cost: func(p point, _ float64) float64 {
			n, _ := strconv.ParseFloat(p[sizeLabel], 64) // was checked
			if p[kernelLabel] == string(bench.DOT) {
				return 1e-7 * n
			}
			return 1e-7 * n * n
		},
		measure: measureAccessor,
	}
}

func measureAccessor(ctx context.Context, in input, points []point) error {
	kernel := func(p point) bench.Kernel { return bench.Kernel(p[kernelLabel]) }
	size := func(p point) int {
		n, _ := strconv.Atoi(p[sizeLabel]) // was checked
		return n
	}
	return measureKernels(ctx, in, points,
		func(p point) int64 { return bench.ProblemBytes(kernel(p), size(p)) },
		func(p point, seed uint64) (*bench.Problem, error) {
			return bench.NewProblem(kernel(p), size(p), bench.Distribution(p[distributionLabel]), seed, in.pool)
		})
}

// measureKernels measures the precisions of each problem in turns, if it fits into
// memory.
func measureKernels(ctx context.Context, in input, points []point, bytes func(p point) int64, problem func(p point, seed uint64) (*bench.Problem, error)) error {
	for _, group := range groups(points, but(precisionLabel)) {
		if in.late() {
			return nil
		}
		p := group[0]
		in.progress(strings.TrimSpace(p[kernelLabel] + " " + p[distributionLabel] + " " + p[sizeLabel]))
		if size := bytes(p); in.maxMemory > 0 && size > in.maxMemory {
			if err := emitReason(in, group, fmt.Sprintf("takes %d bytes, more than the memory limit", size)); err != nil {
				return err
			}
			continue
		}
		if err := measureProblems(ctx, in, group, func(seed uint64) (*bench.Problem, error) { return problem(p, seed) }); err != nil {
			return err
		}
	}
	return nil
}

// measureProblems takes the errors over all seeds and the time of the first.
func measureProblems(ctx context.Context, in input, points []point, problem func(seed uint64) (*bench.Problem, error)) error {
	results := map[bench.Precision]result{}
	errors := map[bench.Precision][]float64{}
	for seed := range seeds {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := problem(uint64(seed + 1))
		if err != nil {
			return emitReason(in, points, err.Error())
		}
		for _, precision := range bench.Precisions {
			errors[precision] = append(errors[precision], p.Error(precision))
		}
		if seed > 0 {
			continue
		}
		times, err := p.Times(ctx, in.turns())
		if err != nil {
			return err
		}
		for precision, time := range times {
			results[precision] = result{values: map[string]float64{
				"seconds": time.Min, "gflops": float64(p.FLOPs()) / time.Min / 1e9,
				"gbps":      float64(p.Traffic(precision)) / time.Min / 1e9,
				"time_fp64": time.Min / times[bench.FP64].Min, "time_fp32": time.Min / times[bench.FP32].Min,
			}}
		}
	}
	for _, p := range points {
		precision := bench.Precision(p[precisionLabel])
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

// emitReason records that points cannot be measured.
func emitReason(in input, points []point, reason string) error {
	for _, p := range points {
		if err := in.emit(p, result{notes: map[string]string{"reason": reason}}); err != nil {
			return err
		}
	}
	return nil
}

// ellProduct is the kind of y = A x with A in ELL, for a random x.
func ellProduct() kind {
	return kind{
		name: "ell", text: "y = A x for a random x with A in ELL, storage and arithmetic in different precisions", matrix: true,
		labels: []label{{kernelLabel, string(bench.ELL), oneOf("ELL")}, precisions(), distributions()},
		values: accessorValues,
		cost:   productCost,
		measure: func(ctx context.Context, in input, points []point) error {
			unitNorm(in.matrix, in.pool)
			return measureKernels(ctx, in, points,
				func(point) int64 { return bench.ELLProblemBytes(in.matrix) }, // a long row makes all rows long
				func(p point, seed uint64) (*bench.Problem, error) {
					return bench.NewELLProblem(in.matrix, bench.Distribution(p[distributionLabel]), seed, in.pool)
				})
		},
	}
}
