package reproduce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// product is the kind of measurement of y = A x with x = (1, ..., 1): storage, errors against double-double
// arithmetic, and time, interleaved with uniform FP64 and FP32 by the same code, as in the papers, and with the
// ordinary and the tuned FP64 CSR.
func product() kind {
	return kind{
		name: "product", text: "y = A x for x = (1, ..., 1): storage, errors and time", matrix: true,
		labels: append(storedLabels(), threads("all")),
		values: slices.Concat(storageValues, []string{
			"predicted", "predicted_storage", "dropped", records.Share + "*", "error_nw", "error_cw", "error_row", "bound",
			"seconds", "gbps", "time", "time_ordinary", "time_tuned", "time_fp32",
		}, quartiles("time", "time_ordinary", "time_tuned", "time_fp32")),
		exists:   storedExists,
		cost:     productCost,
		unitNorm: true,
		together: func(p point) string { return p[threadsLabel] },
		measure:  measureProducts,
	}
}

// Interleaved timing of products.
const (
	rounds      = 9
	quickRounds = 5

	// together is the largest number of products timed together, besides those that all are compared with: all stored
	// forms are in memory at once.
	together = 8

	roundsBudget = 20 * time.Second // of one group
	quickBudget  = 2 * time.Second
)

// productCost is the cost of storing the matrix, of timing products and of double-double arithmetic.
func productCost(_ point, nnz float64) float64 { return 1e-3 + 2.5e-8*nnz }

func (p point) threads() int {
	t, _ := strconv.Atoi(p[threadsLabel]) // was checked
	return t
}

// timing returns for how long products are timed against each other.
func (in input) timing() lab.Timing {
	if in.quick {
		return lab.Timing{Repeat: quickRounds, Budget: quickBudget}
	}
	return lab.Timing{Repeat: rounds, Budget: roundsBudget}
}

func measureProducts(ctx context.Context, in input, points []point) error {
	pool := in.pool
	if threads := points[0].threads(); threads != pool.Threads() {
		pool = parallel.New(threads)
		defer pool.Close()
	}
	uniform, baselines := uniformProducts(in.matrix, pool)
	for len(points) > 0 && !in.late() {
		n := min(in.together(), len(points))
		if err := productsTogether(ctx, in, pool, points[:n], slices.Clone(uniform), baselines); err != nil {
			return err
		}
		points = points[n:]
	}
	return nil
}

// uniformProducts returns the products that all others are compared with, and their indices by the name of the value
// that compares.
func uniformProducts(m *csr.Matrix, pool *parallel.Pool) ([]lab.Product, map[string]int) {
	products := lab.Baselines(m, pool)
	baselines := map[string]int{"time_ordinary": 0, "time_tuned": 1}
	for _, u := range []struct{ value, format string }{{"time", "FP64"}, {"time_fp32", "FP32"}} {
		if product, err := uniformProduct(m, u.format, pool); err == nil { // otherwise the format lacks the range
			baselines[u.value] = len(products)
			products = append(products, product)
		}
	}
	return products, baselines
}

// together returns how many stored forms fit into memory besides the matrix itself and its baselines, assuming that
// each form is as large as the matrix.
func (in input) together() int {
	const others = 3
	if in.maxMemory == 0 {
		return together
	}
	fit := in.maxMemory/max(in.matrix.Bytes(), 1) - others
	return int(min(max(fit, 1), together))
}

// stored is a point whose product is measured.
type stored struct {
	point  point
	spec   adaptive.Spec
	matrix adaptive.Matrix
	index  int // of its product
}

// productsTogether measures points against each other and against the given products, which come first.
func productsTogether(ctx context.Context, in input, pool *parallel.Pool, points []point, products []lab.Product, baselines map[string]int) error {
	m := in.matrix
	var list []stored
	for _, p := range points {
		if err := ctx.Err(); err != nil {
			return err
		}
		in.progress("storing " + p.text())
		spec, err := p.spec()
		if err != nil {
			return err
		}
		product, a, err := store(m, spec, pool)
		if err == nil && spec.Layout != "" && a.Layout() != spec.Layout {
			err = errors.New("the layout does not suit this matrix")
		}
		if err != nil { // or the format cannot represent the matrix
			if err := in.emitReason(err.Error(), p); err != nil {
				return err
			}
			continue
		}
		list = append(list, stored{p, spec, a, len(products)})
		products = append(products, product)
	}
	in.progress(fmt.Sprintf("%d products, timed interleaved", len(products)))
	if err := lab.MeasureProducts(ctx, m, ones(m.Cols), products, pool, in.timing()); err != nil {
		return err
	}
	for _, s := range list {
		r, err := s.result(in, products, baselines, pool)
		if err != nil {
			return err
		}
		if err := in.emit(s.point, r); err != nil {
			return err
		}
	}
	return nil
}

