package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

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

// verificationTime is about the time that a thread needs for a nonzero in the last residual and in the verification, which
// follow the last iteration.
const verificationTime = 60 * time.Nanosecond

// beforeVerification returns a context whose time limit leaves time for the verification of x, at most a tenth of --max-time.
func (r *solveRun) beforeVerification(ctx context.Context) (context.Context, context.CancelFunc) {
	limit, limited := ctx.Deadline()
	if !limited {
		return ctx, func() {}
	}
	need := verificationTime * time.Duration(r.problem.share()/r.solver.Threads)
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
