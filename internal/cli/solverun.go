package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dist"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/realform"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// solveRun is one run of `mpsolve solve`, on one rank: what its steps hand on to each other.
type solveRun struct {
	*solveFlags
	streams
	path  string
	more  []string // matrices of a sequence after the first
	start time.Time

	in      input
	problem problem
	intact  func() error // of the file of the matrix, if it is mapped; or nil
	how     string       // the matrix was read
	solver  *solve.Solver
	before  dist.Traffic     // before the solve
	b, x0   [][]float64      // right-hand sides and guesses
	x       [][]float64      // solutions so far
	precise []*solve.Precise // the same of multiple precision, as far as they are
	report  report.Report
	lines   io.Writer // of facts and decisions
	history *history
	live    *live
	known   bool         // facts of the matrix have been printed: decisions are, as they are made
	unmade  error        // why there is no right-hand side
	phase   atomic.Value // string: what it is doing
}

// limitGrace is how long the run may go on after its time limit.
const limitGrace = 350 * time.Millisecond

// run reads, and then solves on rank 0, while the others wait, or, if the matrix is spread over the ranks, on all of them. Rank 0's clock
// decides about the time limit.
func (r *solveRun) run(ctx context.Context) error {
	if r.maxTime > 0 && r.job.rank() == 0 {
		limited, cancel := context.WithDeadline(ctx, r.start.Add(r.maxTime))
		defer cancel()
		ctx = limited
	}
	defer func() {
		if r.opt.Device != nil {
			r.opt.Device.Close()
		}
	}()
	defer r.listen()()
	err := r.together(ctx, func() error { return r.read(ctx) })
	switch {
	case err != nil:
		return err
	case r.spread():
		return r.together(ctx, func() error { return r.steps(ctx) })
	}
	return r.job.onFirst(ctx, func(ctx context.Context) error {
		return r.untilLimit(ctx, func() error { return r.steps(ctx) })
	})
}

// untilLimit runs f until the time limit. If it does not heed that, it is given up, without x.
func (r *solveRun) untilLimit(ctx context.Context, f func() error) error {
	if _, limited := ctx.Deadline(); !limited {
		return f()
	}
	err := abandonable(ctx, limitGrace, f)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errAbandoned) {
		return &exitError{exitNotConverged, fmt.Errorf("time limit reached while %s; there is no x", r.phase.Load())}
	}
	return err
}

// steps reads the rest, prepares, solves, writes x and reports.
func (r *solveRun) steps(ctx context.Context) (err error) {
	if err := r.agree(r.readRest(ctx)); err != nil {
		return err
	}
	if r.history, err = r.openHistory(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.history.close()) }()
	r.live = newLive(r.err, r.stop, r.opt.Tol, r.verbose)
	defer r.live.done()
	r.observe()
	r.takeCheckpoints()
	if err := r.agree(r.prepare(ctx)); err != nil {
		return err
	}
	defer r.solver.Close()
	return r.sequence(ctx)
}

// openHistory opens the file of rank 0.
func (r *solveRun) openHistory(ctx context.Context) (h *history, err error) {
	if r.job.rank() == 0 {
		h, err = newHistory(ctx, r.solveFlags.history)
	}
	return h, r.agree(err)
}

// read opens the device and reads the matrix. Collective.
func (r *solveRun) read(ctx context.Context) (err error) {
	keepWithin(r.memoryLimit())
	prepareMemory()
	r.phase.Store("opening the device")
	if !r.job.alone() {
		r.device.spread(r.job)
	}
	if r.opt.Device, err = r.device.open(r.streams); err == nil && r.job.rank() == 0 {
		err = r.checkpoint.read(&r.opt)
	}
	r.phase.Store("reading " + r.path)
	if err := r.job.agree(err); err != nil {
		return err
	}
	r.in = input{streams: r.streams, threads: r.opt.Threads, maxMemory: r.memoryLimit()}
	var form *realform.Form // of a complex matrix
	r.in.realForm = r.realForm(&form)
	first := r.in
	first.maps = true
	v, err := r.exact.input(first, r.opt).distributed(ctx, r.job, r.path, r.cut())
	if err == nil {
		r.opt.Lower, err = lowerParts(v.Content)
	}
	if err == nil {
		r.how, r.intact = v.How, v.Intact
		if r.problem = (whole{v.Matrix}); v.Dist != nil {
			r.problem = spread{v.Dist, r.job}
		}
		if form != nil {
			r.problem = complexProblem{whole{v.Matrix}, form}
		}
		r.besideMatrix(v)
	}
	return r.job.agree(err)
}

