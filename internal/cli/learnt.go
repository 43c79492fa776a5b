package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// learnable are the flags that are learnt: those that a search sets, and a limit for the setting alone.
var learnable = []string{"method", "precond", "drop-tol", "fill", "formats", "epsilon", "layout", "max-iter"}

// learntFile returns the file for --config with what was learnt about matrices of a class on this machine, and the class of m.
func learntFile(folder string, m *csr.Matrix, threads int) (path, class string) {
	pool := parallel.New(threads)
	defer pool.Close()
	s := features.Matrix{M: m, Pool: pool, Facts: csr.Examine(m, pool)}
	name := fmt.Sprintf("%s %d threads %s", report.Known(host.Processor()), pool.Threads(), s.Class())
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return filepath.Join(folder, strings.Join(words, "-")+".yaml"), s.Class()
}

// withLearnt returns the options with the setting that was learnt for the class of the matrix, if there is one.
func (r *solveRun) withLearnt() (opt solve.Options, err error) {
	opt = r.opt
	m, suits := r.problem.(whole)
	switch {
	case r.learnt == "":
		return opt, nil
	case !suits || m.Rows != m.Cols || r.chosen || opt.Device != nil || opt.Candidate != nil || r.checkpoint.asked():
		opt.Log("learnt nothing is tried: flags choose for it, or the system is not a real square one on one host")
		return opt, nil
	}
	path, class := learntFile(r.learnt, m.Matrix, opt.Threads)
	f := new(solveFlags)
	c, fl := solveCommand(streams{}, f), new(pflag.FlagSet)
	for _, name := range learnable {
		fl.AddFlag(c.Flags().Lookup(name))
	}
	if err = configFlag(path).apply(fl); errors.Is(err, fs.ErrNotExist) || err == nil && fl.NFlag() == 0 {
		opt.Log(fmt.Sprintf("learnt no better setting on this machine (%s): %s", r.learnt, class))
		return opt, nil
	}
	opt.Log(fmt.Sprintf("learnt as follows, from %s: %s", path, class))
	if wrong := f.check(c, "-"); err == nil && wrong != nil {
		err = usage("%s: %w", path, wrong)
	}
	opt.Method, opt.MaxIter, r.trying = f.opt.Method, f.opt.MaxIter, err == nil
	opt.Precond.Kind, opt.Precond.DropTol, opt.Precond.Fill = f.opt.Precond.Kind, f.opt.Precond.DropTol, f.opt.Precond.Fill
	opt.Storage.Set, opt.Storage.Epsilon, opt.Storage.Layout = f.opt.Storage.Set, f.opt.Storage.Epsilon, f.opt.Storage.Layout
	return opt, err
}

// unlearn makes the solver by the rules, after the setting that was learnt has failed.
func (r *solveRun) unlearn(ctx context.Context, why string) error {
	r.opt.Log(fmt.Sprintf("learnt setting failed (%s): %s the rules", why, choice.Continuing))
	if r.trying = false; r.solver != nil {
		r.solver.Close()
	}
	made, err := r.problem.solver(ctx, r.opt)
	if err == nil {
		r.report.Seconds.Build += made.Setup.Seconds()
		r.solver, made.InputBits = made, r.exact.bits
	}
	return err
}

// byRules solves again by the rules if a setting that was learnt did not converge, from its x where that is better than zero.
func (r *solveRun) byRules(ctx context.Context, k int, first solve.Result, learnt bool) (solve.Result, error) {
	if !learnt || first.Reason.Converged() || ctx.Err() != nil {
		return first, nil
	}
	if r.trying {
		if err := r.unlearn(ctx, first.Reason.String()); err != nil {
			return first, err
		}
	}
	if first.Errors.Row < 1 { // the error of zero
		r.x0[k] = first.X
	}
	second, err := r.solver.SolveParts(ctx, r.exact.parts(k, r.b[k]), r.x0[k])
	second.Attempts = append(first.Attempts, second.Attempts...)
	second.Time.Total += first.Time.Total
	return special.Followed(first, second), err
}
