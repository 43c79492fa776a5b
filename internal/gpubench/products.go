package gpubench

import (
	"context"
	"time"

	"github.com/mpsolve/mpsolve/internal/turns"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Row is one product, measured.
type Row struct {
	Way
	Rows, Cols, NNZ int
	Bytes           int64   // of the stored matrix
	Build           float64 // seconds to store it, the copy to the device included
	Min, Median     float64 // seconds of one product
	Copy            float64 // bytes a second that the device copies, read and written; 0: not known
	First           float64 // least seconds of the first row's product
	Errors          adaptive.ProductErrors
}

// Moved is what a product reads and writes at least: the stored matrix and both vectors.
func (r Row) Moved() int64 { return r.Bytes + 8*int64(r.Rows+r.Cols) }

// BytesPerSecond is that in the least time.
func (r Row) BytesPerSecond() float64 { return float64(r.Moved()) / r.Min }

// Speedup is how many times as quick as FP64 CSR the product is.
func (r Row) Speedup() float64 { return r.First / r.Min }

// Options say how to measure.
type Options struct {
	Ways     []Way
	Repeat   int
	Budget   time.Duration // of all products with a matrix; 0: no limit
	Pool     *linop.Pool   // of the host
	Note     func(string)  // is told what is left out, and why
	Progress func(string)
}

// batch is how long a batch of products is to take: much longer than to wait for a device.
const batch = 20e-3

// Products measures products of m with x, in batches that take turns. A way by which m
// cannot be stored is noted and left out.
func Products(ctx context.Context, d *gpu.Device, m *csr.Matrix, x []float64, opt Options) ([]Row, error) {
	from, to := gpu.NewSpace(d, m.Cols), gpu.NewSpace(d, m.Rows)
	defer from.Close()
	defer to.Close()
	dx, dy := from.New(), to.New()
	from.Upload(dx, x)
	var rows []Row
	var batches []func()
	var count []int
	y := make([]float64, m.Rows)
	for _, w := range opt.Ways {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		opt.Progress("storing " + w.String())
		a, build, err := opt.store(d, m, w)
		if err != nil {
			return nil, err
		}
		if a == nil {
			continue
		}
		defer a.Close()
		r := Row{Way: w, Rows: m.Rows, Cols: m.Cols, NNZ: m.NNZ(), Bytes: a.Bytes(), Build: build}
		a.Apply(dy, dx)
		to.Download(y, dy)
		r.Errors = adaptive.MeasureProduct(m, x, y, opt.Pool)
		n := repetitions(d, func() { a.Apply(dy, dx) })
		rows, count = append(rows, r), append(count, n)
		batches = append(batches, func() { run(d, n, func() { a.Apply(dy, dx) }) })
	}
	opt.Progress("measuring")
	times, err := turns.Turns{Repeat: opt.Repeat, Budget: opt.Budget}.Measure(ctx, batches...)
	if err != nil {
		return nil, err
	}
	for k, t := range times {
		rows[k].Min, rows[k].Median = t.Min/float64(count[k]), t.Median/float64(count[k])
		rows[k].First = rows[0].Min
	}
	return rows, d.Err()
}

// run does f so many times and waits for the device.
func run(d *gpu.Device, times int, f func()) {
	for range times {
		f()
	}
	_ = d.Wait() // the device keeps the error
}

// repetitions is how often f has to be done to take as long as a batch.
func repetitions(d *gpu.Device, f func()) int {
	run(d, 1, f)
	start := time.Now()
	run(d, 3, f)
	return max(1, int(3*batch/time.Since(start).Seconds()))
}
