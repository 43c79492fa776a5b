package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// tuneFlags are the flags of `mpsolve tune`.
type tuneFlags struct {
	stochasticFlags
	budget time.Duration
	slower float64
	save   string
	learn  string
}

const tuneLong = `Try methods, preconditioners, precisions and layouts, and say which are fastest.

FILE is read once. Each trial is a whole solve, without reading. The first trial has the defaults. Then come the methods
and preconditioners that suit the matrix, the most promising first, and then other precisions and layouts of the stored
matrix for the fastest of these. A trial ends early when it takes more than --slower times as long as the fastest so far.
At last the fastest settings and the defaults run in turns, six times each. The defaults are recommended unless another
is faster by 5 % or more, and not by chance (p <= 0.05 by Student's t-test of pairs of runs). A trial counts only if it
converged, by the error that is recomputed from A, x and b as given, and a setting only if the solve did not fall back.

--method, --precond and its flags restrict the search. --save writes the flags of the best trial to a file for
mpsolve solve --config. --learn writes those that choose method, preconditioner and storage to a file in a folder for
mpsolve solve --learnt, named after the processor, the number of threads and the class of the matrix. When --budget is
used up, or after Ctrl-C, the table has the trials so far.

Exit codes: 0 found; 3 no trial converged; others as of solve.`

func newTune(s streams) *cobra.Command {
	var f tuneFlags
	c := &cobra.Command{
		Use: "tune FILE", Short: "Find the fastest flags of solve by trying", Long: tuneLong,
		Example: "  mpsolve tune matrix.mtx\n" +
			"  mpsolve tune matrix.mtx --budget 5m --save tune.yaml && mpsolve solve matrix.mtx --config tune.yaml\n" +
			"  mpsolve tune matrix.mtx --learn settings && mpsolve solve next.mtx --learnt settings\n" +
			"  mpsolve tune matrix.mtx --tol 1e-12 --method gmres --json",
		Args: exactly(1, "one matrix file"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case f.budget <= 0:
				return usage("--budget %v: want a positive time", f.budget)
			case !(f.slower >= 1):
				return usage("--slower %g: want a number of 1 or more", f.slower)
			}
			if err := f.check(c, args[0]); err != nil {
				return err
			}
			if err := cmp.Or(checkOutput("save", f.save, args[0], f.rhs), os.MkdirAll(cmp.Or(f.learn, "."), 0o755)); err != nil {
				return err
			}
			capThreads(&f.opt.Threads, s.err)
			return f.run(c, s, args[0])
		},
	}
	f.defaults()
	f.refine = true
	fl := c.Flags()
	fl.SortFlags = false
	addDuration(fl, &f.budget, "budget", lab.DefaultBudget, "time for all trials, such as 90s or 2h")
	fl.Float64Var(&f.slower, "slower", lab.TuneDefaultSlower, "end a trial that takes more than so many times as long as the fastest so far")
	fl.StringVar(&f.save, "save", "", "write the best flags to this `file` (YAML), for solve --config")
	fl.StringVar(&f.learn, "learn", "", "keep the best setting for matrices of this class on this machine in this `folder`, for solve --learnt")
	fl.StringVar(&f.rhs, "rhs", "ones", "right-hand side `b`: a file, ones (b = A·ones) or random:SEED (b = A·x, x uniform in [-1,1))")
	fl.Float64Var(&f.opt.Tol, "tol", krylov.DefaultTol, "tolerance for the error that --stop names")
	fl.StringVar(&f.stop, "stop", "row", "stopping criterion: row, nw, cw or rel, as of solve")
	fl.StringVar(&f.method, "method", "auto", methodHelp())
	f.precond.add(c)
	f.reorder.add(c)
	fl.StringVar(&f.scale, "scale", "auto", "scaling by powers of two: auto, none, row, sym or both")
	fl.IntVar(&f.opt.Restart, "restart", 0, "restart length of gmres; 0: 40, and longer when convergence is slow")
	fl.IntVar(&f.opt.MaxIter, "max-iter", 0, "limit on the total number of iterations; 0: max(20000, 2n)")
	fl.Var(&f.maxMemory, "max-memory", "memory limit, such as 4GB (default: the memory of the machine)")
	fl.IntVar(&f.opt.Threads, "threads", 0, "number of threads (default: all processors)")
	fl.BoolVar(&f.json, "json", false, "print a JSON object instead of text (docs/tune.schema.json)")
	completeWords(c, "method", rules.Methods)
	completeWords(c, "scale", rules.Scales)
	completeWords(c, "stop", rules.Stops)
	return c
}

