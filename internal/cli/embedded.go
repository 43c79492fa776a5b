package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Embedded is `mpsolve solve` inside another program, which has the matrix and the vectors in memory. Options have the names
// of the flags, and the report is the one of --json. Methods must not be called concurrently.
type Embedded struct {
	run      solveRun
	command  *cobra.Command
	matrix   *csr.Matrix
	shared   *sharedMatrix    // in place of a matrix
	operator *solver.Operator // in place of a matrix
	ready    bool             // SetUp has succeeded
	before   report.Report    // the report as it is before a solve
	text     []byte
}

// notEmbedded are the flags that are not options, since they concern files, the terminal or jobs.
var notEmbedded = map[string]string{
	"rhs": "an argument of the solve", "guess": "an argument of the solve", "output": "an argument of the solve",
	"json": "always so", "quiet": "nothing is printed", "verbose": "nothing is printed",
	"learnt": "for the program mpsolve", "checkpoint": "for the program mpsolve", "checkpoint-every": "for the program mpsolve", "resume": "for the program mpsolve",
	"exact-input": "for files", "help": "for the program mpsolve",
}

// arrays stands for the file in the report and in errors of a matrix that the program has in memory.
const arrays = "A (in memory)"

// NewEmbedded returns an Embedded with default options and no matrix.
func NewEmbedded() *Embedded {
	s := streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard, job: aloneJob()}
	e := &Embedded{run: solveRun{solveFlags: new(solveFlags), streams: s, path: arrays}}
	e.command = solveCommand(s, e.run.solveFlags)
	return e
}

// Set sets an option: name and value are those of a flag of `mpsolve solve`, with or without the hyphens in front, and with
// underscores or hyphens. A wrong value changes nothing. SetUp reports values that contradict each other.
func (e *Embedded) Set(name, value string) error {
	name = strings.ReplaceAll(strings.TrimPrefix(name, "--"), "_", "-")
	fl := e.command.Flags()
	flag := fl.Lookup(name)
	switch why := notEmbedded[name]; {
	case e.ready:
		return usage("option %s comes too late: the solver is set up", name)
	case why != "":
		return usage("option %s: %s", name, why)
	case flag == nil:
		return usage("unknown option %s; did you mean %s?", name, strings.Join(e.meant(name), " or "))
	}
	before := flag.Value.String()
	if err := fl.Set(name, value); err != nil {
		_ = flag.Value.Set(before) // numbers and truth values have become zero
		return usage("option %s %q: %w", name, value, wanted(errors.Unwrap(err)))
	}
	return nil
}

// meant returns the options that an unknown name may mean.
func (e *Embedded) meant(name string) []string {
	own := func(n string) bool { return notEmbedded[n] != "" }
	if names := slices.DeleteFunc(meant(name, e.command.Flags()), own); len(names) > 0 {
		return names
	}
	return []string{host.NearestWord(name, e.Options())}
}

// Options returns the names of all options.
func (e *Embedded) Options() (names []string) {
	e.command.Flags().VisitAll(func(f *pflag.Flag) {
		if notEmbedded[f.Name] == "" {
			names = append(names, f.Name)
		}
	})
	return names
}

// SetMatrix sets the matrix. Its arrays must not change until Close.
func (e *Embedded) SetMatrix(m *csr.Matrix) error {
	if err := e.vacant(); err != nil {
		return err
	}
	if err := m.Validate(); err != nil {
		return &exitError{exitInput, err}
	}
	e.matrix = m
	return nil
}

// vacant returns an error if there is a matrix.
func (e *Embedded) vacant() error {
	if e.matrix != nil || e.operator != nil || e.shared != nil {
		return usage("there is a matrix already")
	}
	return nil
}

// SetUp checks the options, examines the matrix and sets up the preconditioner. Solve calls SetUp if the program has not.
func (e *Embedded) SetUp(ctx context.Context) error {
	switch {
	case e.ready:
		return nil
	case e.operator != nil:
		return e.setUpOperator()
	case e.shared != nil:
		return e.setUpShared(ctx)
	case e.matrix == nil:
		return usage("there is no matrix yet")
	}
	for _, name := range sharedOptions {
		if e.command.Flags().Changed(name) {
			return usage("option %s is for a matrix that the ranks of a communicator share", name)
		}
	}
	if err := e.checkOptions(); err != nil {
		return err
	}
	e.run.problem = whole{e.matrix}
	return e.setUpProblem(ctx)
}

// checkOptions checks the options.
func (e *Embedded) checkOptions() error {
	if err := e.run.config.apply(e.command.Flags()); err != nil {
		return err
	}
	return e.run.check(e.command, e.run.path)
}

