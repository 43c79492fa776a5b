package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

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
		learnt := r.trying
		for k, result := range results {
			result, err := r.byRules(ctx, k, result, learnt)
			if err = cmp.Or(err, r.add(k, result)); err != nil {
				return err
			}
		}
	} else {
		r.solver.InputBits = r.exact.bits
		for k := range r.b {
			r.begin(k)
			learnt := r.trying
			result, err := r.solver.SolveParts(ctx, r.exact.parts(k, r.b[k]), r.x0[k])
			if err == nil {
				result, err = r.byRules(ctx, k, result, learnt)
			}
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

// beside reports whether SolveMany solves for all right-hand sides.
func (r *solveRun) beside() bool {
	return len(r.b) > 1 && !r.spread() && !r.exact.asked && !r.checkpoint.asked()
}

// begin says which right-hand side the next iterations belong to.
func (r *solveRun) begin(k int) {
	r.history.begin(k)
	r.live.begin(k, len(r.b))
}

// add adds the result for right-hand side k to the report and to x.
func (r *solveRun) add(k int, result solve.Result) error {
	if c, yes := r.problem.(complexProblem); yes {
		if err := c.judge(r.solver, &result, r.b[k], r.opt); err != nil {
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

// verificationTime is about the time that a thread needs for a nonzero in the last residual and in the verification, which
// follow the last iteration.
const verificationTime = 60 * time.Nanosecond

// beforeVerification returns a context whose time limit leaves time for the verification of x, at most a tenth of --max-time.
func (r *solveRun) beforeVerification(ctx context.Context) (context.Context, context.CancelFunc) {
	limit, limited := ctx.Deadline()
	if !limited {
		return ctx, func() {}
	}
	need := verificationTime * time.Duration(r.problem.share(r.solver)/r.solver.Threads)
	return context.WithDeadline(ctx, limit.Add(-min(need, r.maxTime/10)))
}

// finish writes x and prints the report, even if x cannot be written.
func (r *solveRun) finish(ctx context.Context) error {
	writing.Add(1)
	defer writing.Add(-1)
	var failed error
	if r.output != "" {
		r.report.Output, failed = r.write(ctx)
	}
	if failed == nil && r.report.Converged && len(r.x) == len(r.b) {
		failed = r.dropCheckpoint()
	}
	if (r.json || r.verbose) && len(r.x) > 0 && r.solver != nil {
		r.setChecksums(r.solver.Given)
	}
	for _, o := range r.report.Solutions {
		if v := o.Evidence; v != nil && len(v.Rows) > 0 && r.path != "-" && r.path != arrays {
			v.Lines = matrixmarket.LinesOf(ctx, r.path, v.Rows)
		}
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

// setChecksums computes the checksums in the report; m is nil if that of the matrix is left out, as it is where ranks share the matrix. Collective if
// all ranks solve.
func (r *solveRun) setChecksums(m *csr.Matrix) {
	b, x := slices.Values(r.b), slices.Values(r.x)
	if s, yes := overAll(r.problem); yes {
		rows, cols := s.Sides()
		m, b, x = nil, s.elements(r.b, rows), s.elements(r.x, cols)
	}
	r.report.SetChecksums(m, b, x)
}

// print prints the report.
func (r *solveRun) print() error {
	out := &firstError{w: r.out}
	switch {
	case r.json:
		return report.WriteJSON(out, r.report)
	case r.quiet:
		r.report.Quiet(out)
	default:
		r.report.WriteText(out, r.verbose)
	}
	return out.err
}

// observe sends decisions and iterations to the report, the printed lines, the history and the status line.
func (r *solveRun) observe() {
	r.lines = r.linesTo()
	if r.verbose && !r.job.alone() {
		report.Line(r.err, "processors", "%s", r.job.processors())
	}
	r.opt.Log = func(line string) {
		line = report.Flags(line)
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

// described fills in the report of the matrix and of setting up.
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

// examined prints the properties of the system when the matrix has been examined, and the decisions made before.
func (r *solveRun) examined(f csr.Facts) {
	if r.known { // and solved again by the rules
		return
	}
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