// run searches, prints the result and saves it, even after a signal.
func (f *tuneFlags) run(c *cobra.Command, s streams, path string) error {
	ctx := c.Context()
	m, b, text, err := f.system(ctx, s, path)
	if err != nil {
		return err
	}
	manySolves(m.Bytes())
	status := newStatusLine(s.err)
	defer status.done()
	opt := lab.TuneOptions{Solve: f.opt, Budget: f.budget, Slower: f.slower, Progress: func(at lab.Step) {
		status.show(func(int) string { return describeStep(at, f.budget) })
	}}
	completing.Add(1)
	defer completing.Add(-1)
	start := time.Now()
	found, searched := lab.TuneSearch(ctx, m, b, opt)
	if searched != nil && ctx.Err() == nil {
		return searched
	}
	r := report.Tune{
		Version: Version, File: path, Rows: m.Rows, Nonzeros: m.NNZ(), RHS: text, Stop: f.stop, Tol: f.opt.Tol, Threads: f.opt.Threads,
		Processor: host.Processor(),
	}
	r.Fill(found, time.Since(start))
	var flags []lab.Flag
	if found.Best >= 0 {
		flags = withRequested(c.Flags(), found.Trials[found.Best].Flags())
		r.Command = "mpsolve solve " + shellWord(path)
		for _, flag := range flags {
			r.Command += fmt.Sprintf(" --%s %s", flag.Name, shellWord(flag.Value))
		}
	}
	if f.save != "" && found.Best >= 0 { // before printing, which may fail
		err = saveConfig(ctx, f.save, r.Comment(), flags)
	}
	if f.learn != "" && found.Best >= 0 && m.Rows == m.Cols {
		flags = slices.DeleteFunc(flags, func(o lab.Flag) bool { return !slices.Contains(learnable, o.Name) || o.Name == "max-iter" })
		if len(flags) > 0 { // and several times the iterations, for the larger matrices of the class
			flags = append(flags, lab.Flag{Name: "max-iter", Value: strconv.Itoa(8 * (found.Trials[found.Best].Iterations + 1))})
		}
		to, class := learntFile(f.learn, m, f.opt.Threads)
		r.Learnt, err = to, errors.Join(err, saveConfig(ctx, to, r.Comment()+class, flags))
	}
	out := &firstError{w: s.out}
	if f.json {
		out.keep(report.WriteJSON(out, r))
	} else {
		r.WriteText(out)
	}
	if out.err != nil {
		err = errors.Join(err, fmt.Errorf("writing: %w", out.err))
	}
	switch {
	case err != nil || searched != nil:
		return errors.Join(err, searched)
	case found.Best < 0:
		return &exitError{code: exitNotConverged}
	}
	return nil
}

// withRequested returns the flags of the command line that solve also has, followed by the flags that the search found.
func withRequested(fl *pflag.FlagSet, found []lab.Flag) (list []lab.Flag) {
	own := []string{"budget", "slower", "save", "learn", "json"}
	fl.Visit(func(f *pflag.Flag) {
		same := func(o lab.Flag) bool { return o.Name == f.Name }
		if !slices.Contains(own, f.Name) && !slices.ContainsFunc(found, same) {
			list = append(list, lab.Flag{Name: f.Name, Value: f.Value.String()})
		}
	})
	return append(list, found...)
}

// plainWord matches a word that no shell changes.
var plainWord = regexp.MustCompile(`^[-+./:=@%,^_0-9A-Za-z]+$`)

// shellWord quotes a word for a shell if necessary.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// describeStep names the trial that begins, and the fastest trial so far.
func describeStep(at lab.Step, budget time.Duration) string {
	text := fmt.Sprintf("%.0f of %.0f s, trial %d: %v", at.Elapsed.Seconds(), budget.Seconds(), len(at.Trials)+1, at.Next)
	if best := at.Best(); best != nil {
		text += fmt.Sprintf("; fastest %.3g s: %v", best.Total.Seconds(), best.Setting)
	}
	return text
}
