package reproduce

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// orderLabel says whether elements keep their order or are grouped by format.
const orderLabel = "order"

// magnitudes are distributions of vector elements, some of which vary along the vector: element i of n is computed
// from at, a random number uniform in [0, 1) and a normal one.
var magnitudes = map[string]func(at, uniform, normal float64) float64{
	"uniform":   func(_, u, _ float64) float64 { return 2*u - 1 },
	"normal":    func(_, _, n float64) float64 { return n },
	"lognormal": func(_, _, n float64) float64 { return math.Exp(5 * n) },
	"decaying":  func(at, u, _ float64) float64 { return (2*u - 1) * math.Exp2(-80*at) },
}

// adaptiveDot is the kind of measurement of inner products and sums of a vector in adaptive precision ([Molina24],
// remark 3.3); the other vector is in FP64, normally distributed.
func adaptiveDot() kind {
	return kind{
		name: "dot", text: "inner products and sums of a vector in adaptive precision, each block in the format of its largest element",
		labels: []label{
			{kernelLabel, "dot", oneOf("dot", "sum")},
			{distributionLabel, "uniform", oneOf("uniform", "normal", "lognormal", "decaying")},
			{orderLabel, "given", oneOf("given", "sorted")},
			{epsilonLabel, "2^-24", epsilons},
			{sizeLabel, "100000", positive},
		},
		values: append([]string{"error_epsilon", "bytes", "vector_storage", "seconds", "time_fp64"}, quartiles("time_fp64")...),
		cost: func(p point, _ float64) float64 {
			n, _ := strconv.ParseFloat(p[sizeLabel], 64) // was checked
			return 3e-8 * n
		},
		together: func(p point) string {
			return p[kernelLabel] + p[distributionLabel] + p[orderLabel] + " " + p[sizeLabel]
		},
		measure: measureDot,
	}
}

func measureDot(ctx context.Context, in input, points []point) error {
	first := points[0]
	n, _ := strconv.Atoi(first[sizeLabel]) // was checked
	if bytes := 8 * 4 * int64(n); in.maxMemory > 0 && bytes > in.maxMemory {
		return in.emitReason(fmt.Sprintf("takes %d bytes, more than the memory limit", bytes), points...)
	}
	sum := first[kernelLabel] == "sum"
	x, y := dotVectors(first[distributionLabel], n, in.pool)
	if sum {
		y = nil
	}
	for _, p := range points {
		epsilon, _ := parseEpsilon(p)
		rule := packed.Rule{Theta: packed.Tolerance(x, epsilon)}
		work, other := slices.Clone(x), y
		if p[orderLabel] == "sorted" {
			other = bring(work, x, y, packed.Order(x, rule))
		}
		exact, scale := exactDotOf(work, other)
		v, uniform := packed.New(n, in.pool, nil), packed.New(n, in.pool, nil)
		uniform.Pack(1, work, packed.Uniform(packed.FP64))
		v.Pack(1, work, rule)
		run := func(v *packed.Vector) func() float64 {
			if sum {
				return v.Sum
			}
			return func() float64 { return v.Dot(other) }
		}
		adaptive, plain := run(v), run(uniform)
		if !sum {
			host := linop.NewHost(n, in.pool)
			plain = func() float64 { return host.Dot(work, other).Float() }
		}
		times, err := in.timing().Measure(ctx, lab.Warm(func() { adaptive() }), lab.Warm(func() { plain() }))
		if err != nil {
			return err
		}
		read := float64(v.Bytes())
		if !sum {
			read += 8 * float64(n)
		}
		values := map[string]float64{
			"error_epsilon": math.Abs(exact.Sub(dd.From(adaptive())).Float()) / (epsilon * scale),
			"bytes":         read, "vector_storage": float64(v.Bytes()) / (8 * float64(n)), "seconds": times[0].Median,
		}
		relative(values, "time_fp64", times[0], times[1])
		if err := in.emit(p, result{values: values}); err != nil {
			return err
		}
	}
	return nil
}

func parseEpsilon(p point) (float64, error) {
	s, err := point{formatsLabel: "AFX", epsilonLabel: p[epsilonLabel]}.spec()
	return s.Epsilon, err
}

// dotVectors returns two random vectors.
func dotVectors(distribution string, n int, pool *parallel.Pool) (x, y []float64) {
	const block = 1 << 16
	x, y = make([]float64, n), make([]float64, n)
	element := magnitudes[distribution]
	pool.Each((n+block-1)/block, func(k int) {
		rng := rand.New(rand.NewPCG(1, uint64(k)))
		for i := k * block; i < min((k+1)*block, n); i++ {
			x[i], y[i] = element(float64(i)/float64(n), rng.Float64(), rng.NormFloat64()), rng.NormFloat64()
		}
	})
	return x, y
}

// bring sets to to x in the given order, and returns y in that order.
func bring(to, x, y []float64, order []int32) []float64 {
	for k, i := range order {
		to[k] = x[i]
	}
	if y == nil {
		return nil
	}
	sorted := make([]float64, len(y))
	for k, i := range order {
		sorted[k] = y[i]
	}
	return sorted
}

// exactDotOf returns x·y, or the sum of x if y is nil, and ||x||_1 ||y||_inf.
func exactDotOf(x, y []float64) (s dd.DD, scale float64) {
	most := 1.0
	if y != nil {
		most = kernels.AbsMax(y)
	}
	for i, v := range x {
		w := 1.0
		if y != nil {
			w = y[i]
		}
		s = s.AddProd(v, w)
		scale += math.Abs(v)
	}
	return s, scale * most
}
