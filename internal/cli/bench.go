package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/bandwidth"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/machine"
	"github.com/mpsolve/mpsolve/internal/nearest"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/spmvbench"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

func newBench(s streams) *cobra.Command {
	c := &cobra.Command{
		Use: "bench", Short: "Measure the speed of this machine",
		Example: "  mpsolve bench spmv --generate elasticity3d,n=46\n  mpsolve bench gpu --generate elasticity3d,n=85\n  mpsolve bench roofline",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.Help()
			}
			return usage("unknown benchmark %q; did you mean %s?", args[0], nearest.Word(args[0], []string{"spmv", "gpu", "roofline"}))
		},
	}
	c.AddCommand(newBenchSpMV(s), newBenchGPU(s), newBenchRoofline(s))
	return c
}

// benchSpMVFlags are the flags of `mpsolve bench spmv`.
type benchSpMVFlags struct {
	generate                            []string
	layouts, formats, epsilon, criteria []string
	threads                             []int
	repeat                              int
	budget                              time.Duration
	seed                                uint64
	bandwidth, json                     bool
	maxMemory                           memorySize
}

const benchSpMVLong = `Measure matrix-vector products y = A x, all ways to store A in turns.

Measured are an ordinary CSR loop, the tuned CSR of mpsolve, and every combination
of --layout, --formats, --epsilon and --criterion that exists, on each number of
threads: the least and the median time, the bandwidth (the stored matrix and both
vectors, once) next to what the threads can read from memory, the time to store the
matrix in products with tuned CSR, and the errors against a product in double-double
arithmetic. Matrices are files or, with --generate, made by a generator of mpsolve.
x is random, uniform in [-1, 1). Before it is timed each product runs once without, so
that a matrix that fits into the cache is there, as it is in a solver.`

func newBenchSpMV(s streams) *cobra.Command {
	var f benchSpMVFlags
	c := &cobra.Command{
		Use: "spmv [FILE...]", Short: "Measure matrix-vector products", Long: benchSpMVLong,
		Example: "  mpsolve bench spmv matrix.mtx --formats AFX,AP7 --epsilon 2^-24,2^-37\n" +
			"  mpsolve bench spmv --generate elasticity3d,n=46 --generate poisson3d,n=140,decades=6 --json",
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), s, args) },
	}
	fl := c.Flags()
	fl.SortFlags = false
	fl.StringArrayVar(&f.generate, "generate", nil, "`matrix` to make, such as elasticity3d,n=46,seed=1; repeatable")
	fl.StringSliceVar(&f.layouts, "layout", []string{"auto"}, "list of layouts: "+strings.Join(layouts, ", "))
	fl.StringSliceVar(&f.formats, "formats", []string{"AFX"}, "list of sets (AFX, AP1 ... AP7REU) and of formats for all elements (FP32, ...)")
	fl.StringSliceVar(&f.epsilon, "epsilon", []string{"2^-24"}, "list of accuracies, such as 1e-7 or 2^-24")
	fl.StringSliceVar(&f.criteria, "criterion", []string{"nw"}, "list of criteria: nw, cw")
	fl.IntSliceVar(&f.threads, "threads", nil, "list of numbers of threads (default 1 and all processors)")
	fl.IntVar(&f.repeat, "repeat", 20, "turns")
	fl.DurationVar(&f.budget, "time", 0, "time for the products with one matrix, such as 30s: fewer turns, but at least one; 0: no limit")
	fl.Uint64Var(&f.seed, "seed", 1, "of x")
	fl.BoolVar(&f.bandwidth, "bandwidth", true, "measure the bandwidth of memory first")
	fl.Var(&f.maxMemory, "max-memory", "memory limit, such as 4GB; default: what the machine has")
	fl.BoolVar(&f.json, "json", false, "print one JSON object a line for each product instead of tables")
	completeWords(c, "layout", layouts)
	completeWords(c, "formats", adaptive.Names())
	completeWords(c, "criterion", adaptive.Criteria)
	return c
}

func (f *benchSpMVFlags) run(ctx context.Context, s streams, paths []string) error {
	matrices, opt, err := f.check(s, paths)
	if err != nil {
		return err
	}
	status := newStatusLine(s.err)
	defer status.done()
	opt.Progress = func(text string) { status.show(func() string { return text }) }
	opt.Note = func(text string) {
		status.clear()
		fmt.Fprintf(s.err, "mpsolve: %s\n", text)
	}
	on := machineInUse()
	if f.bandwidth {
		opt.Progress("measuring the bandwidth of memory")
		size := bandwidth.Size(on.LLCBytes, opt.MaxMemory)
		if opt.Limits, err = spmvbench.MeasureLimits(ctx, size, opt.Threads); err != nil {
			return err
		}
	}
	out := &firstError{w: s.out}
	if !f.json {
		report.OnMachine(out, on)
	}
	for _, named := range matrices {
		m, err := named.load(ctx)
		if err != nil {
			return err
		}
		rows, err := spmvbench.Run(ctx, named.name, m, generate.RandomVector(m.Cols, f.seed), opt)
		if err != nil {
			return err
		}
		status.clear()
		f.write(out, on, rows)
		if out.err != nil {
			return fmt.Errorf("writing: %w", out.err)
		}
	}
	return nil
}