// readRest reads what belongs to the matrix: what its preconditioner needs, right-hand sides and guesses.
func (r *solveRun) readRest(ctx context.Context) (err error) {
	if err := r.complexVectors(ctx); err != nil {
		return err
	}
	limitGarbage(r.memory, r.problem.bytes())
	if m, yes := r.problem.(whole); yes {
		if err := r.precond.readNearNull(ctx, r.in, m.Rows, &r.opt); err != nil {
			return err
		}
		if err := r.nullSpace.read(ctx, r.in, m.Rows, &r.opt); err != nil {
			return err
		}
	}
	if p, yes := r.problem.(spread); yes {
		if err := r.precond.readDistributedNearNull(ctx, r.job, r.in, p.Matrix, &r.opt); err != nil {
			return err
		}
	}
	if r.b, r.x0, err = r.problem.vectors(ctx, r.solveFlags, r.in); err != nil {
		return err
	}
	r.report = report.Report{
		SchemaVersion: report.SchemaVersion, Version: Version, Run: r.ran(), Refine: r.refine, Domains: r.problem.domains(),
		Stop: r.stop, Tolerance: r.opt.Tol, Events: []string{},
	}
	r.report.Seconds.Read = (time.Since(r.start) - r.device.took).Seconds()
	return nil
}

