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

	"github.com/dustin/go-humanize"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/reproduce"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newBench(s streams) *cobra.Command {
	c := group(&cobra.Command{
		Use: "bench", Short: "Measure the speed of this machine",
		Example: "  mpsolve bench spmv --generate elasticity3d,n=46\n  mpsolve bench gpu --generate elasticity3d,n=85\n  mpsolve bench roofline\n  mpsolve bench stream\n  mpirun -n 2 mpsolve bench mpi\n  mpsolve bench mp",
	}, "benchmark")
	c.AddCommand(newBenchSpMV(s), newBenchGPU(s), newBenchRoofline(s), newBenchStream(s), newBenchMPI(s), newBenchMP(s))
	return c
}

// timingFlags are the flags that all benchmarks have.
type timingFlags struct {
	repeat int
	budget time.Duration
	json   bool
}

func (f *timingFlags) add(fl *pflag.FlagSet, repeat int, repeatHelp, budgetHelp string) {
	fl.IntVar(&f.repeat, "repeat", repeat, repeatHelp)
	addDuration(fl, &f.budget, "time", 0, "time limit"+budgetHelp+", such as 30s; the first round always runs (default none)")
	fl.BoolVar(&f.json, "json", false, "print JSON objects, one per line, instead of tables")
}

func (f *timingFlags) check() error {
	if f.repeat < 1 || f.budget < 0 {
		return usage("--repeat %d, --time %v: want at least one round and a positive duration", f.repeat, f.budget)
	}
	return nil
}

// benchSpMVFlags are the flags of `mpsolve bench spmv`.
type benchSpMVFlags struct {
	timingFlags
	generate                            []string
	layouts, formats, epsilon, criteria []string
	kernels                             []string
	threads, vectors                    []int
	seed                                uint64
	bandwidth                           bool
	maxMemory                           memorySize
}

// mostVectors is the largest number of vectors that --vectors takes.
const mostVectors = 64

const benchSpMVLong = `Measure matrix-vector products y = A x.

The products are an ordinary CSR loop, the tuned CSR of mpsolve, and every valid combination of --layout, --formats,
--epsilon and --criterion, with each set of --kernels. There is a table for each number of threads, with these columns:

  - ms and median: the least and the median time;
  - GB/s: the bandwidth, which counts the stored matrix and both vectors once;
  - % of limit: the share of the bandwidth at which the threads read memory;
  - x CSR: the time of the fastest FP64 CSR, ordinary or tuned, over this time;
  - build: the time to store the matrix, in products with tuned CSR;
  - the errors relative to a product in double-double arithmetic.

Matrices are files or, with --generate, made by a generator of mpsolve. x is random, uniform in [-1, 1).

With --vectors, a second table has products with several vectors at once, which read and decode each value of the matrix
once. It has the time of the whole product and the time for each vector. x alone is how much faster the product is than
as many products with one vector; x CSR compares it with FP64 CSR for as many vectors, at once or one by one.

Timing is interleaved: every round times each product once, after an untimed run. So a matrix that fits into the cache is
in the cache, as in a solver.`

func newBenchSpMV(s streams) *cobra.Command {
	var f benchSpMVFlags
	c := &cobra.Command{
		Use: "spmv [FILE...]", Short: "Measure matrix-vector products", Long: benchSpMVLong,
		Example: "  mpsolve bench spmv matrix.mtx --formats AFX,AP7 --epsilon 2^-24,2^-37\n" +
			"  mpsolve bench spmv matrix.mtx --layout all --threads 1\n" +
			"  mpsolve bench spmv matrix.mtx --kernels avx2,avx512\n" +
			"  mpsolve bench spmv --generate elasticity3d,n=46 --generate poisson3d,n=140,decades=6 --json",
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), s, args) },
	}
	fl := c.Flags()
	fl.SortFlags = false
	fl.StringArrayVar(&f.generate, "generate", nil, "`matrix` to generate, such as elasticity3d,n=46,seed=1; repeatable")
	fl.StringSliceVar(&f.layouts, "layout", []string{"auto"}, "list of layouts: "+strings.Join(layouts, ", ")+"; all: each of them, and how much slower than the fastest the choice of auto is")
	fl.StringSliceVar(&f.formats, "formats", []string{"AFX"}, "list of format sets (AFX, AP1 ... AP7REU, FP64+FP32+FP16+drop) and of single formats (FP32, FP16, ...)")
	fl.StringSliceVar(&f.epsilon, "epsilon", []string{"2^-24"}, "list of accuracies, such as 1e-7 or 2^-24")
	fl.StringSliceVar(&f.criteria, "criterion", []string{"nw"}, "list of criteria: nw, cw")
	fl.StringSliceVar(&f.kernels, "kernels", nil, "list of sets of kernels to compare: "+strings.Join(kernels.Names(), ", ")+"; all: those of this processor (default: the one in use)")
	fl.IntSliceVar(&f.threads, "threads", nil, "list of numbers of threads (default 1 and all processors)")
	fl.IntSliceVar(&f.vectors, "vectors", nil, "list of numbers of vectors to multiply at once, in a second table, such as 2,4,8")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the random x")
	fl.BoolVar(&f.bandwidth, "bandwidth", true, "measure the memory bandwidth first")
	fl.Var(&f.maxMemory, "max-memory", "memory limit, such as 4GB (default: the memory of the machine)")
	f.timingFlags.add(fl, 20, "number of rounds", " for the products with one matrix")
	completeWords(c, "layout", append([]string{"all"}, layouts...))
	completeWords(c, "formats", packed.Names())
	completeWords(c, "criterion", adaptive.Criteria)
	completeWords(c, "kernels", append([]string{"all"}, kernels.Names()...))
	return c
}

