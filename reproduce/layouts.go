package reproduce

import (
	"context"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// plainLayouts is the kind of measurement of FP64 products in several layouts, timed interleaved: GFLOP/s, their
// share of the bound by memory bandwidth, and the time relative to the fastest layout of the matrix.
func plainLayouts() kind {
	return kind{
		name: "layouts", text: "y = A x in FP64 in several layouts, relative to the bandwidth and to each other", matrix: true,
		labels: []label{{layoutLabel, "csr", oneOf("csr", "coo", "ell", "hybrid")}, threads("all")},
		values: append([]string{"bytes", "bytes_per_nnz", "seconds", "gflops", "gbps", "bandwidth_share", "time_best"},
			quartiles("gbps", "time_best")...),
		cost:     productCost,
		together: but(layoutLabel),
		measure:  measureLayouts,
	}
}

func measureLayouts(ctx context.Context, in input, points []point) error {
	m, threads := in.matrix, points[0].threads()
	pool := parallel.New(threads)
	defer pool.Close()
	set, err := adaptive.LookupSet("FP64")
	if err != nil {
		return err
	}
	var products []lab.Product
	var stored []point
	for _, p := range points {
		spec := adaptive.Spec{Set: set, Epsilon: adaptive.MinEpsilon, Layout: adaptive.Layout(p[layoutLabel])}
		product, _, err := lab.Store(m, spec, pool)
		if err != nil { // ELL of a long row
			if err := in.emitReason(err.Error(), p); err != nil {
				return err
			}
			continue
		}
		products, stored = append(products, product), append(stored, p)
	}
	if len(products) == 0 {
		return ctx.Err()
	}
	size := lab.ArrayBytes(host.Caches().LastLevel(), host.Memory())
	if in.quick {
		size = min(size, quickRooflineBytes/4)
	}
	memory, err := lab.MeasureBandwidth(ctx, size, []int{threads})
	if err != nil {
		return err
	}
	if err := lab.MeasureProducts(ctx, m, ones(m.Cols), products, pool, in.timing()); err != nil {
		return err
	}
	best := slices.MinFunc(products, func(a, b lab.Product) int { return int(math.Copysign(1, a.Median-b.Median)) })
	for k, p := range stored {
		q := products[k]
		values := map[string]float64{
			"bytes": float64(q.Bytes), "bytes_per_nnz": q.BytesPerNonzero(), "seconds": q.Median,
			"gflops": 2 * float64(m.NNZ()) / q.Median / 1e9,
		}
		speeds(values, q.Time, float64(q.Moved()))
		values["bandwidth_share"] = values["gflops"] * 1e9 / 2 * elementBytes(p[layoutLabel]) / memory[threads].Read
		relative(values, "time_best", q.Time, best.Time)
		if err := in.emit(p, result{values: values}); err != nil {
			return err
		}
	}
	return nil
}

// elementBytes returns the bytes of an element in the bounds of [Cojean20], section 6.1: bandwidth / 8 FLOP/s for
// COO, bandwidth / 6 for the others.
func elementBytes(layout string) float64 {
	if layout == string(adaptive.COO) {
		return 16
	}
	return 12
}

// speeds fills in the GB/s of the median round, and the quartiles.
func speeds(values map[string]float64, t lab.Time, bytes float64) {
	var gbps []float64
	for _, s := range t.Rounds {
		gbps = append(gbps, bytes/s/1e9)
	}
	values["gbps"+records.FirstQuartile], values["gbps"], values["gbps"+records.ThirdQuartile] = records.Quartiles(gbps)
}