// uniformProduct returns the product with m in one format.
func uniformProduct(m *csr.Matrix, format string, pool *parallel.Pool) (lab.Product, error) {
	set, err := adaptive.LookupSet(format)
	if err != nil {
		return lab.Product{}, err
	}
	spec := adaptive.Spec{Set: set, Epsilon: set.Formats[0].UnitRoundoff(), Layout: adaptive.Bucketed}
	p, _, err := lab.Store(m, spec, pool)
	return p, err
}

// result combines what is known about a stored matrix and its product.
func (c stored) result(in input, products []lab.Product, baselines map[string]int, pool *parallel.Pool) (result, error) {
	m, p := in.matrix, products[c.index]
	values := map[string]float64{
		"error_nw": p.Errors.Normwise, "error_cw": p.Errors.Componentwise, "error_row": p.Errors.Row,
		"seconds": p.Median, "gbps": float64(p.Moved()) / p.Median / 1e9,
	}
	for name, index := range baselines {
		relative(values, name, p.Time, products[index].Time)
	}
	storageOf(values, m, p.Bytes)
	bucketed := c.spec
	bucketed.Layout = adaptive.Bucketed
	predicted, err := adaptive.Predict(m, bucketed, pool)
	if err != nil {
		return result{}, err
	}
	stats := c.matrix.Stats()
	values["bound"] = c.spec.Bound(m.LongestRow(), max(1, len(stats.Formats))).Product
	values["dropped"] = float64(stats.Dropped) / float64(max(stats.NNZ, 1))
	values["predicted"] = float64(predicted.Bytes)
	values["predicted_storage"] = values["storage"] * float64(predicted.Bytes) / float64(p.Bytes)
	for _, f := range predicted.Formats {
		values[records.Share+f.Format.Name] = float64(f.Count) / float64(max(predicted.NNZ, 1))
	}
	values[records.Share+"dropped"] = float64(predicted.Dropped) / float64(max(predicted.NNZ, 1))
	return result{values: values, notes: map[string]string{"layout": p.Layout}}, nil
}

// relative records the median of the ratios of two times, round by round, and the quartiles of the ratios.
func relative(values map[string]float64, name string, time, to lab.Time) {
	values[name+records.FirstQuartile], values[name], values[name+records.ThirdQuartile] = records.Quartiles(time.Relative(to))
}

// quartiles returns the names of the quartiles of values.
func quartiles(names ...string) (list []string) {
	for _, n := range names {
		list = append(list, n+records.FirstQuartile, n+records.ThirdQuartile)
	}
	return list
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// energyOfProducts is the kind of measurement of the energy of a product: what the processor and its memory use in
// total.
func energyOfProducts() kind {
	return kind{
		name: "energy", text: "energy of a product, from the counters of the processor (Linux, usually as root)", matrix: true,
		labels: append(storedLabels(), threads("all")),
		values: append([]string{"joules", "seconds"}, storageValues...),
		exists: storedExists,
		available: func() error {
			_, err := lab.OpenEnergyMeter()
			return err
		},
		cost:     func(point, float64) float64 { return energyTime.Seconds() },
		unitNorm: true,
		measure:  measureEnergy,
	}
}

// energyTime is how long products run for one measurement.
const energyTime = 2 * time.Second

func measureEnergy(ctx context.Context, in input, points []point) error {
	spec, err := points[0].spec()
	if err != nil {
		return err
	}
	product, a, err := store(in.matrix, spec, in.pool)
	if err != nil {
		return in.emitReason(err.Error(), points...)
	}
	meter, err := lab.OpenEnergyMeter()
	if err != nil {
		return err
	}
	x, y := ones(in.matrix.Cols), make([]float64, in.matrix.Rows)
	count, start := 0, time.Now()
	for ; time.Since(start) < energyTime; count++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.Apply(y, x)
	}
	seconds := time.Since(start).Seconds() / float64(count)
	joules, err := meter.Joules()
	if err != nil {
		return err
	}
	values := map[string]float64{"joules": joules / float64(count), "seconds": seconds}
	storageOf(values, in.matrix, product.Bytes)
	return in.emit(points[0], result{values: values})
}
