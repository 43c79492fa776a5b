package cli

import (
	"fmt"
	"io"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

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
