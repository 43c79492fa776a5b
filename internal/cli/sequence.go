package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// numbered matches a file name with a verb for the number of the system, such as x%d.mtx.
var numbered = regexp.MustCompile(`^[^%]*%(0[1-9])?d[^%]*$`)

// matrices are the arguments of `mpsolve solve`: one file or, for a sequence, several.
func matrices(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage("want a matrix file, or several of the same pattern, got 0 arguments")
	}
	return nil
}

// checkSequence returns an error if flags exclude several matrices.
func (f *solveFlags) checkSequence(paths []string) error {
	if len(paths) < 2 {
		return nil
	}
	for flag, given := range map[string]bool{
		"checkpoint": f.checkpoint.file != "", "resume": f.checkpoint.resume != "", "exact-input": f.exact.asked,
	} {
		if given {
			return usage("--%s is for one matrix, not for a sequence of %d", flag, len(paths))
		}
	}
	if f.output != "" && !numbered.MatchString(f.output) {
		return usage("--output %s: %d systems need a name with their number, such as x%%d.mtx or x%%03d.mtx", f.output, len(paths))
	}
	for k, path := range paths {
		if path == "-" && k > 0 {
			return usage("-: only the first matrix of a sequence can come from standard input")
		}
		for i := range paths {
			if f.output != "" && host.Same(fmt.Sprintf(f.output, i), path) {
				return usage("--output %s: is also an input", fmt.Sprintf(f.output, i))
			}
		}
	}
	f.opt.Updates = true
	return nil
}

// next returns a check of the size line of the file of a later matrix.
func (r *solveRun) next(path string) func(h matrixmarket.Header, rows, cols int) error {
	n, m := r.problem.dims()
	return func(_ matrixmarket.Header, rows, cols int) error {
		if int64(rows) == n && int64(cols) == m {
			return nil
		}
		hint := ""
		if int64(rows) == n {
			hint = fmt.Sprintf("; is it the right-hand side? --rhs %s", path)
		}
		return &exitError{exitInput, fmt.Errorf("%s: %d x %d, but the matrix before it is %d x %d%s", path, rows, cols, n, m, hint)}
	}
}

// lookAhead checks the sizes of the later matrices of a sequence before any work is done. Of files such as pipes it only knows that they are there.
func (r *solveRun) lookAhead(ctx context.Context) error {
	if _, complex := r.problem.(complexProblem); complex && len(r.more) > 0 {
		return usage("%s: a sequence of complex matrices is not solved", r.path)
	}
	seen := errors.New("the size line was seen")
	for _, path := range r.more {
		info, err := os.Stat(path)
		if err == nil && !info.Mode().IsRegular() {
			continue
		}
		in, check := r.in, r.next(path)
		in.known = nil
		in.check = func(h matrixmarket.Header, rows, cols int) error { return cmp.Or(check(h, rows, cols), seen) }
		if _, err := in.read(ctx, path); err != nil && !errors.Is(err, seen) {
			return err
		}
	}
	return nil
}

// sequence solves the systems of a sequence. The first one is set up already. An error ends the sequence; systems that do not
// converge do not, and the worst outcome is the error at the end.
func (r *solveRun) sequence(ctx context.Context) error {
	if len(r.more) == 0 {
		return r.system(ctx)
	}
	names := r.output
	var worst *exitError
	for k := range len(r.more) + 1 {
		if k > 0 {
			if err := r.agree(r.advance(ctx, r.more[k-1])); err != nil {
				return err
			}
		}
		if names != "" {
			r.output = fmt.Sprintf(names, k)
		}
		err := r.system(ctx)
		var outcome *exitError
		switch {
		case err == nil:
		case !errors.As(err, &outcome) || outcome.err != nil:
			return err
		case worst == nil || outcome.code > worst.code:
			worst = outcome
		}
		if r.ended(ctx) {
			break
		}
	}
	if worst != nil {
		return worst
	}
	return nil
}

// system solves a system, writes x and prints the report.
func (r *solveRun) system(ctx context.Context) error {
	for _, step := range []func(context.Context) error{r.solve, r.finish} {
		if err := r.agree(step(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// ended reports whether the context has ended, on any rank that solves.
func (r *solveRun) ended(ctx context.Context) bool {
	if r.spread() {
		return dist.Any(r.job.comm, ctx.Err() != nil)
	}
	return ctx.Err() != nil
}

// advance reads the next matrix and updates the solver. The last x becomes the guess.
func (r *solveRun) advance(ctx context.Context, path string) error {
	r.path, r.start, r.device.took = path, time.Now(), 0
	r.phase.Store("reading " + path)
	in := r.in
	in.check, in.known = r.next(path), nil
	problem, rhs, err := r.problem.next(ctx, in, path)
	if err != nil {
		return err
	}
	before := r.report
	r.report = r.newReport(before.Domains)
	r.report.Scale, r.report.Threads = before.Scale, before.Threads
	r.report.Seconds.Read = time.Since(r.start).Seconds()
	if m, yes := problem.(spread); yes {
		r.moveVectors(r.problem.(spread).Matrix, m.Matrix)
	}
	r.problem, r.known, r.intact = problem, false, nil
	if r.besideMatrix(rhs) {
		if r.b, r.x0, err = problem.vectors(ctx, r.solveFlags, r.in); err != nil {
			return err
		}
	}
	r.phase.Store("setting up")
	if err := r.update(ctx); err != nil {
		return inFile(path, err)
	}
	if r.unmade != nil {
		return r.unmade
	}
	r.described()
	copy(r.x0, r.x)
	r.x, r.precise = nil, nil
	return nil
}

// moveVectors moves vectors to the ranks that own their elements in other domains: another matrix may have other numbers of nonzeros in its rows. Collective.
func (r *solveRun) moveVectors(from, to *dist.Matrix) {
	move := func(have, want dist.Domains, sets ...[][]float64) {
		for _, vectors := range sets {
			for k, v := range vectors {
				vectors[k] = dist.Redistribute(r.job.comm, v, have.Spans(r.job.size()), want.Spans(r.job.size()))
			}
		}
	}
	rows, cols := from.Sides()
	newRows, newCols := to.Sides()
	move(rows, newRows, r.b, r.opt.Precond.NearNull, r.opt.NullSpace.Right, r.opt.NullSpace.Left)
	move(cols, newCols, r.x)
}

// update makes the solver one for the matrix in use: over domains a new one.
func (r *solveRun) update(ctx context.Context) (err error) {
	m, yes := r.problem.(spread)
	if !yes {
		return r.solver.UpdateMatrix(ctx, r.problem.(whole).Matrix)
	}
	r.solver.Close()
	made, err := m.solver(ctx, r.opt)
	if err == nil {
		r.solver = made
	}
	return err
}
