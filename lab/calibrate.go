package lab

import (
	"context"
	"time"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// The rounds of a calibration, and the time limit of each kind of measurement.
const (
	calibrationRounds = 200
	calibrationTime   = 300 * time.Millisecond
)

// Calibrate returns a model of this processor for a set of kernels. It times products with the matrices on one thread
// in all layouts that they allow. Small matrices, which fit into a core's cache, give the times of the instructions;
// one whose x does not fit gives the cost of cache misses. Calibrate starts from the known model and keeps its sizes
// of caches.
func Calibrate(ctx context.Context, k *kernels.Set, name string, known *adaptive.Model, matrices []*csr.Matrix) (*adaptive.Model, error) {
	pool := parallel.New(1)
	defer pool.Close()
	rates, err := measureRates(ctx, known.Sizes)
	if err != nil {
		return nil, err
	}
	set, err := adaptive.LookupSet("AFX")
	if err != nil {
		return nil, err
	}
	var works []adaptive.Work
	for _, m := range matrices {
		x, y := make([]float64, m.Cols), make([]float64, m.Rows)
		for j := range x {
			x[j] = 1
		}
		first := len(works)
		var cases []Case
		for _, layout := range []adaptive.Layout{
			adaptive.CSR, adaptive.Slots, adaptive.Diagonals, adaptive.Blocks, adaptive.Symmetric, adaptive.SELL, adaptive.Tiles,
		} {
			for _, epsilon := range []float64{0x1p-24, 0x1p-53} {
				spec := adaptive.Spec{Set: set, Epsilon: epsilon, Layout: layout, Kernels: k, Model: known}
				w, err := adaptive.NewWork(m, spec, pool)
				if err != nil {
					continue // not a layout for this matrix
				}
				p, _, err := Store(m, spec, pool)
				if err != nil {
					return nil, err
				}
				works = append(works, w)
				cases = append(cases, Warm(func() { p.apply(y, x) }))
				if layout == adaptive.CSR {
					break // FP64 CSR has one accuracy only
				}
			}
		}
		times, err := Timing{Repeat: calibrationRounds, Budget: calibrationTime}.Measure(ctx, cases...)
		if err != nil {
			return nil, err
		}
		for k, t := range times {
			works[first+k].Seconds = t.Min
		}
	}
	from := *known
	from.Rates, from.Kernels = rates, k.String()
	return from.Fit(name, works)
}

// measureRates measures the rates at which one thread reads memory and the shared cache.
func measureRates(ctx context.Context, sizes adaptive.Sizes) (r adaptive.Rates, err error) {
	rate := func(bytes int64) float64 {
		var limits map[int]Bandwidth
		if err == nil {
			limits, err = MeasureBandwidth(ctx, bytes, []int{1})
		}
		return limits[1].Read / 1e9
	}
	r.Cache = rate((sizes.Near + sizes.Shared) / 2)
	r.Memory = rate(ArrayBytes(sizes.Shared, 0))
	return r, err
}
