package lab

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// DeviceForm is a form in which a device stores a matrix.
type DeviceForm struct {
	layout string
	spec   adaptive.Spec
	store  storing
}

type storing func(*gpu.Device, *csr.Matrix, adaptive.Spec, *parallel.Pool) (gpu.Matrix, error)

// deviceLayouts lists the layouts in the order of measurement. The others are compared with the first.
var deviceLayouts = []struct {
	name, formats string
	store         storing
}{
	{"csr", "FP64", func(d *gpu.Device, m *csr.Matrix, _ adaptive.Spec, _ *parallel.Pool) (gpu.Matrix, error) {
		return gpu.NewCSR(d, m)
	}},
	{"csr32", "FP32", func(d *gpu.Device, m *csr.Matrix, _ adaptive.Spec, _ *parallel.Pool) (gpu.Matrix, error) {
		return gpu.NewCSR32(d, m)
	}},
	{"coo", "FP64", inLayout(adaptive.COO)},
	{"ell", "FP64", inLayout(adaptive.ELL)},
	{"hybrid", "FP64", inLayout(adaptive.Hybrid)},
	{"slots", "AFX", gpu.NewMatrix},
	{"bucketed", "AP7RE", gpu.NewMatrix},
}

// inLayout returns the function that stores a matrix in a layout.
func inLayout(l adaptive.Layout) storing {
	return func(d *gpu.Device, m *csr.Matrix, s adaptive.Spec, pool *parallel.Pool) (gpu.Matrix, error) {
		s.Layout = l
		return gpu.NewMatrix(d, m, s, pool)
	}
}

// DeviceLayouts returns the names of all layouts.
func DeviceLayouts() (names []string) {
	for _, l := range deviceLayouts {
		names = append(names, l.name)
	}
	return names
}

// DeviceForms returns FP64 CSR and then the named layouts, each with every accuracy unless the layout has one format
// only.
func DeviceForms(layouts []string, epsilon []float64) (list []DeviceForm, err error) {
	for k, l := range deviceLayouts {
		if k > 0 && !slices.Contains(layouts, l.name) {
			continue
		}
		set, err := adaptive.LookupSet(l.formats)
		if err != nil {
			return nil, err
		}
		accuracies := epsilon
		if set.Uniform {
			accuracies = []float64{set.Formats[0].UnitRoundoff()}
		}
		for _, e := range accuracies {
			list = append(list, DeviceForm{l.name, adaptive.Spec{Set: set, Epsilon: e, Criterion: adaptive.NW}, l.store})
		}
	}
	return list, nil
}

// String returns the name of the form for tables.
func (f DeviceForm) String() string {
	if f.spec.Set.Uniform {
		return f.layout + " " + f.spec.Set.Name
	}
	return fmt.Sprintf("%s, %s", f.layout, f.spec)
}

// DeviceOptions configure measurements on a device.
type DeviceOptions struct {
	Forms    []DeviceForm
	Repeat   int
	Budget   time.Duration  // of all products with a matrix; 0: no limit
	Tol      float64        // of solves, relative to ||b||
	MaxIter  int            // of solves
	Pool     *parallel.Pool // of the host
	Note     func(string)   // is called with what is left out, and why
	Progress func(string)
}

// onDevice is a matrix on a device with its description.
type onDevice struct {
	Stored
	gpu.Matrix
}

// store stores m in all forms. It notes and leaves out forms in which m cannot be stored; a failure of the device is
// an error. The caller closes the matrices.
func (o DeviceOptions) store(ctx context.Context, d *gpu.Device, m *csr.Matrix) (list []onDevice, err error) {
	for _, f := range o.Forms {
		if err := ctx.Err(); err != nil {
			return list, err
		}
		o.Progress("storing " + f.String())
		start := time.Now()
		a, err := f.store(d, m, f.spec, o.Pool)
		if failed := d.Wait(); failed != nil {
			return list, failed
		}
		if err != nil {
			o.Note(fmt.Sprintf("%s is left out: %v", f, err))
			continue
		}
		described := describe(m, f.layout, f.spec, a.Bytes(), start)
		described.Name = f.String()
		list = append(list, onDevice{described, a})
	}
	return list, nil
}

func closeAll(list []onDevice) {
	for _, a := range list {
		a.Close()
	}
}

// batchSeconds is the least time of a batch of products: much longer than waiting for a device takes.
const batchSeconds = 20e-3

// DeviceProducts measures products of m with x in batches. Speedups are relative to
// the first product, FP64 CSR.
func DeviceProducts(ctx context.Context, d *gpu.Device, m *csr.Matrix, x []float64, opt DeviceOptions) ([]Product, error) {
	from, to := gpu.NewSpace(d, m.Cols), gpu.NewSpace(d, m.Rows)
	defer from.Close()
	defer to.Close()
	dx, dy := from.New(), to.New()
	from.Upload(dx, x)
	matrices, err := opt.store(ctx, d, m)
	defer func() { closeAll(matrices) }()
	if err != nil {
		return nil, err
	}
	y := make([]float64, m.Rows)
	var products []Product
	var cases []Case
	var counts []int
	for _, a := range matrices {
		a.Apply(dy, dx)
		to.Download(y, dy)
		products = append(products, Product{Stored: a.Stored, Errors: MeasureProduct(m, x, y, opt.Pool)})
		batch := func(count int) {
			for range count {
				a.Apply(dy, dx)
			}
			_ = d.Wait() // the device keeps the error
		}
		count := batchCount(batch)
		counts = append(counts, count)
		cases = append(cases, Warm(func() { batch(count) }))
	}
	opt.Progress("measuring")
	times, err := Timing{Repeat: opt.Repeat, Budget: opt.Budget}.Measure(ctx, cases...)
	if err != nil {
		return nil, err
	}
	for k, t := range times {
		products[k].Time = t.per(counts[k])
	}
	return products, d.Err()
}

// batchCount returns the number of products that take batchSeconds.
func batchCount(batch func(count int)) int {
	batch(1)
	start := time.Now()
	batch(3)
	return max(1, int(3*batchSeconds/time.Since(start).Seconds()))
}
