package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// solveRun is one run of `mpsolve solve`: what its steps hand on to each other.
type solveRun struct {
	*solveFlags
	streams
	path  string
	start time.Time

	in      input
	m       *csr.Matrix
	solver  *solve.Solver
	b, x0   [][]float64 // right-hand sides and guesses
	x       []float64   // solutions so far, one after the other
	report  report.Report
	lines   io.Writer // of facts and decisions
	solving bool      // decisions are printed as they are made, no longer kept for later
	history *history
	live    *live
}

// run opens the device, reads, prepares, solves, writes x and reports.
func (r *solveRun) run(ctx context.Context) (err error) {
	if r.opt.Device, err = r.device.open(r.streams); err != nil {
		return err
	}
	defer func() {
		if r.opt.Device != nil {
			r.opt.Device.Close()
		}
	}()
	if r.maxTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.maxTime)
		defer cancel()
	}
	if err := r.read(ctx); err != nil {
		return err
	}
	if r.history, err = newHistory(r.solveFlags.history); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.history.close()) }()
	r.live = newLive(r.err, r.stop, r.verbose)
	defer r.live.done()
	r.observe()
	if err := r.prepare(ctx); err != nil {
		return err
	}
	defer r.solver.Close()
	if err := r.vectors(ctx); err != nil {
		return err
	}
	if err := r.solve(ctx); err != nil {
		return err
	}
	return r.finish()
}

// read reads the matrix and what its preconditioner needs.
func (r *solveRun) read(ctx context.Context) (err error) {
	r.in = input{streams: r.streams, threads: r.opt.Threads, maxMemory: int64(r.maxMemory)}
	if r.m, err = r.in.matrix(ctx, r.path); err != nil {
		return err
	}
	if err := r.precond.readNearNull(ctx, r.in, r.m.Rows, &r.opt); err != nil {
		return err
	}
	r.report = report.Report{
		SchemaVersion: report.SchemaVersion, Version: Version, Refine: r.refine,
		Stop: r.stop, Tolerance: r.opt.Tol, Events: []string{},
	}
	r.report.Seconds.Read = (time.Since(r.start) - r.device.took).Seconds()
	return nil
}

// observe sends decisions and iterations to the report, to the lines, to the history and to
// the status line.
func (r *solveRun) observe() {
	r.lines = r.linesTo()
	r.opt.Log = func(line string) {
		r.report.Events = append(r.report.Events, line)
		if r.solving { // decisions made before that are printed after the facts
			r.live.clear()
			report.Event(r.lines, line)
		}
	}
	r.opt.Monitor = func(e krylov.Event) {
		r.history.add(e)
		r.live.add(e)
	}
}

// linesTo returns where facts and decisions are printed.
func (r *solveRun) linesTo() io.Writer {
	switch {
	case r.quiet, r.json && !r.verbose:
		return io.Discard
	case r.json:
		return r.err
	}
	return r.out
}

// prepare picks the device if the rules do, makes the solver and prints what it chose.
func (r *solveRun) prepare(ctx context.Context) (err error) {
	if r.device.kind == autoDevice {
		var why string
		if r.opt.Device, why = r.device.pick(ctx, r.streams, r.opt, r.m.NNZ()); why != "" {
			r.opt.Log("device cpu: " + why)
		}
		r.opt.DeviceAuto = true
	}
	if r.solver, err = solve.New(ctx, r.m, r.opt); err != nil {
		return err
	}
	r.report.SetMatrix(r.path, r.solver.Facts)
	r.report.SetOrder(r.solver.Order)
	r.report.Scale, r.report.Threads = string(r.solver.Scale), r.solver.Threads
	r.report.Seconds.Build = r.solver.Setup.Seconds()
	report.Facts(r.lines, r.solver.Facts)
	for _, line := range r.report.Events {
		report.Event(r.lines, line)
	}
	return nil
}

// vectors makes or reads right-hand sides and guesses.
func (r *solveRun) vectors(ctx context.Context) (err error) {
	if r.b, err = r.rightHandSides(ctx, r.in, r.m, &r.report); err != nil {
		return err
	}
	report.Line(r.lines, "rhs", "%s", r.report.RHS)
	r.x0, err = r.guesses(ctx, r.in, len(r.b))
	return err
}

// solve solves for one right-hand side after the other.
func (r *solveRun) solve(ctx context.Context) error {
	r.solving = true
	for k := range r.b {
		r.history.begin(k)
		r.live.begin(k, len(r.b))
		result, err := r.solver.Solve(ctx, r.b[k], r.x0[k])
		if err != nil {
			return err
		}
		r.report.SetDevice(r.solver.Device())
		r.report.Add(result)
		r.x = append(r.x, result.X...)
	}
	r.live.done()
	r.report.Seconds.Device = r.device.took.Seconds()
	return nil
}

// finish writes x and the report, the report even if x cannot be written.
func (r *solveRun) finish() error {
	var failed error
	if r.output != "" {
		failed = writeFile(r.output, func(w io.Writer) error {
			return matrixmarket.WriteDense(w, r.m.Rows, len(r.report.Solutions), r.x, matrixmarket.WriteOptions{})
		})
		if failed == nil {
			r.report.Output = r.output
		}
	}
	r.report.Finish(r.start, peakRSS())
	out := &firstError{w: r.out}
	switch {
	case r.json:
		_ = r.report.WriteJSON(out) // out keeps the error
	case r.quiet:
		fmt.Fprintln(out, r.report.Verdict(r.report.Outcome))
	default:
		r.report.WriteText(out)
	}
	if out.err != nil {
		failed = errors.Join(failed, fmt.Errorf("writing the report: %w", out.err))
	}
	if failed == nil && !r.report.Converged {
		return &exitError{code: exitNotConverged}
	}
	return failed
}
