package reproduce

import (
	"context"
	"fmt"
	"maps"
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

// measureAccessor measures the precisions of a problem in turns.
func measureAccessor(ctx context.Context, in input, points []point) error {
	for _, group := range byProblem(points) {
		if in.late() {
			return nil
		}
		p := group[0]
		in.progress(p[kernelLabel] + ", n = " + p[sizeLabel] + ", " + p[distributionLabel])
		n, _ := strconv.Atoi(p[sizeLabel]) // was checked
		if bytes := accessor.Bytes(accessor.Kernel(p[kernelLabel]), n); in.maxMemory > 0 && bytes > in.maxMemory {
			if err := emitReason(in, group, fmt.Sprintf("takes %d bytes, more than the memory limit", bytes)); err != nil {
				return err
			}
			continue
		}
		err := measureProblems(ctx, in, group, func(seed uint64) (*accessor.Problem, error) {
			return accessor.New(accessor.Kernel(p[kernelLabel]), n, accessor.Distribution(p[distributionLabel]), seed, in.pool)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// byProblem groups points that differ in their precision only.
func byProblem(points []point) (groups [][]point) {
	same := func(p, q point) bool {
		p = maps.Clone(p)
		p[precisionLabel] = q[precisionLabel]
		return maps.Equal(p, q)
	}
	for _, p := range points {
		i := slices.IndexFunc(groups, func(g []point) bool { return same(p, g[0]) })
		if i < 0 {
			groups = append(groups, []point{p})
		} else {
			groups[i] = append(groups[i], p)
		}
	}
	return groups
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
			unitNorm(in.matrix)
			for _, group := range byProblem(points) {
				// A long row makes all rows long.
				if bytes := accessor.ELLBytes(in.matrix); in.maxMemory > 0 && bytes > in.maxMemory {
					if err := emitReason(in, group, fmt.Sprintf("takes %d bytes in ELL, more than the memory limit", bytes)); err != nil {
						return err
					}
					continue
				}
				err := measureProblems(ctx, in, group, func(seed uint64) (*accessor.Problem, error) {
					return accessor.NewELL(in.matrix, accessor.Distribution(group[0][distributionLabel]), seed, in.pool)
				})
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}
