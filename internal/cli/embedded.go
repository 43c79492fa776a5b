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

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Embedded is `mpsolve solve` within another program, which has the matrix and the vectors in memory: options are
// the flags by name, and the report is that of --json. Its methods must not be called at the same time.
type Embedded struct {
	run     solveRun
	command *cobra.Command
	matrix  *csr.Matrix
	ready   bool          // set up
	before  report.Report // each solve
	text    []byte
}

// notEmbedded are the flags of files, of the terminal and of jobs, which a program has other ways for.
var notEmbedded = map[string]string{
	"rhs": "an argument of the solve", "guess": "an argument of the solve", "output": "an argument of the solve",
	"json": "always so", "quiet": "nothing is printed", "verbose": "nothing is printed",
	"checkpoint": "for the program mpsolve", "checkpoint-every": "for the program mpsolve", "resume": "for the program mpsolve",
	"domains": "for the program mpsolve", "halo-epsilon": "for the program mpsolve", "overlap": "for the program mpsolve", "exact-input": "for files", "help": "for the program mpsolve",
}

// NewEmbedded makes one with default options and no matrix.
func NewEmbedded() *Embedded {
	alone := &job{comm: dist.NewTimed(dist.Self{}), stop: func() {}, err: io.Discard}
	s := streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard, job: alone}
	e := &Embedded{run: solveRun{solveFlags: new(solveFlags), streams: s, path: "memory"}}
	e.command = solveCommand(s, e.run.solveFlags)
	return e
}

// Set sets an option to a value: the name and the value of a flag of `mpsolve solve`, underscores being as good as hyphens. Values that do not suit
// each other are reported by SetUp.
func (e *Embedded) Set(name, value string) error {
	name = strings.ReplaceAll(strings.TrimPrefix(name, "--"), "_", "-")
	fl := e.command.Flags()
	switch why := notEmbedded[name]; {
	case e.ready:
		return usage("option %s comes too late: the solver is set up", name)
	case why != "":
		return usage("option %s: %s", name, why)
	case fl.Lookup(name) == nil:
		return usage("unknown option %s; did you mean %s?", name, strings.Join(e.meant(name), " or "))
	}
	if err := fl.Set(name, value); err != nil {
		return usage("option %s %q: %w", name, value, wanted(errors.Unwrap(err)))
	}
	return nil
}

// meant are the options that an unknown name may mean.
func (e *Embedded) meant(name string) []string {
	own := func(n string) bool { return notEmbedded[n] != "" }
	if names := slices.DeleteFunc(meant(name, e.command.Flags()), own); len(names) > 0 {
		return names
	}
	return []string{host.NearestWord(name, e.Options())}
}

// Options lists the names of all options.
func (e *Embedded) Options() (names []string) {
	e.command.Flags().VisitAll(func(f *pflag.Flag) {
		if notEmbedded[f.Name] == "" {
			names = append(names, f.Name)
		}
	})
	return names
}

// SetMatrix sets the matrix, whose arrays must stay as they are until Close.
func (e *Embedded) SetMatrix(m *csr.Matrix) error {
	if e.matrix != nil {
		return usage("there is a matrix already")
	}
	if err := m.Validate(); err != nil {
		return &exitError{exitInput, err}
	}
	e.matrix = m
	return nil
}

// SetUp checks the options, examines the matrix and sets up the preconditioner. Solve does so unless it was done.
func (e *Embedded) SetUp(ctx context.Context) (err error) {
	switch {
	case e.ready:
		return nil
	case e.matrix == nil:
		return usage("there is no matrix yet")
	}
	r := &e.run
	if err := r.config.apply(e.command.Flags()); err != nil {
		return err
	}
	if err := r.check(e.command, r.path); err != nil {
		return err
	}
	prepareMemory()
	r.start = time.Now()
	if r.opt.Device, err = r.device.open(r.streams); err != nil {
		return err
	}
	r.in = input{streams: r.streams, threads: r.opt.Threads, maxMemory: int64(r.maxMemory)}
	r.problem = whole{e.matrix}
	r.live = newLive(r.streams.err, r.stop, r.opt.Tol, false)
	r.rhs = "ones" // in no file that is to be read
	if err = r.readRest(ctx); err == nil {
		r.rhs = "memory" // nor is it to be made
		r.observe()
		err = r.prepare(ctx)
	}
	if err != nil {
		e.Close()
		return err
	}
	e.before, e.ready = r.report, true
	return nil
}

// Update goes on with a matrix of the same pattern and new values, whose arrays must stay as they are until Close. What was set up is
// used again as far as solve.Solver.Update does.
func (e *Embedded) Update(ctx context.Context, m *csr.Matrix) error {
	if e.matrix == nil {
		return usage("there is no matrix yet")
	}
	if e.ready {
		if err := e.run.solver.UpdateMatrix(ctx, m); err != nil {
			return err
		}
		e.before.Seconds.Build = 0
	}
	e.matrix, e.run.problem = m, whole{m}
	return nil
}

// Solve solves for each right-hand side b, from the guess of the same place, which may be nil, and puts the solution into
// x, even if it has not converged. Rows and columns of the matrix are their lengths.
func (e *Embedded) Solve(ctx context.Context, b, guess, x [][]float64) (err error) {
	if err := e.SetUp(ctx); err != nil {
		return err
	}
	r := &e.run
	r.start = time.Now()
	r.report = e.before
	r.report.Events = slices.Clone(e.before.Events)
	r.report.RHS = fmt.Sprintf("%d from memory", len(b))
	r.b, r.x0, r.x, r.precise = b, guess, nil, nil
	if r.maxTime > 0 {
		limited, cancel := context.WithDeadline(ctx, r.start.Add(r.maxTime))
		defer cancel()
		ctx = limited
	}
	if r.history, err = r.openHistory(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.history.close()) }()
	if err := r.solve(ctx); err != nil {
		return err
	}
	for k := range x {
		copy(x[k], r.x[k])
	}
	r.report.Finish(r.start, peakRSS())
	var text bytes.Buffer
	if err := r.report.WriteJSON(&text); err != nil {
		return err
	}
	e.text = text.Bytes()
	if code := exitOf(r.report.Why); code != 0 {
		return &exitError{code, errors.New(r.report.Reason)}
	}
	return nil
}

// Report is the report of the last solve that gave an x, as docs/report.schema.json describes it; empty before.
func (e *Embedded) Report() []byte { return e.text }

// Close ends the threads and closes the device.
func (e *Embedded) Close() {
	if e.run.solver != nil {
		e.run.solver.Close()
	}
	if e.run.opt.Device != nil {
		e.run.opt.Device.Close()
		e.run.opt.Device = nil
	}
}

// Code is the exit code that the program mpsolve has for an error, 0 for none, and its text in one line.
func Code(err error) (code int, text string) {
	if err == nil {
		return 0, ""
	}
	return exitCode(err), report.Printable(oneLine(err))
}
