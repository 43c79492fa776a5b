package cli

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/lab"
)

// benchMPFlags are the flags of `mpsolve bench mp`.
type benchMPFlags struct {
	timingFlags
	size            int
	bits, threads   []int
	implementations []string
	maxMemory       memorySize
}

// The least and the largest precision, in bits.
const leastBits, mostBits = 53, 1696

// publishedBits are the precisions in the paper.
var publishedBits = []int{106, 212, 424, 848, 1696}

const benchMPLong = `Measure vectors and matrices in multiple precision.

The operations are products with a dense random matrix and with its transpose, inner products and updates of vectors. All
implementations work on the same data:

  limbs           the numbers of mpsolve
  residues        exact sums of products by a residue number system; products with a matrix only
  mpres           the floating-point format of MPRES-BLAS, with its algorithm
  mpres-by-number the same format, with the basic algorithm of MPRES-BLAS
  math/big        Go's package

The table has for each implementation the time of a term, which is a multiplication and an addition, in the fastest round,
and the time of math/big over that time. Published times follow: with 1000 rows, the nanoseconds of a term are the
milliseconds of a product. If a product takes more than 0.3 s, only some rows are multiplied. Timing is interleaved: every
round times each implementation once.`

func newBenchMP(s streams) *cobra.Command {
	var f benchMPFlags
	c := &cobra.Command{
		Use: "mp", Short: "Measure vectors and matrices in multiple precision", Long: benchMPLong,
		Example: "  mpsolve bench mp\n" +
			"  mpsolve bench mp --gemv 2000 --bits 212,424 --threads 1,2 --json\n" +
			"  mpsolve bench mp --mp limbs,residues --bits 848",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("bench mp takes no files, got %q", args[0])
			}
			return f.run(c.Context(), s)
		},
	}
	fl := c.Flags()
	fl.SortFlags = false
	fl.IntVar(&f.size, "gemv", 1000, "rows and columns of the matrix, and length of vectors")
	fl.IntSliceVar(&f.bits, "bits", publishedBits, "list of precisions")
	fl.StringSliceVar(&f.implementations, "mp", lab.MPImplementations, "list of `implementations`")
	fl.IntSliceVar(&f.threads, "threads", nil, "list of numbers of threads (default all processors)")
	fl.Var(&f.maxMemory, "max-memory", "memory limit, such as 4GB (default: the memory of the machine)")
	f.timingFlags.add(fl, 5, "number of rounds", " for each precision and number of threads")
	completeWords(c, "mp", lab.MPImplementations)
	return c
}

func (f *benchMPFlags) run(ctx context.Context, s streams) error {
	opt, err := f.check()
	if err != nil {
		return err
	}
	on := environment()
	status := newStatusLine(s.err)
	defer status.done()
	opt.Progress = func(text string) { status.show(func(int) string { return text }) }
	results, err := lab.MP(ctx, opt)
	if err != nil {
		return err
	}
	out := &firstError{w: s.out}
	if f.json {
		out.keep(report.MPJSON(out, on, results))
	} else {
		report.OnMachine(out, on)
		report.MP(out, opt.Bits, opt.Threads, results)
	}
	if out.err != nil {
		return fmt.Errorf("writing: %w", out.err)
	}
	return nil
}

// check turns flags into options. It finds every fault before any work.
func (f *benchMPFlags) check() (opt lab.MPOptions, err error) {
	opt = lab.MPOptions{
		N: f.size, Bits: f.bits, Implementations: f.implementations, Repeat: f.repeat, Budget: f.budget, MaxMemory: f.maxMemory.orInstalled(),
	}
	if err := f.timingFlags.check(); err != nil {
		return opt, err
	}
	const most = 1 << 20
	if f.size < 1 || f.size > most {
		return opt, usage("--gemv %d: want 1 to %d", f.size, most)
	}
	if err := checkBits(f.bits); err != nil {
		return opt, err
	}
	for _, name := range f.implementations {
		if !slices.Contains(lab.MPImplementations, name) {
			return opt, usage("--mp %s: not one of %s", name, strings.Join(lab.MPImplementations, ", "))
		}
	}
	opt.Threads = []int{runtime.GOMAXPROCS(0)}
	if len(f.threads) > 0 {
		opt.Threads, err = threadCounts(f.threads)
	}
	return opt, err
}

// checkBits checks a list of --bits.
func checkBits(list []int) error {
	for _, b := range list {
		if b < leastBits || b > mostBits {
			return usage("--bits %d: want %d to %d", b, leastBits, mostBits)
		}
	}
	return nil
}
