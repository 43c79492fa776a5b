package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/reproduce"
	"github.com/mpsolve/mpsolve/reproduce/records"
	"github.com/spf13/cobra"
)

// measurementsFile is the name of the file of records in the output folder.
const measurementsFile = "measurements.jsonl"

const reproduceLong = `Measure the tables and figures of the papers and compare them with the published values.

ID is the name of an experiment (mpsolve reproduce list), or a file FILE.yaml with your own experiment
(docs/reproduction.md explains how to write one). Each measurement is appended to measurements.jsonl in the output
folder, one JSON object per line; tables (.txt, .csv, .tex, .md) and figures (.svg, .png) are written next to it.
Measurements on record are not repeated: an interrupted run continues where it stopped.

With --matrices the papers' matrices are read from a folder, by name: NAME.mtx, NAME.mtx.gz, or NAME.tar.gz as in the
SuiteSparse collection. A matrix that is not there is replaced by a generated one of the same class, and marked.`

// reproduceFlags are the flags of `mpsolve reproduce` and its commands.
type reproduceFlags struct {
	matrices, output string
	budget           time.Duration
	quick            bool
	threads          int
	maxMemory        memorySize
}

func newReproduce(s streams) *cobra.Command {
	var f reproduceFlags
	c := &cobra.Command{
		Use: "reproduce ID...|all", Short: "Reproduce the tables and figures of the papers", Long: reproduceLong,
		Example: "  mpsolve reproduce list\n  mpsolve reproduce thesis-fig-3.3 --quick\n" +
			"  mpsolve reproduce all --matrices ~/suitesparse --time-budget 2h\n  mpsolve reproduce report",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return experimentIDs(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.Help()
			}
			return f.run(c.Context(), s, args)
		},
	}
	fl := c.PersistentFlags()
	fl.SortFlags = false
	fl.StringVar(&f.matrices, "matrices", "", "`folder` with the papers' matrices")
	fl.StringVar(&f.output, "output", "reproduction", "`folder` for measurements, tables and figures")
	addDuration(fl, &f.budget, "time-budget", 0, "start no measurements after this time, such as 30m, shared equally by the experiments; 0: no limit")
	fl.BoolVar(&f.quick, "quick", false, "small surrogates and few repetitions: takes minutes, but times mean little")
	fl.IntVar(&f.threads, "threads", 0, "number of threads; 0: all processors")
	fl.Var(&f.maxMemory, "max-memory", "memory limit of a matrix, such as 4GB; default: half of the memory")
	c.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the experiments", Args: exactly(0, "no argument"),
			RunE: func(*cobra.Command, []string) error { return f.list(s) },
		},
		&cobra.Command{
			Use: "kinds", Short: "List the kinds of measurement with their labels and values", Args: exactly(0, "no argument"),
			RunE: func(*cobra.Command, []string) error { return kinds(s) },
		},
		&cobra.Command{
			Use: "report [FILE.yaml...]", Short: "Write everything measured so far to HTML pages and one Markdown page",
			RunE: func(_ *cobra.Command, own []string) error { return f.report(s, own) },
		},
		&cobra.Command{
			Use: "fetch-list", Short: "Print the papers' matrices and where to download them", Args: exactly(0, "no argument"),
			RunE: func(*cobra.Command, []string) error { return fetchList(s) },
		},
	)
	return c
}

// experimentIDs returns the names that the shell completes.
func experimentIDs() []string { return append([]string{"all"}, records.IDs()...) }

// options checks the flags and turns them into options.
func (f *reproduceFlags) options() (opt reproduce.Options, err error) {
	if f.budget < 0 {
		return opt, usage("--time-budget %v: must not be negative", f.budget)
	}
	if f.threads != 0 {
		if err := checkThreads(f.threads); err != nil {
			return opt, err
		}
	}
	if f.matrices != "" && !isDirectory(f.matrices) {
		return opt, usage("--matrices %s: no such folder", f.matrices)
	}
	opt = reproduce.Options{
		Quick: f.quick, Matrices: f.matrices, Budget: f.budget, MaxMemory: int64(f.maxMemory),
		Environment: host.Here(kernels.Default().String(), Version),
	}
	if opt.MaxMemory == 0 {
		opt.MaxMemory = host.Memory() / 2
	}
	if f.threads > 0 {
		opt.Environment.Cores = f.threads
	}
	return opt, nil
}

// open reads the measurements in the output folder. If there is no folder, it makes one.
func (f *reproduceFlags) open() (*records.Store, error) {
	if err := os.MkdirAll(f.output, 0o755); err != nil {
		return nil, usage("--output: %v", err)
	}
	return records.Open(filepath.Join(f.output, measurementsFile))
}

// run measures, and writes tables and figures, also those of measurements before an interruption.
func (f *reproduceFlags) run(ctx context.Context, s streams, ids []string) error {
	opt, err := f.options()
	if err != nil {
		return err
	}
	list, err := named(ids, opt.Environment.Cores)
	if err != nil {
		return err
	}
	store, err := f.open()
	if err != nil {
		return err
	}
	bar := newWorkBar(s.err)
	opt.Progress = bar.show
	lacking := map[string][]string{}
	opt.Note = func(id, what string) { lacking[id] = append(lacking[id], what) }
	measured := reproduce.Run(ctx, list, opt, store)
	bar.done()
	out := &firstError{w: s.out}
	written := f.write(out, list, store.Records(), lacking, !slices.Contains(ids, "all"))
	return errors.Join(measured, written, out.err, store.Close())
}