// setUpProblem sets up the solver of the problem. Collective if all ranks solve.
func (e *Embedded) setUpProblem(ctx context.Context) (err error) {
	r := &e.run
	prepareEmbedded()
	r.start = time.Now()
	r.opt.Device, err = r.device.open(r.streams)
	r.in = input{streams: r.streams, threads: r.opt.Threads, maxMemory: int64(r.maxMemory)}
	r.live = newLive(r.streams.err, r.stop, r.opt.Tol, false)
	r.rhs = "ones" // so that no file is read
	if err = r.agree(err); err == nil {
		err = r.agree(r.readRest(ctx))
	}
	if err == nil {
		r.rhs = "memory" // so that no right-hand side is made
		r.observe()
		err = r.agree(r.prepare(ctx))
	}
	if err != nil {
		e.end()
		return err
	}
	e.before, e.ready = r.report, true
	return nil
}

// Update replaces the matrix by one with the same pattern and other values. Its arrays must not change until Close. Update
// reuses what solver.Solver.Update can reuse.
func (e *Embedded) Update(ctx context.Context, m *csr.Matrix) error {
	switch {
	case e.shared != nil:
		return e.updateShared(ctx, m)
	case e.matrix == nil:
		return usage("there is no matrix with entries yet")
	}
	if e.ready {
		if err := e.renew(ctx, m); err != nil {
			return err
		}
	}
	e.matrix, e.run.problem = m, whole{m}
	return nil
}

// renew makes the solver one for m, and the report begin with what is known of m.
func (e *Embedded) renew(ctx context.Context, m *csr.Matrix) error {
	r := &e.run
	r.report = r.newReport(e.before.Domains)
	if err := r.solver.UpdateMatrix(ctx, m); err != nil {
		return err
	}
	r.described()
	e.before = r.report
	return nil
}

// Solve solves for each right-hand side b[k], from the guess guess[k], which may be nil, and puts the solution into x[k],
// even if it has not converged. The length of b[k] is the number of rows of the matrix, the length of x[k] and of guess[k]
// the number of columns.
func (e *Embedded) Solve(ctx context.Context, b, guess, x [][]float64) error {
	if err := e.SetUp(ctx); err != nil {
		return err
	}
	if e.shared != nil {
		return e.solveShared(ctx, b, guess, x)
	}
	_, err := e.solveProblem(ctx, b, guess, x)
	return err
}

// solveProblem is Solve for the problem that is set up; found reports whether it has set x. Collective if all ranks solve.
func (e *Embedded) solveProblem(ctx context.Context, b, guess, x [][]float64) (found bool, err error) {
	r := &e.run
	r.start = time.Now()
	r.report = e.before
	r.report.Events = slices.Clone(e.before.Events)
	r.report.RHS = fmt.Sprintf("%d from memory", len(b))
	r.b, r.x0, r.x, r.precise = b, guess, nil, nil
	if r.maxTime > 0 && r.job.rank() == 0 {
		limited, cancel := context.WithDeadline(ctx, r.start.Add(r.maxTime))
		defer cancel()
		ctx = limited
	}
	if r.history, err = r.openHistory(ctx); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, r.history.close()) }()
	solve := r.solve
	if e.operator != nil {
		solve = e.solveOperator
	}
	if err := solve(ctx); err != nil {
		return false, err
	}
	for k := range x {
		copy(x[k], r.x[k])
	}
	r.setChecksums(nil)
	r.report.Ranks = r.ranks()
	r.report.Finish(r.start, peakRSS())
	var text bytes.Buffer
	if err := report.WriteJSON(&text, r.report); err != nil {
		return true, err
	}
	e.text = text.Bytes()
	if code := exitOf(r.report.Why); code != 0 {
		return true, &exitError{code, errors.New(r.report.Reason)}
	}
	return true, nil
}

// Report returns the report of the last solve that gave an x, by docs/report.schema.json; it is empty before the first.
func (e *Embedded) Report() []byte { return e.text }

// Close ends the threads, closes the device and leaves the communicator. Collective after Join.
func (e *Embedded) Close() {
	e.end()
	e.Leave()
}

// end ends the threads and closes the device.
func (e *Embedded) end() {
	e.ready = false
	if e.run.solver != nil {
		e.run.solver.Close()
		e.run.solver = nil
	}
	if e.run.opt.Device != nil {
		e.run.opt.Device.Close()
		e.run.opt.Device = nil
	}
}

// WithCode returns an error with an exit code of the program mpsolve.
func WithCode(code int, text string) error { return &exitError{code, errors.New(text)} }

// Code returns the exit code of the program mpsolve for an error, 0 for nil, and the text of the error in one line.
func Code(err error) (code int, text string) {
	if err == nil {
		return 0, ""
	}
	return exitCode(err), report.Printable(oneLine(err))
}
