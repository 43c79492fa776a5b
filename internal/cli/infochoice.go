package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// solveRun returns a run of `mpsolve solve` with the flags that info shares with solve, and defaults for the others. The run
// prints nothing and has no right-hand side.
func (f *infoFlags) solveRun(s streams, path string) (*solveRun, error) {
	flags := new(solveFlags)
	c := solveCommand(s, flags)
	flags.reorder, flags.maxMemory = f.reorder, f.maxMemory
	if err := flags.check(c, path); err != nil {
		return nil, err
	}
	flags.quiet, flags.rhs = true, "memory"
	return &solveRun{solveFlags: flags, streams: s, path: path, start: time.Now()}, nil
}

// takeReal makes the matrix of a file, or its real form if it is complex, the problem of the run.
func (r *solveRun) takeReal(content *matrixmarket.Content) (*csr.Matrix, error) {
	if content.Field != matrixmarket.Complex {
		r.problem = whole{content.Matrix}
		return content.Matrix, nil
	}
	var form *matrixio.Form
	m, err := r.realForm(&form)(content.Matrix, content.Imag)
	r.problem = complexProblem{whole{m}, form}
	return m, err
}

// cutWhole cuts a matrix into the domains in which solve would read it.
func (r *solveRun) cutWhole() error {
	p, isWhole := r.problem.(whole)
	if !isWhole || p.Rows != p.Cols {
		return nil
	}
	domains := r.cut()
	if domains == 0 {
		domains = dist.DefaultDomains(int64(p.Rows))
	}
	if domains == 1 {
		return nil
	}
	cut, err := dist.Spread(r.job.comm, p.Matrix, domains)
	r.problem = spread{cut, r.job}
	return err
}

// choose has the run prepare the solve, and takes over what it chose. A matrix that solve refuses is not an error.
func (r *solveRun) choose(ctx context.Context, i *report.Info) error {
	err := r.cutWhole()
	if err == nil {
		limitGarbage(r.memory, r.problem.bytes())
		r.live = newLive(r.err, r.stop, r.opt.Tol, false)
		defer r.live.done()
		r.report.Domains = r.problem.domains()
		r.observe()
		err = r.prepare(ctx)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		i.Refused = oneLine(err)
		return nil
	}
	defer r.solver.Close()
	i.SetChoice(r.report, r.solver, programBytes, r.opt.MaxMemory)
	i.Command = "mpsolve solve " + shellWord(r.path)
	if r.reorder != reorderFlag(solve.ReorderNone) {
		i.Command += " --reorder " + string(r.reorder)
	}
	if r.maxMemory != 0 {
		i.Command += fmt.Sprintf(" --max-memory %dB", int64(r.maxMemory))
	}
	return nil
}
