package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
		name: "accessor", text: "dense kernels with storage and arithmetic in different precisions",
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
		measure: measureAccessor,
	}
}

func measureAccessor(ctx context.Context, in input, points []point) error {
	kernel := func(p point) accessor.Kernel { return accessor.Kernel(p[kernelLabel]) }
	size := func(p point) int {
		n, _ := strconv.Atoi(p[sizeLabel]) // was checked
		return n
	}
	return measureKernels(ctx, in, points,
		func(p point) int64 { return accessor.Bytes(kernel(p), size(p)) },
		func(p point, seed uint64) (*accessor.Problem, error) {
			return accessor.New(kernel(p), size(p), accessor.Distribution(p[distributionLabel]), seed, in.pool)
		})
}

// measureKernels measures the precisions of each problem in turns, if it fits into
// memory.
func measureKernels(ctx context.Context, in input, points []point, bytes func(p point) int64, problem func(p point, seed uint64) (*accessor.Problem, error)) error {
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
		if err := measureProblems(ctx, in, group, func(seed uint64) (*accessor.Problem, error) { return problem(p, seed) }); err != nil {
			return err
		}
	}
	return nil
}

// measureProblems takes the errors over all seeds and the time of the first.
func measureProblems(ctx context.Context, in input, points []point, problem func(seed uint64) (*accessor.Problem, error)) error {
	results := map[accessor.Precision]result{}
	errors := map[accessor.Precision][]float64{}
	for seed := range seeds {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := problem(uint64(seed + 1))
		if err != nil {
			return emitReason(in, points, err.Error())
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
		labels: []label{{kernelLabel, string(accessor.ELL), oneOf("ELL")}, precisions(), distributions()},
		values: accessorValues,
		cost:   productCost,
		measure: func(ctx context.Context, in input, points []point) error {
			unitNorm(in.matrix, in.pool)
			return measureKernels(ctx, in, points,
				func(point) int64 { return accessor.ELLBytes(in.matrix) }, // a long row makes all rows long
				func(p point, seed uint64) (*accessor.Problem, error) {
					return accessor.NewELL(in.matrix, accessor.Distribution(p[distributionLabel]), seed, in.pool)
				})
		},
	}
}
