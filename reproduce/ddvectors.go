package reproduce

import (
	"context"
	"strconv"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// ddOperation is an operation on vectors in both spaces, double and double-double.
type ddOperation struct {
	flops, words float64 // in double; words are the words of memory for an element
	double       func(h linop.Host, x, y vector)
	dd           func(h linop.HostDD, x, y dd.Vec)
}

var ddOperations = map[string]ddOperation{
	"axpy": {2, 3, func(h linop.Host, x, y vector) { h.Axpy(0.5, x, y) }, func(h linop.HostDD, x, y dd.Vec) { h.Axpy(dd.From(0.5), x, y) }},
	"xpay": {2, 3, func(h linop.Host, x, y vector) { h.Xpay(x, 0.5, y) }, func(h linop.HostDD, x, y dd.Vec) { h.Xpay(x, dd.From(0.5), y) }},
	"dot":  {2, 2, func(h linop.Host, x, y vector) { h.Dot(x, y) }, func(h linop.HostDD, x, y dd.Vec) { h.Dot(x, y) }},
	"scale": {
		1, 2, func(h linop.Host, x, _ vector) { h.Scale(-1, x) },
		func(h linop.HostDD, x, _ dd.Vec) { h.Scale(dd.From(-1), x) },
	},
}

// ddVectors is the kind of measurement of operations on double-double vectors relative to double, over the length.
func ddVectors() kind {
	return kind{
		name: "dd-vectors", text: "operations on vectors in double-double, relative to double",
		labels: []label{
			{kernelLabel, "axpy", oneOf("axpy", "xpay", "dot", "scale")},
			{sizeLabel, "1048576", positive},
			threads("all"),
		},
		values: append([]string{"bytes", "seconds", "gflops", "gbps", "time_double"}, quartiles("gbps", "time_double")...),
		cost: func(p point, _ float64) float64 {
			n, _ := strconv.ParseFloat(p[sizeLabel], 64) // was checked
			return 0.02 + 2e-7*n
		},
		together: func(p point) string { return p[threadsLabel] },
		measure:  measureDDVectors,
	}
}

func measureDDVectors(ctx context.Context, in input, points []point) error {
	pool := in.pool
	if threads := points[0].threads(); threads != pool.Threads() {
		pool = parallel.New(threads)
		defer pool.Close()
	}
	for _, p := range points {
		n, _ := strconv.Atoi(p[sizeLabel]) // was checked
		if size := 6 * 8 * int64(n); in.maxMemory > 0 && size > in.maxMemory {
			if err := in.emitReason("the vectors take more than the memory limit", p); err != nil {
				return err
			}
			continue
		}
		h, hdd, op := linop.NewHost(n, pool), linop.NewHostDD(linop.NewHost(n, pool)), ddOperations[p[kernelLabel]]
		x, y, xdd, ydd := h.New(), h.New(), hdd.New(), hdd.New()
		for i := range x {
			x[i], y[i] = 1/float64(i+1), 1
			xdd.Set(i, dd.From(1).Div(dd.From(float64(i+1))))
			ydd.Set(i, dd.From(1))
		}
		const least = 1 << 18 // elements in one measurement
		repeat := max(1, least/n)
		times, err := in.timing().Measure(ctx,
			lab.Warm(func() {
				for range repeat {
					op.dd(hdd, xdd, ydd)
				}
			}),
			lab.Warm(func() {
				for range repeat {
					op.double(h, x, y)
				}
			}))
		if err != nil {
			return err
		}
		elements := float64(n) * float64(repeat)
		values := map[string]float64{"bytes": 2 * 8 * float64(n), "seconds": times[0].Median / float64(repeat), "gflops": op.flops * elements / times[0].Median / 1e9}
		speeds(values, times[0], 2*8*op.words*elements)
		relative(values, "time_double", times[0], times[1])
		if err := in.emit(p, result{values: values}); err != nil {
			return err
		}
	}
	return nil
}
