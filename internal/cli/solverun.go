package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// solveRun is one run of `mpsolve solve` on one rank. Its steps fill in the fields one after the other.
type solveRun struct {
	*solveFlags
	streams
	path  string
	more  []string // the other matrices of a sequence
	start time.Time
	in    input

	readSystem
	solver  *solver.Solver
	before  dist.Traffic     // what this rank had sent when the solve began
	x       [][]float64      // solutions so far
	precise []*solve.Precise // solutions in multiple precision; nil: only in float64
	report  report.Report
	shown
}

// readSystem is the system as read or made.
type readSystem struct {
	problem problem
	intact  func() error // reports a mapped file that has changed since; nil: the file is not mapped
	how     string       // how the ranks read the matrix
	b, x0   [][]float64  // right-hand sides and guesses
	unmade  error        // why there is no right-hand side
}

// shown is what a run shows while it goes on.
type shown struct {
	lines   io.Writer // gets facts and decisions
	history *history
	live    *live
	known   bool         // facts of the matrix have been printed: from now on decisions are printed as they are made
	phase   atomic.Value // string: what the run is doing
}

// limitGrace is how long the run may go on after its time limit.
const limitGrace = 350 * time.Millisecond

// run reads the matrix and solves: on all ranks if the matrix is spread over them, else on rank 0 while the others wait. The
// clock of rank 0 decides about the time limit.
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
	defer r.checkpoint.close()
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

// untilLimit runs f until the time limit. If f does not return then, untilLimit gives up, without x.
func (r *solveRun) untilLimit(ctx context.Context, f func() error) error {
	if _, limited := ctx.Deadline(); !limited {
		return f()
	}
	err := abandonable(ctx, r.job.late, f)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errAbandoned) {
		return &exitError{exitNotConverged, fmt.Errorf("time limit reached while %s; there is no x", r.phase.Load())}
	}
	return err
}

// steps does everything after reading the matrix: it reads the rest, sets up, solves, writes x and prints the report.
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
	defer func() { r.solver.Close() }() // the last one
	return r.sequence(ctx)
}

// openHistory opens the file of --history on rank 0.
func (r *solveRun) openHistory(ctx context.Context) (h *history, err error) {
	if r.job.rank() == 0 {
		h, err = newHistory(ctx, r.solveFlags.history, r.stop)
	}
	return h, r.agree(err)
}

// read opens the device and reads the matrix. Collective.
func (r *solveRun) read(ctx context.Context) (err error) {
	keepWithin(r.memoryLimit())
	defer prepareMemory(isTiny(r.path))()
	r.phase.Store("opening the device")
	if !r.job.alone() {
		r.device.spread(r.job)
	}
	if r.opt.Device, err = r.device.open(r.streams); err == nil {
		r.phase.Store("reading the checkpoint")
		err = r.checkpoint.open(r.job, &r.opt)
	}
	r.phase.Store("reading " + r.path)
	if err := r.job.agree(err); err != nil {
		return err
	}
	r.in = input{streams: r.streams, threads: r.opt.Threads, maxMemory: r.memoryLimit()}
	var form *matrixio.Form // real form of a complex matrix
	r.in.realForm = r.realForm(&form)
	first := r.exact.input(r.in, r.opt, r.path)
	first.maps = true
	v, err := first.distributed(ctx, r.job, r.path, r.cut())
	if err == nil {
		r.exact.keeps(v.Content, first)
		r.opt.Lower, err = lowerParts(v.Content)
	}
	if err == nil {
		r.how, r.intact = v.How, v.Intact
		if r.problem = (whole{v.Matrix}); v.Dist != nil {
			err = r.spreadOver(v.Dist)
		}
		if v.Field == matrixmarket.Complex {
			r.takeComplex(form)
		}
		r.besideMatrix(v.RHS)
	}
	return r.job.agree(err)
}

// readRest reads the near-null space, the null space, right-hand sides and guesses, and looks at the later matrices of a sequence.
func (r *solveRun) readRest(ctx context.Context) (err error) {
	if err := r.complexVectors(ctx); err != nil {
		return err
	}
	if err := r.lookAhead(ctx); err != nil {
		return err
	}
	limitGarbage(r.memory, r.problem.bytes())
	if m, yes := r.problem.(whole); yes {
		if err := r.precond.readNearNull(ctx, r.in, m.Matrix, &r.opt); err != nil {
			return err
		}
		if err := r.nullSpace.read(&r.opt, func(path string) ([][]float64, error) { return nullVectors(ctx, r.in, path, m.Rows) }); err != nil {
			return err
		}
	}
	if p, yes := r.problem.(spread); yes {
		if err := r.precond.readDistributedNearNull(ctx, r.job, r.in, p.Matrix, &r.opt); err != nil {
			return err
		}
		if err := r.nullSpace.read(&r.opt, func(path string) ([][]float64, error) {
			return r.in.distributedColumns(ctx, r.job, path, "null vector", p.Domains)
		}); err != nil {
			return err
		}
	}
	if r.b, r.x0, err = r.problem.vectors(ctx, r.solveFlags, r.in); err != nil {
		return err
	}
	r.report = r.newReport(r.problem.domains())
	r.report.Seconds.Read = (time.Since(r.start) - r.device.took).Seconds()
	return nil
}

// newReport returns the report of a run that has solved nothing yet.
func (r *solveRun) newReport(domains int) report.Report {
	return report.Report{
		SchemaVersion: report.SchemaVersion, Version: Version, Run: r.ran(), Refine: r.refine, Domains: domains,
		Stop: r.stop, Tolerance: r.opt.Tol, Events: []string{},
	}
}

// prepare makes the solver, which chooses a device for --device auto, and reports its choices.
func (r *solveRun) prepare(ctx context.Context) (err error) {
	r.sayHow()
	if !r.spread() {
		r.opt.Candidate = r.device.candidate(ctx, r.streams, func(d *gpu.Device) { r.opt.Device = d })
	}
	if r.exact.asked {
		r.opt.Log(r.exact.text(len(r.opt.Lower)))
	}
	r.phase.Store("setting up")
	opt, err := r.withLearnt()
	if err == nil {
		r.solver, err = r.problem.solver(ctx, opt)
	}
	if err != nil && r.trying && ctx.Err() == nil {
		err = r.unlearn(ctx, err.Error())
	}
	if err != nil {
		return r.checkpoint.refused(inFile(r.path, err))
	}
	if r.unmade != nil {
		return r.unmade
	}
	r.described()
	return nil
}
