package cli

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// operatorOptions are the options of a solve with an operator; the others need the entries of a matrix.
var operatorOptions = []string{"method", "restart", "idr-s", "tol", "stop", "max-iter", "max-time", "max-memory", "threads"}

// product stands for the file in the report of an operator.
const product = "A (products alone)"

// SetOperator sets a matrix of which only products are known, in place of SetMatrix, or replaces its preconditioner and Show before SetUp.
func (e *Embedded) SetOperator(a solver.Operator) error {
	switch {
	case e.matrix != nil, e.shared != nil:
		return usage("there is a matrix already")
	case e.ready:
		return usage("the solver is set up")
	case a.N < 0 || a.N > csr.MaxDim:
		return &exitError{exitInput, fmt.Errorf("an operator has %d rows, want 0 to %d", a.N, csr.MaxDim)}
	}
	e.operator = &a
	return nil
}

// Operator returns a copy of what SetOperator has set; ok is false if it has set nothing.
func (e *Embedded) Operator() (a solver.Operator, ok bool) {
	if e.operator == nil {
		return a, false
	}
	return *e.operator, true
}

// setUpOperator is SetUp for an operator.
func (e *Embedded) setUpOperator() (err error) {
	r, fl := &e.run, e.command.Flags()
	fl.Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(operatorOptions, f.Name) {
			err = usage("option %s needs the entries of the matrix, of which only products are known", f.Name)
		}
	})
	if err != nil {
		return err
	}
	if !fl.Changed("stop") {
		r.stop = string(solve.StopRel)
	}
	if r.stop != string(solve.StopRel) {
		return usage("option stop %s needs the entries of the matrix: products alone are judged by rel", r.stop)
	}
	if err := r.check(e.command, product); err != nil {
		return err
	}
	prepareEmbedded()
	r.start = time.Now()
	r.report = r.newReport(1)
	r.report.SetMatrix(product, csr.Facts{Rows: e.operator.N, Cols: e.operator.N})
	r.report.Bytes.FP64CSR = 0
	r.report.SetOrder(features.Ordering{})
	r.report.Scale, r.report.Threads = string(solve.ScaleNone), cmp.Or(r.opt.Threads, runtime.GOMAXPROCS(0))
	r.report.SetDevice(gpu.Info{}, 0, false)
	e.before, e.ready = r.report, true
	return nil
}

// solveOperator solves for all right-hand sides with the operator.
func (e *Embedded) solveOperator(ctx context.Context) error {
	r := &e.run
	for k, b := range r.b {
		result, err := solver.SolveOperator(ctx, *e.operator, b, r.x0[k], r.opt)
		if err != nil {
			return err
		}
		r.report.Add(result)
		r.x = append(r.x, result.X)
	}
	return nil
}