// observe sends decisions and iterations to the report, to the lines, to the history and to
// the status line.
func (r *solveRun) observe() {
	r.lines = r.linesTo()
	if r.verbose && !r.job.alone() {
		report.Line(r.err, "processors", "%s", r.job.processors())
	}
	r.opt.Log = func(line string) {
		r.report.Events = append(r.report.Events, line)
		if r.known {
			r.event(line)
		}
		if !report.Detail(line) {
			r.history.note(line)
		}
	}
	r.opt.Examined = r.examined
	r.opt.Stage = r.live.stage
	r.opt.Monitor = func(e krylov.Event) {
		if r.beside() {
			r.begin(e.RHS)
		}
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
	r.sayHow()
	if !r.spread() {
		r.opt.Candidate = r.device.candidate(ctx, r.streams, func(d *gpu.Device) { r.opt.Device = d })
	}
	if r.exact.asked {
		r.opt.Log(r.exact.text(len(r.opt.Lower)))
	}
	r.phase.Store("setting up")
	if r.solver, err = r.problem.solver(ctx, r.opt); err != nil {
		return r.checkpoint.refused(inFile(r.path, err))
	}
	if r.unmade != nil {
		return r.unmade
	}
	r.described()
	return nil
}

// described reports what is known of the matrix and how it was set up.
func (r *solveRun) described() {
	r.report.SetMatrix(r.path, r.solver.Facts)
	r.sayComplex()
	if rank, known := r.solver.StructuralRank(); known {
		r.report.SetStructure(rank)
	}
	r.report.SetOrder(r.solver.Order)
	r.report.Scale, r.report.Threads = string(r.solver.Scale), r.solver.Threads
	r.report.Seconds.Build = r.solver.Setup.Seconds()
}

// examined prints what the system is, once the matrix is known, and the decisions that were made before that.
func (r *solveRun) examined(f csr.Facts) {
	report.System(r.lines, r.path, f, r.verbose)
	if r.unmade = r.makeRHS(); r.unmade != nil {
		return
	}
	report.Line(r.lines, "rhs", "%s", r.report.RHS)
	fmt.Fprintln(r.lines)
	r.known = true
	for _, line := range r.report.Events {
		r.event(line)
	}
}

// event prints a decision.
func (r *solveRun) event(line string) {
	if r.verbose || !report.Detail(line) {
		report.Event(r.lines, line)
	}
}

// makeRHS makes the right-hand side if it is in no file.
func (r *solveRun) makeRHS() error {
	r.report.RHS = fmt.Sprintf("%d from %s", len(r.b), r.rhs)
	if !r.fileRHS() {
		b, text, err := r.problem.rhs(r.solveFlags)
		if err != nil {
			return err
		}
		r.b, r.report.RHS = [][]float64{b}, text
	}
	return nil
}

// solve solves for all right-hand sides.
func (r *solveRun) solve(ctx context.Context) error {
	r.phase.Store("solving")
	r.before = r.traffic()
	completing.Add(1)
	defer completing.Add(-1)
	ctx, cancel := r.beforeVerification(ctx)
	defer cancel()
	if r.beside() {
		results, err := r.solver.SolveMany(ctx, r.b, r.x0)
		if err != nil {
			return err
		}
		for k, result := range results {
			if err := r.add(k, result); err != nil {
				return err
			}
		}
	} else {
		for k := range r.b {
			r.begin(k)
			result, err := r.solver.SolveParts(ctx, r.exact.parts(k, r.b[k]), r.x0[k])
			if err != nil {
				return r.checkpoint.refused(err)
			}
			if err := r.add(k, result); err != nil {
				return err
			}
		}
	}
	r.report.CautionStructure()
	r.live.done()
	if r.intact != nil {
		if err := r.intact(); err != nil {
			return fmt.Errorf("%w: x is not written", err)
		}
	}
	r.report.Seconds.Device = r.device.took.Seconds()
	return nil
}

// beside reports whether right-hand sides are solved for side by side, as far as the solver can.
func (r *solveRun) beside() bool {
	return len(r.b) > 1 && !r.spread() && !r.exact.asked && !r.checkpoint.asked()
}

// begin says which right-hand side iterations are of from now on.
func (r *solveRun) begin(k int) {
	r.history.begin(k)
	r.live.begin(k, len(r.b))
}

// add adds the result for right-hand side k to the report and to x.
func (r *solveRun) add(k int, result solve.Result) error {
	if c, yes := r.problem.(complexProblem); yes {
		if err := c.judge(&result, r.b[k], r.opt); err != nil {
			return err
		}
	}
	r.report.SetDevice(r.solver.Device())
	r.report.Device.Choice = r.solver.DeviceChoice()
	r.report.Add(result)
	r.history.begin(k)
	r.history.end(float64(r.report.Error(r.report.Solutions[k])))
	r.x, r.precise = append(r.x, result.X), append(r.precise, result.Precise)
	return nil
}

// verificationTime is about what a thread takes for a nonzero in the last residual and the
// verification, which follow the end of a solve.
const verificationTime = 60 * time.Nanosecond

// beforeVerification is the context whose time limit leaves time for the verification of x,
// at most a tenth of the whole.
func (r *solveRun) beforeVerification(ctx context.Context) (context.Context, context.CancelFunc) {
	limit, limited := ctx.Deadline()
	if !limited {
		return ctx, func() {}
	}
	need := verificationTime * time.Duration(r.problem.share()/r.solver.Threads)
	return context.WithDeadline(ctx, limit.Add(-min(need, r.maxTime/10)))
}

// finish writes x and the report, the report even if x cannot be written.
func (r *solveRun) finish(ctx context.Context) error {
	writing.Add(1)
	defer writing.Add(-1)
	var failed error
	if r.output != "" {
		r.report.Output, failed = r.write(ctx)
	}
	if failed == nil && ctx.Err() == nil {
		failed = r.dropCheckpoint()
	}
	if r.report.Ranks = r.ranks(); r.report.Ranks != nil && r.verbose {
		r.report.Ranks.Write(r.err)
	}
	r.report.Finish(r.start, peakRSS())
	if err := r.print(); err != nil && !(failed != nil && errors.Is(err, errOutputClosed)) {
		failed = errors.Join(failed, fmt.Errorf("writing the report: %w", err))
	}
	if code := exitOf(r.report.Why); failed == nil && code != 0 {
		return &exitError{code: code}
	}
	return failed
}

// print prints the report.
func (r *solveRun) print() error {
	out := &firstError{w: r.out}
	switch {
	case r.json:
		if len(r.more) > 0 {
			return r.report.WriteJSONLine(out)
		}
		return r.report.WriteJSON(out)
	case r.quiet:
		r.report.Quiet(out)
	default:
		r.report.WriteText(out, r.verbose)
	}
	return out.err
}
