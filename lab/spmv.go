package lab

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Row is the measurement of one product with one matrix on a number of threads.
type Row struct {
	Matrix  string
	Threads int
	Product
	Bandwidth
	Ordinary, Tuned float64 // least seconds of the two baselines; Tuned has the same kernels as the product
	CSR             float64 // least seconds of all baselines, including tuned CSR with each set of kernels
}

// SpeedupOrdinary returns the time of ordinary CSR over the time of the product.
func (r Row) SpeedupOrdinary() float64 { return r.Ordinary / r.Min }

// SpeedupTuned returns the time of tuned CSR over the time of the product.
func (r Row) SpeedupTuned() float64 { return r.Tuned / r.Min }

// SpeedupCSR returns the time of the fastest FP64 CSR over the time of the product.
func (r Row) SpeedupCSR() float64 { return r.CSR / r.Min }

// BuildSpMVs returns the time to store the matrix, in units of a product with tuned CSR.
func (r Row) BuildSpMVs() float64 { return r.Build / r.Tuned }

// Regret compares the layout that the model of the processor chose with the fastest of the layouts measured for the
// same accuracy with the same kernels, including tuned CSR.
type Regret struct {
	Chosen, Fastest Row
}

// Share returns the time of the chosen layout over the time of the fastest, at least 1.
func (r Regret) Share() float64 { return r.Chosen.Min / r.Fastest.Min }

// Regrets returns the regret of each choice that has an alternative. All rows must be of one number of threads.
func Regrets(rows []Row) (list []Regret) {
	for _, chosen := range rows {
		if !chosen.Auto {
			continue
		}
		rivals := 0
		if chosen.Layout == string(adaptive.CSR) { // tuned CSR by another name
			chosen.Min = chosen.Tuned
		}
		fastest := chosen
		for _, r := range rows {
			if r.Kernels != chosen.Kernels {
				continue
			}
			alike := r.Formats == chosen.Formats && r.Epsilon == chosen.Epsilon && r.Criterion == chosen.Criterion
			if alike && r.Layout != chosen.Layout {
				rivals++
			}
			if (alike || r.Layout == TunedCSR) && r.Layout != string(adaptive.CSR) && r.Min < fastest.Min {
				fastest = r
			}
		}
		if rivals > 0 {
			list = append(list, Regret{chosen, fastest})
		}
	}
	return list
}

// Options configure the measurement of a matrix.
type Options struct {
	Specs     []adaptive.Spec // with the sets of kernels to compare
	Threads   []int
	Vectors   []int // numbers of vectors to multiply at once, besides one
	Repeat    int
	Budget    time.Duration     // of all products with a matrix; 0: no limit
	MaxMemory int64             // of all stored forms of a matrix together; 0: no limit
	Bandwidth map[int]Bandwidth // by number of threads
	Note      func(string)      // is called with what is left out, and why
	Progress  func(string)
}

// SpMV measures products of m with x. It returns the rows in the order of Threads, the baselines first for each. It
// notes and leaves out specs by which m cannot be stored.
func SpMV(ctx context.Context, name string, m *csr.Matrix, x []float64, opt Options) ([]Row, error) {
	var rows []Row
	for k, threads := range opt.Threads {
		if k > 0 {
			opt.Note = func(string) {} // the first number of threads had the same notes
		}
		products, err := onThreads(ctx, name, m, x, threads, opt)
		if err != nil {
			return nil, err
		}
		rows = append(rows, Rows(name, threads, opt.Bandwidth[threads], products)...)
	}
	return rows, nil
}

// Rows makes rows of products that were measured on a number of threads, the baselines first.
func Rows(name string, threads int, limit Bandwidth, products []Product) (rows []Row) {
	fastest := products[0].Min
	for _, p := range products {
		if p.Layout == TunedCSR {
			fastest = min(fastest, p.Min)
		}
	}
	for _, p := range products {
		rows = append(rows, Row{
			Matrix: name, Threads: threads, Product: p, Bandwidth: limit,
			Ordinary: products[0].Min, Tuned: tuned(products, p.Kernels), CSR: fastest,
		})
	}
	return rows
}

// tuned returns the least time of tuned CSR with these kernels, or with the first ones.
func tuned(products []Product, kernels string) float64 {
	k := slices.IndexFunc(products, func(p Product) bool { return p.Layout == TunedCSR && p.Kernels == kernels })
	return products[max(k, 1)].Min
}

// kernelSets returns the sets of kernels of the specs, each once.
func kernelSets(specs []adaptive.Spec) (sets []*kernels.Set) {
	for _, s := range specs {
		if k := kernels.Find(s.Kernels).Or(); !slices.Contains(sets, k) {
			sets = append(sets, k)
		}
	}
	return sets
}

func onThreads(ctx context.Context, name string, m *csr.Matrix, x []float64, threads int, opt Options) ([]Product, error) {
	pool := parallel.New(threads)
	defer pool.Close()
	progress := func(format string, args ...any) {
		opt.Progress(fmt.Sprintf("%s, threads %d: ", name, threads) + fmt.Sprintf(format, args...))
	}
	sets := kernelSets(opt.Specs)
	products := Baselines(m, pool, sets...)
	taken := m.Bytes()
	for _, spec := range opt.Specs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress("storing %s", spec)
		p, _, err := Store(m, spec, pool)
		if err != nil {
			opt.Note(fmt.Sprintf("%s: %s is left out: %v", name, spec, err))
			continue
		}
		if k := slices.IndexFunc(products, func(q Product) bool { return q.Name == p.Name && q.Kernels == p.Kernels }); k >= 0 {
			products[k].Auto = products[k].Auto || p.Auto
			continue // the automatic layout is also listed by its name
		}
		if taken += p.Bytes; opt.MaxMemory > 0 && taken > opt.MaxMemory {
			return nil, fmt.Errorf("%s: all its stored forms together take more than the memory limit; name fewer at a time", name)
		}
		products = append(products, p)
	}
	for k := range products {
		for _, vectors := range opt.Vectors {
			if products[k].together != nil {
				products[k].Several = append(products[k].Several, Several{Vectors: vectors})
			}
		}
	}
	timing := Timing{Repeat: opt.Repeat, Budget: opt.Budget / time.Duration(len(opt.Threads))}
	timing.Progress = func(round int) { progress("round %d of %d", round+1, opt.Repeat) }
	if len(sets) > 1 {
		for k := range products {
			if p := &products[k]; p.Kernels != "" {
				p.Name += ", " + p.Kernels
			}
		}
	}
	err := MeasureProducts(ctx, m, x, products, pool, timing)
	return products, err
}
