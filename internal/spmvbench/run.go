package spmvbench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/bandwidth"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Limit is the memory bandwidth of some threads, in bytes per second; 0 where it
// was not measured.
type Limit struct {
	Streams [bandwidth.MaxStreams]float64 // of reading 1, 2, ... streams on each thread
	Read    float64                       // the largest of these
	Triad   float64
}

// rounds is how often MeasureLimits measures everything again, so that what else
// the machine does falls on all alike.
const rounds = 3

// MeasureLimits returns the limit of each number of threads, by an array of that
// many bytes. It returns early with the error of ctx.
func MeasureLimits(ctx context.Context, size int64, threads []int) (map[int]Limit, error) {
	meter := bandwidth.NewMeter(size)
	limits := map[int]Limit{}
	for range rounds {
		for _, t := range threads {
			l := limits[t]
			for k := range l.Streams {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				l.Streams[k] = max(l.Streams[k], meter.Read(t, k+1))
			}
			l.Read = slices.Max(l.Streams[:])
			l.Triad = max(l.Triad, meter.Triad(t))
			limits[t] = l
		}
	}
	return limits, nil
}

// Row is one product with one matrix on some threads.
type Row struct {
	Matrix          string
	Rows, Cols, NNZ int
	Threads         int
	Product
	Limit
	Ordinary, Tuned float64 // least seconds of the two baselines
}

// BytesPerNonzero counts the bytes of the stored matrix.
func (r Row) BytesPerNonzero() float64 { return float64(r.Bytes) / float64(max(r.NNZ, 1)) }

// BytesPerSecond counts the stored matrix and both vectors, once.
func (r Row) BytesPerSecond() float64 { return r.Product.BytesPerSecond(r.Rows, r.Cols) }

// SpeedupOrdinary is how many times as quick as ordinary CSR the product is.
func (r Row) SpeedupOrdinary() float64 { return r.Ordinary / r.Min }

// SpeedupTuned is how many times as quick as tuned CSR the product is.
func (r Row) SpeedupTuned() float64 { return r.Tuned / r.Min }

// BuildSpMVs is the time to store the matrix in products with tuned CSR.
func (r Row) BuildSpMVs() float64 { return r.Build / r.Tuned }

// Options say what to measure with each matrix.
type Options struct {
	Specs     []adaptive.Spec
	Threads   []int
	Repeat    int
	Budget    time.Duration // of all products with a matrix; 0: no limit
	MaxMemory int64         // of all stored forms of a matrix together; 0: no limit
	Limits    map[int]Limit // by number of threads
	Note      func(string)  // is told what is left out, and why
	Progress  func(string)  // is told what is going on
}

// Run measures products of m with x. Rows come in the order of Threads, for each
// the baselines first. A spec by which m cannot be stored is noted and left out.
func Run(ctx context.Context, name string, m *csr.Matrix, x []float64, opt Options) ([]Row, error) {
	var rows []Row
	for k, threads := range opt.Threads {
		if k > 0 {
			opt.Note = func(string) {} // it would say the same again
		}
		products, err := onThreads(ctx, name, m, x, threads, opt)
		if err != nil {
			return nil, err
		}
		rows = append(rows, Rows(name, m, threads, opt.Limits[threads], products)...)
	}
	return rows, nil
}

// Rows puts products that were measured on some threads, the baselines first,
// into rows.
func Rows(name string, m *csr.Matrix, threads int, limit Limit, products []Product) (rows []Row) {
	for _, p := range products {
		rows = append(rows, Row{
			Matrix: name, Rows: m.Rows, Cols: m.Cols, NNZ: m.NNZ(), Threads: threads,
			Product: p, Limit: limit, Ordinary: products[0].Min, Tuned: products[1].Min,
		})
	}
	return rows
}

func onThreads(ctx context.Context, name string, m *csr.Matrix, x []float64, threads int, opt Options) ([]Product, error) {
	pool := linop.NewPool(threads)
	defer pool.Close()
	progress := func(format string, args ...any) {
		opt.Progress(fmt.Sprintf("%s, threads %d: ", name, threads) + fmt.Sprintf(format, args...))
	}
	products := Baselines(m, pool)
	taken := m.Bytes()
	for _, spec := range opt.Specs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress("storing %s", spec)
		p, _, err := Stored(m, spec, pool)
		if err != nil {
			opt.Note(fmt.Sprintf("%s: %s is left out: %v", name, spec, err))
			continue
		}
		if slices.ContainsFunc(products, func(q Product) bool { return q.Name == p.Name }) {
			continue // the automatic layout is one that was asked for as well
		}
		if taken += p.Bytes; opt.MaxMemory > 0 && taken > opt.MaxMemory {
			return nil, fmt.Errorf("%s: all its stored forms together take more than the memory limit; name fewer at a time", name)
		}
		products = append(products, p)
	}
	turns := Turns{Repeat: opt.Repeat, Budget: opt.Budget / time.Duration(len(opt.Threads))}
	turns.Progress = func(turn int) { progress("turn %d of %d", turn+1, turns.Repeat) }
	err := Measure(ctx, m, x, products, pool, turns)
	return products, err
}