// write writes tables and figures of the experiments. In full it prints the tables and what is lacking, else a line for each
// experiment.
func (f *reproduceFlags) write(out *firstError, list []records.Experiment, measured []records.Record, lacking map[string][]string, full bool) error {
	for _, e := range list {
		paths, err := records.Write(f.output, e, measured)
		if err != nil {
			return err
		}
		if !full {
			text := fmt.Sprintf("%s, %s: %d files in %s", e.Source, e.Title, len(paths), f.output)
			if n := len(lacking[e.ID]); n > 0 {
				text += fmt.Sprintf("; %s not measured, such as %s", english.Plural(n, "part", ""), lacking[e.ID][0])
			}
			report.Line(out, e.ID, "%s", text)
			continue
		}
		for _, what := range lacking[e.ID] {
			fmt.Fprintf(out, "%s: not measured: %s\n", e.ID, what)
		}
		for _, path := range paths {
			if !strings.HasSuffix(path, ".txt") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s\n", text)
		}
	}
	return nil
}

// named returns experiments, by ID or file, completed for machines with that many cores.
func named(ids []string, cores ...int) ([]records.Experiment, error) {
	all, err := records.All()
	if err != nil {
		return nil, err
	}
	var list []records.Experiment
	for _, id := range ids {
		switch {
		case id == "all":
			list = append(list, all...)
		case strings.HasSuffix(id, ".yaml"):
			text, err := os.ReadFile(id)
			if err != nil {
				return nil, &exitError{exitInput, err}
			}
			e, err := records.Parse(id, text)
			if err != nil {
				return nil, &exitError{exitInput, err}
			}
			list = append(list, e)
		default:
			i := slices.IndexFunc(all, func(e records.Experiment) bool { return e.ID == id })
			if i < 0 {
				return nil, usage("unknown experiment %q; did you mean %s?", id, host.NearestWord(id, experimentIDs()))
			}
			list = append(list, all[i])
		}
	}
	for i := range list {
		if list[i], err = reproduce.Complete(list[i], cores...); err != nil {
			return nil, &exitError{exitInput, err}
		}
	}
	return list, nil
}

// report writes the pages of the report about everything on record, for the experiments of the papers and the user's own.
func (f *reproduceFlags) report(s streams, own []string) error {
	opt, err := f.options()
	if err != nil {
		return err
	}
	path := filepath.Join(f.output, measurementsFile)
	if _, err := os.Stat(path); err != nil {
		return usage("--output %s: no measurements: %v", f.output, err)
	}
	store, err := records.Load(path)
	if err != nil {
		return err
	}
	measured := store.Records()
	cores := records.Cores(measured)
	if len(cores) == 0 {
		return usage("--output %s: no measurements", f.output)
	}
	ids := append([]string{"all"}, own...)
	all, err := named(ids, cores...)
	if err != nil {
		return err
	}
	most, err := named(ids, cores[0]) // as for one of the machines, to find missing measurements
	if err != nil {
		return err
	}
	lacking, err := reproduce.Lacking(most, opt, measured)
	if err != nil {
		return err
	}
	r, err := records.NewReport(all, measured, lacking)
	if err != nil {
		return err
	}
	if r.Expected, err = expected(all, opt); err != nil {
		return err
	}
	for name, write := range r.Pages() {
		if err := host.Write(filepath.Join(f.output, name), write); err != nil {
			return err
		}
	}
	out := &firstError{w: s.out}
	for _, name := range []string{"report.html", "report.md"} {
		fmt.Fprintln(out, filepath.Join(f.output, name))
	}
	for _, e := range all { // the figures that the Markdown page names
		if _, err := records.Write(f.output, e, measured); err != nil {
			return err
		}
	}
	return out.err
}

// list prints the experiments, and about how long they take.
func (f *reproduceFlags) list(s streams) error {
	opt, err := f.options()
	if err != nil {
		return err
	}
	all, err := named([]string{"all"}, opt.Environment.Cores)
	if err != nil {
		return err
	}
	times, err := expected(all, opt)
	if err != nil {
		return err
	}
	out := &firstError{w: s.out}
	report.Experiments(out, all, times)
	return out.err
}

// expected returns about how long each experiment takes, by ID, and all together, by "all".
func expected(list []records.Experiment, opt reproduce.Options) (map[string]records.Expected, error) {
	times := map[string]records.Expected{}
	set := func(id string, some []records.Experiment) (err error) {
		var t records.Expected
		opt.Quick = true
		if t.Quick, err = reproduce.Expected(some, opt, &records.Store{}); err != nil {
			return err
		}
		opt.Quick = false
		t.Full, err = reproduce.Expected(some, opt, &records.Store{})
		times[id] = t
		return err
	}
	for i, e := range list {
		if err := set(e.ID, list[i:i+1]); err != nil {
			return nil, err
		}
	}
	return times, set("all", list)
}

// kinds prints the kinds of measurement that experiments can have.
func kinds(s streams) error {
	out := &firstError{w: s.out}
	report.Kinds(out, reproduce.Kinds(), func(value string) string {
		v, _ := records.LookupValue(value) // a test of reproduce demands it
		return v.Text
	})
	return out.err
}

// fetchList prints the papers' matrices.
func fetchList(s streams) error {
	out := &firstError{w: s.out}
	report.Papers(out, matrixio.Papers())
	return out.err
}