func (f *benchSpMVFlags) run(ctx context.Context, s streams, paths []string) error {
	matrices, opt, err := f.check(s, paths)
	if err != nil {
		return err
	}
	status := newStatusLine(s.err)
	defer status.done()
	opt.Progress = func(text string) { status.show(func(int) string { return text }) }
	opt.Note = func(text string) {
		fmt.Fprintf(s.err, "mpsolve: %s\n", text)
	}
	on := environment()
	if f.bandwidth {
		opt.Progress("measuring the memory bandwidth")
		size := lab.ArrayBytes(on.LLCBytes, opt.MaxMemory)
		if opt.Bandwidth, err = lab.MeasureBandwidth(ctx, size, opt.Threads); err != nil {
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
		rows, err := lab.SpMV(ctx, named.name, m, generate.RandomVector(m.Cols, f.seed), opt)
		if err != nil {
			return err
		}
		f.write(out, on, rows)
		if out.err != nil {
			return fmt.Errorf("writing: %w", out.err)
		}
	}
	return nil
}

// write writes the rows that were measured with one matrix; out keeps the error.
func (f *benchSpMVFlags) write(out *firstError, on host.Environment, rows []lab.Row) {
	if f.json {
		out.keep(report.ProductsJSON(out, on, rows))
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
		report.Several(out, rows[:n])
		report.Regrets(out, lab.Regrets(rows[:n]))
		rows = rows[n:]
	}
}

// check turns flags and arguments into matrices and options. It finds every fault that can be found without the matrix
// before any work.
func (f *benchSpMVFlags) check(s streams, paths []string) ([]namedMatrix, lab.Options, error) {
	opt := lab.Options{Repeat: f.repeat, Budget: f.budget, MaxMemory: f.maxMemory.orInstalled()}
	err := f.timingFlags.check()
	if err != nil {
		return nil, opt, err
	}
	if opt.Threads, err = threadCounts(f.threads); err != nil {
		return nil, opt, err
	}
	for _, k := range f.vectors {
		if k < 1 || k > mostVectors {
			return nil, opt, usage("--vectors %d: want 1 to %d", k, mostVectors)
		}
		if k > 1 { // products with one vector are always measured
			opt.Vectors = append(opt.Vectors, k)
		}
	}
	matrices, err := namedMatrices(s, paths, f.generate, f.maxMemory)
	if err != nil {
		return nil, opt, err
	}
	opt.Specs, err = f.specs(s.err)
	return matrices, opt, err
}

// namedMatrices returns the matrices that files and generators give, in this order.
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

// threadCounts checks a list of numbers of threads. An empty list becomes 1 and all processors.
func threadCounts(list []int) ([]int, error) {
	if len(list) == 0 {
		return slices.Compact([]int{1, runtime.GOMAXPROCS(0)}), nil
	}
	for _, t := range list {
		if err := checkThreads(t); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// accuracies parses the list of --epsilon.
func accuracies(texts []string) (list []float64, err error) {
	for _, text := range texts {
		e, err := packed.ParseEpsilon(text)
		if err != nil {
			return nil, usage("--epsilon: %v", err)
		}
		list = append(list, e)
	}
	return list, nil
}

// namedMatrix is a matrix that is still to be read or made.
type namedMatrix struct {
	name string
	load func(context.Context) (*csr.Matrix, error)
}

// generated parses and checks KIND,parameter=value,...
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
		return m, fmt.Errorf("--generate %s: the matrix takes %s, the memory limit is %s", text,
			humanize.Bytes(uint64(csr.Bytes(rows, nnz))), humanize.Bytes(uint64(maxMemory)))
	}
	return namedMatrix{text, func(context.Context) (*csr.Matrix, error) { return generate.Generate(kind.Name, p) }}, nil
}

// environment describes what this program runs on.
func environment() host.Environment {
	return host.Here(kernels.Default().String(), Version)
}

// workBar is a status line that shows the progress of a long run and the time left.
type workBar struct{ *statusLine }

func newWorkBar(w io.Writer) *workBar { return &workBar{newStatusLine(w)} }

func (b *workBar) show(p reproduce.Progress) {
	b.statusLine.show(func(width int) string {
		return fit(width, part{0, bar(p.Done)}, part{1, fmt.Sprintf("%v left", p.Left.Round(time.Second))},
			part{2, p.Experiment}, part{3, p.Text})
	})
}