// write writes the rows of one matrix; out keeps the error.
func (f *benchSpMVFlags) write(out io.Writer, on report.Machine, rows []spmvbench.Row) {
	if f.json {
		_ = report.ProductsJSON(out, on, rows)
		return
	}
	report.Line(out, "matrix", "%s: %d x %d, %d nonzeros", rows[0].Matrix, rows[0].Rows, rows[0].Cols, rows[0].NNZ)
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Threads == rows[0].Threads {
			n++
		}
		report.Threads(out, rows[0])
		report.Products(out, rows[:n])
		rows = rows[n:]
	}
}

// check turns flags and arguments into matrices and options; every fault that
// needs no matrix is found before any work.
func (f *benchSpMVFlags) check(s streams, paths []string) ([]namedMatrix, spmvbench.Options, error) {
	opt := spmvbench.Options{Repeat: f.repeat, Budget: f.budget, MaxMemory: f.maxMemory.orInstalled()}
	if f.repeat < 1 || f.budget < 0 {
		return nil, opt, usage("--repeat %d, --time %v: want at least one turn and a positive duration", f.repeat, f.budget)
	}
	var err error
	if opt.Threads, err = threadCounts(f.threads); err != nil {
		return nil, opt, err
	}
	matrices, err := namedMatrices(s, paths, f.generate, f.maxMemory)
	if err != nil {
		return nil, opt, err
	}
	opt.Specs, err = f.specs(s.err)
	return matrices, opt, err
}

// namedMatrices are the matrices of files and generators.
func namedMatrices(s streams, paths, generators []string, limit memorySize) (matrices []namedMatrix, err error) {
	for _, path := range paths {
		in := input{streams: s, maxMemory: int64(limit)}
		matrices = append(matrices, namedMatrix{path, func(ctx context.Context) (*csr.Matrix, error) { return in.matrix(ctx, path) }})
	}
	for _, text := range generators {
		m, err := generated(text, limit.orInstalled())
		if err != nil {
			return nil, err
		}
		matrices = append(matrices, m)
	}
	if len(matrices) == 0 {
		return nil, usage("want a matrix: a file or --generate")
	}
	return matrices, nil
}

// threadCounts checks a list of numbers of threads; by default it is 1 and all
// processors.
func threadCounts(list []int) ([]int, error) {
	if len(list) == 0 {
		return slices.Compact([]int{1, runtime.GOMAXPROCS(0)}), nil
	}
	for _, t := range list {
		if t < 1 {
			return nil, usage("--threads %d: want at least 1", t)
		}
	}
	return list, nil
}

// specs are all combinations of the lists that exist; notes says which do not. A
// format for all elements is measured once: it has no epsilon and no criterion.
func (f *benchSpMVFlags) specs(notes io.Writer) (specs []adaptive.Spec, err error) {
	for _, name := range f.formats {
		set, err := adaptive.LookupSet(name)
		if err != nil {
			return nil, usage("--formats: %v", err)
		}
		for _, layout := range f.layouts {
			if err := oneOf("layout", layout, layouts); err != nil {
				return nil, err
			}
			spec := adaptive.Spec{Set: set}
			if layout != "auto" {
				spec.Layout = adaptive.Layout(layout)
			}
			some, err := f.accuracies(spec)
			if err != nil {
				return nil, err
			}
			if set.Uniform && len(some) > 0 {
				some = some[:1]
			}
			for _, spec := range some {
				if err := spec.Validate(); err != nil {
					fmt.Fprintf(notes, "mpsolve: %s, %s is left out: %s\n", spec, layout, oneLine(err))
					continue
				}
				specs = append(specs, spec)
			}
		}
	}
	return specs, nil
}

// accuracies gives a spec each epsilon and criterion.
func (f *benchSpMVFlags) accuracies(spec adaptive.Spec) (specs []adaptive.Spec, err error) {
	for _, e := range f.epsilon {
		if spec.Epsilon, err = adaptive.ParseEpsilon(e); err != nil {
			return nil, usage("--epsilon: %v", err)
		}
		for _, c := range f.criteria {
			if err := oneOf("criterion", c, adaptive.Criteria); err != nil {
				return nil, err
			}
			spec.Criterion = adaptive.Criterion(c)
			specs = append(specs, spec)
		}
	}
	return specs, nil
}

// namedMatrix is a matrix that is still to be read or made.
type namedMatrix struct {
	name string
	load func(context.Context) (*csr.Matrix, error)
}

// generated reads a KIND,parameter=value,... and checks all of it.
func generated(text string, maxMemory int64) (m namedMatrix, err error) {
	words := strings.Split(text, ",")
	kind, ok := generate.Find(words[0])
	if !ok {
		return m, unknownKind(words[0])
	}
	p := generate.Params{}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		if p[name], err = strconv.ParseFloat(value, 64); err != nil {
			return m, usage("--generate %s: %q is not a parameter such as n=10", text, word)
		}
	}
	rows, nnz, err := kind.Estimate(p)
	if err != nil {
		return m, usage("%s", oneLine(err))
	}
	if maxMemory > 0 && csr.Bytes(rows, nnz) > maxMemory {
		return m, fmt.Errorf("--generate %s: the matrix takes more than the memory limit", text)
	}
	return namedMatrix{text, func(context.Context) (*csr.Matrix, error) { return generate.Generate(kind.Name, p) }}, nil
}

// machineInUse is what this program runs on.
func machineInUse() report.Machine {
	tier, _ := kernels.ActiveTier() // Main has looked at the error
	return report.Machine{Processor: machine.Processor(), Kernels: tier.String(), LLCBytes: machine.Caches().LastLevel()}
}
