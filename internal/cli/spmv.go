package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// spmvFlags are the flags of `mpsolve spmv`.
type spmvFlags struct {
	storage   storageFlags
	dd        spmvDDFlags
	reorder   reorderFlag
	threads   int
	repeat    int
	seed      uint64
	maxMemory memorySize
	precision precisionFlags
	json      bool
}

const spmvLong = `Store a matrix in adaptive precision and multiply with it, next to FP64 CSR.

The first table has the nonzeros and bytes in each format. The second table has the product with the stored matrix, the
product by an ordinary CSR loop and the one by the tuned CSR of mpsolve: the time (the least and the median of --repeat
interleaved runs), the memory traffic, and the errors against a product in double-double arithmetic. Its column build is
the time to store the matrix, as a multiple of a product with tuned CSR. x is random, uniform in [-1, 1). The matrix is
not scaled. --criterion exact bounds the componentwise backward error of the product with this very x; it needs a set of
formats with wide exponents. bench spmv measures several ways to store a matrix at once.

With --vectors dd, x and y consist of double-double numbers of 106 bits. The table compares products with such vectors
and products with float64 vectors, in the same layouts. Errors are the largest |y - A x|_i / (|A||x|)_i of some rows,
computed in 300 bits with the matrix as given. So the errors of adaptive precision include those of storing the matrix.

With --bits, the matrix stays in FP64 and the elements of x have that many bits. Errors are those of some rows against
exact sums, relative to the sum of magnitudes.

--json prints a JSON object for each product: docs/measuring.md has its fields.`

func newSpMV(s streams) *cobra.Command {
	var f spmvFlags
	c := &cobra.Command{
		Use: "spmv FILE", Short: "Measure matrix-vector products in adaptive precision", Long: spmvLong,
		Example: "  mpsolve spmv matrix.mtx --formats AP7RE --epsilon 2^-37 --criterion cw\n" +
			"  mpsolve spmv matrix.mtx --vectors dd --layout csr,sell8,slots\n" +
			"  mpsolve spmv matrix.mtx --formats FP32 --arith storage\n" +
			"  mpsolve spmv matrix.mtx --formats AP7 --paper-exact --criterion exact\n" +
			"  mpsolve spmv matrix.mtx --bits 106,212,424 --json",
		Args: exactly(1, "one matrix file"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, s, args[0]) },
	}
	c.Flags().SortFlags = false
	f.storage.add(c)
	f.dd.add(c)
	f.reorder.add(c)
	f.precision.add(c)
	fl := c.Flags()
	fl.IntVar(&f.threads, "threads", 0, "threads (default: all processors)")
	fl.IntVar(&f.repeat, "repeat", 20, "runs of each product")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the random x")
	fl.Var(&f.maxMemory, "max-memory", "memory limit for reading, such as 4GB (default: the memory of the machine)")
	fl.BoolVar(&f.json, "json", false, "print JSON objects, one per line, instead of tables")
	return c
}

// input returns an input that refuses a matrix which leaves no memory for the vectors of a product. For a matrix of few
// entries, the vectors need most of the memory.
func (f *spmvFlags) input(s streams, path string) input {
	in := input{streams: s, threads: f.threads, maxMemory: int64(f.maxMemory)}
	bytes := 8.0 // size of an element
	if f.dd.dd() {
		bytes = 16
	}
	in.check = func(_ matrixmarket.Header, rows, cols int) error {
		return in.fits(path, bytes*(float64(rows)+float64(cols))+8*float64(rows+1), "a product with a %d x %d matrix", rows, cols)
	}
	return in
}

// open reads and examines the matrix. The caller closes the pool of threads.
func (f *spmvFlags) open(ctx context.Context, s streams, path string) (*csr.Matrix, csr.Facts, *parallel.Pool, error) {
	m, err := f.input(s, path).matrix(ctx, path)
	if err != nil {
		return nil, csr.Facts{}, nil, err
	}
	pool := parallel.New(f.threads)
	return m, csr.Examine(m, pool), pool, nil
}

func (f *spmvFlags) run(c *cobra.Command, s streams, path string) error {
	if f.repeat < 1 {
		return usage("--repeat %d: want at least 1", f.repeat)
	}
	if err := checkGivenThreads(c, f.threads); err != nil {
		return err
	}
	capThreads(&f.threads, s.err)
	if err := f.reorder.check(); err != nil {
		return err
	}
	if err := f.precision.check(c); err != nil {
		return err
	}
	if err := f.dd.check(); err != nil {
		return err
	}
	if f.dd.dd() {
		if len(f.precision.bits) > 0 {
			return usage("--bits and --vectors dd cannot be used together: each sets the precision of x")
		}
		return f.runDD(c, s, path)
	}
	exact := f.storage.criterion == string(adaptive.Exact) // storage depends on x
	if exact {
		f.storage.criterion = "auto"
	}
	storage, err := f.storage.storage(letsMeasure(f.maxMemory))
	if err != nil {
		return err
	}
	m, facts, pool, err := f.open(c.Context(), s, path)
	if err != nil {
		return err
	}
	defer pool.Close()
	x := generate.RandomVector(m.Cols, f.seed)
	spec := rules.Spec(storage, facts.Symmetric)
	if exact {
		spec.Criterion, spec.X = adaptive.Exact, x
	}
	if err := spec.Validate(); err != nil {
		return usage("%s", oneLine(err))
	}
	out := &firstError{w: s.out}
	text := f.text(out)
	report.Facts(text, facts)
	m, order, err := f.reorder.apply(text, m, pool)
	if err != nil {
		return err
	}
	if len(f.precision.bits) > 0 {
		return f.inBits(c, out, path, m, pool)
	}
	stored, a, err := lab.Store(m, spec, pool)
	if err != nil {
		return order.InputError(err)
	}

	report.Line(text, "stored", "%s, in %.3f s, %s", spec, stored.Build, english.Plural(pool.Threads(), "thread", ""))
	report.Line(text, "layout", "%s", a.LayoutText())
	report.Formats(text, a.Stats(), m.Bytes())
	products := append(lab.Baselines(m, pool), stored)
	if err := lab.MeasureProducts(c.Context(), m, x, products, pool, lab.Timing{Repeat: f.repeat}); err != nil {
		return err
	}
	rows := lab.Rows(path, pool.Threads(), lab.Bandwidth{}, products)
	report.Products(text, rows)
	if f.json {
		out.keep(report.ProductsJSON(out, environment(), rows))
	}
	if out.err != nil {
		return fmt.Errorf("writing: %w", out.err)
	}
	return nil
}

// text returns the writer of the report for people: none beside JSON.
func (f *spmvFlags) text(out io.Writer) io.Writer {
	if f.json {
		return io.Discard
	}
	return out
}
