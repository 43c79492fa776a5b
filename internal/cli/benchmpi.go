package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/mpi"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// benchMPIFlags are the flags of `mpsolve bench mpi`.
type benchMPIFlags struct {
	timingFlags
	kinds      []string
	rows       int64
	iterations int
	threads    int
}

const benchMPILong = `Measure the ranks of a job. Each rank is a process that mpirun or srun has started:

    mpirun -n 4 mpsolve bench mpi

The first table has operations of all ranks: a barrier, sums of int64, inner products of vectors, and halos. The table says
how many elements of a vector each rank has. A plain inner product sends one number for the job, as MPI_DOUBLE does; an
exact one adds as mpsolve does, so that its bits do not depend on the number of ranks. In a halo each rank sends to the
rank before and to the rank after it.

Then generated matrices are multiplied, and CG runs, on 1, 2, 4, ... and all ranks: with --rows rows on each rank (weak
scaling), and with --rows rows in all (strong scaling). Efficiency is the time on one rank over the time on p ranks; for
strong scaling it is divided by p. Bytes and messages are those of an iteration of CG, on the rank that sends most.
Reductions are sums and maxima over all ranks.

The time of a round is the time of the slowest rank. Unused ranks wait, and may keep their processors busy: do not start
more ranks than there are processors.`

// cubes are the generators that --kinds accepts: their matrices belong to cubes of any size.
var cubes = []string{"poisson3d", "stencil27", "elasticity3d"}

func newBenchMPI(s streams) *cobra.Command {
	var f benchMPIFlags
	c := &cobra.Command{
		Use: "mpi", Short: "Measure the ranks of a job: messages, and scaling", Long: benchMPILong,
		Example: "  mpirun -n 2 mpsolve bench mpi\n  srun mpsolve bench mpi --rows 1e6 --kinds poisson3d --json",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("bench mpi takes no files, got %q", args[0])
			}
			return f.run(c.Context(), s)
		},
	}
	fl := c.Flags()
	fl.SortFlags = false
	fl.StringSliceVar(&f.kinds, "kinds", cubes, "list of generators to scale: poisson3d (7-point), stencil27 (27-point), elasticity3d; empty: none")
	fl.Int64Var(&f.rows, "rows", 250_000, "approximate number of rows: on each rank for weak scaling, in all for strong scaling")
	fl.IntVar(&f.iterations, "iterations", 50, "iterations of CG that are timed together")
	fl.IntVar(&f.threads, "threads", 0, "threads of each rank (default the processors that it may use)")
	f.timingFlags.add(fl, 5, "number of rounds", " for the messages and for each matrix on each number of ranks")
	completeWords(c, "kinds", cubes)
	return alike(c)
}

func (f *benchMPIFlags) run(ctx context.Context, s streams) error {
	opt, err := f.check(s.job.size())
	if err = s.job.agree(err); err != nil {
		return err
	}
	status := newStatusLine(s.err)
	defer status.done()
	opt.Progress = func(text string) { status.show(func(int) string { return text }) }
	on := report.Job{MPI: mpi.Library().Version, Ranks: s.job.size(), Threads: opt.Threads, Environment: environment()}
	out := &firstError{w: s.out}
	write := func(tables func(io.Writer), lines func(io.Writer) error) error {
		switch {
		case s.job.rank() > 0:
		case f.json:
			out.keep(lines(out))
		default:
			tables(out)
		}
		err := out.err
		if err != nil {
			err = fmt.Errorf("writing: %w", err)
		}
		return s.job.agree(err)
	}
	messages, err := lab.Messages(ctx, s.job.comm, opt)
	if err != nil {
		return err
	}
	if err := write(func(w io.Writer) {
		report.OnJob(w, on)
		report.Messages(w, messages)
	}, func(w io.Writer) error { return report.MessagesJSON(w, on, messages) }); err != nil {
		return err
	}
	return lab.ScaleRanks(ctx, s.job.comm, opt, func(list []lab.RankScaling) error {
		return write(func(w io.Writer) { report.RankScalings(w, list) },
			func(w io.Writer) error { return report.RankScalingsJSON(w, on, list) })
	})
}

// check turns flags into options. It finds every fault before any work.
func (f *benchMPIFlags) check(ranks int) (opt lab.RanksOptions, err error) {
	opt = lab.RanksOptions{Rows: f.rows, Iterations: f.iterations, Threads: f.threads, Repeat: f.repeat, Budget: f.budget}
	if err := f.timingFlags.check(); err != nil {
		return opt, err
	}
	if f.rows < 1 || f.iterations < 1 {
		return opt, usage("--rows %d, --iterations %d: want at least 1", f.rows, f.iterations)
	}
	if opt.Threads == 0 {
		opt.Threads = runtime.GOMAXPROCS(0)
	}
	if err := checkThreads(opt.Threads); err != nil {
		return opt, err
	}
	for _, name := range f.kinds {
		k, ok := generate.Find(name)
		if !ok || !slices.Contains(cubes, name) {
			return opt, usage("--kinds %s: want %s", name, strings.Join(cubes, ", "))
		}
		opt.Kinds = append(opt.Kinds, k)
	}
	if need, free := opt.Memory(ranks), host.Available(); free > 0 && need > free {
		return opt, usage("--rows %d: a rank needs %s of memory, and can have %s", f.rows, humanize.Bytes(uint64(need)), humanize.Bytes(uint64(free)))
	}
	return opt, nil
}
