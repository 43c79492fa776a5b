package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// complexProblem is a complex system, which is solved in its real form. Vectors have the real and the imaginary part of each element next to each
// other.
type complexProblem struct {
	paired
	form *matrixio.Form
}

// paired is the problem of a real form, on one rank or over all ranks.
type paired interface {
	problem

	complexColumns(ctx context.Context, in input, path, what string) (re, im [][]float64, err error) // reads real or complex vectors; im is nil for real ones
	complexErrors(on *solver.Solver, x, b []float64, pool *parallel.Pool) (verify.Errors, error)
	check(name string, v []float64) error
	writeComplex(ctx context.Context, path string, columns [][]float64) (written string, err error)
}

// overAll returns the problem of all ranks, if it is one.
func overAll(p problem) (s spread, yes bool) {
	if c, complex := p.(complexProblem); complex {
		p = c.paired
	}
	s, yes = p.(spread)
	return s, yes
}

// takeComplex makes the problem, of a real form, a complex one. Only rank 0 has the form. Collective.
func (r *solveRun) takeComplex(form *matrixio.Form) {
	var name []byte
	if form != nil {
		name = []byte(form.Name)
	}
	if name = dist.Share(r.job.comm, 0, name); form == nil {
		form = &matrixio.Form{Name: string(name)}
	}
	r.problem = complexProblem{r.problem.(paired), form}
}

// suitsComplex returns an error about options that complex systems do not have.
func (f *solveFlags) suitsComplex() error {
	for _, option := range []struct {
		what string
		set  bool
	}{
		{"--exact-input", f.exact.asked},
		{"--digits above 15", f.opt.Digits > solve.MaxDigits},
		{"--near-null and --coordinates", f.precond.nearNull != "" || f.precond.coordinates != ""},
		{"--nullspace with a file", f.nullSpace.given() || f.nullSpace.left != ""},
	} {
		if option.set {
			return &solve.InputError{Msg: "the system is complex; complex systems are solved without " + option.what}
		}
	}
	return nil
}

// realForm returns a function that makes the real form of a complex matrix, and stores the form in *form. The function
// refuses options for real matrices.
func (f *solveFlags) realForm(form **matrixio.Form) func(m *csr.Matrix, imag []float64) (*csr.Matrix, error) {
	return func(m *csr.Matrix, imag []float64) (*csr.Matrix, error) {
		if err := f.suitsComplex(); err != nil {
			return nil, err
		}
		if err := squareComplex(int64(m.Rows), int64(m.Cols)); err != nil {
			return nil, err
		}
		if 2*m.Rows > csr.MaxDim {
			return nil, fmt.Errorf("the real form of %d complex equations has too many rows", m.Rows)
		}
		*form = matrixio.New(m, imag)
		return (*form).Matrix, nil
	}
}

// squareComplex returns an error about a complex system that is not square.
func squareComplex(rows, cols int64) error {
	if rows != cols {
		return &solve.InputError{Msg: fmt.Sprintf("the system is complex and %d x %d; complex systems must be square", rows, cols)}
	}
	return nil
}

// solver makes the solver of the real system, with a tolerance that implies the tolerance for the complex system, see
// verify.ComputeComplex.
func (c complexProblem) solver(ctx context.Context, opt solve.Options) (*solver.Solver, error) {
	if opt.Stop != solve.StopRel { // ||r||/||b|| is the same
		opt.Tol /= 2
	}
	return c.paired.solver(ctx, opt)
}

// vectors reads real or complex vectors.
func (c complexProblem) vectors(ctx context.Context, f *solveFlags, in input) (b, x0 [][]float64, err error) {
	return f.vectorsBy(func(path, what string) ([][]float64, error) {
		columns, im, err := c.complexColumns(ctx, in, path, what)
		if err != nil {
			return nil, err
		}
		join := c.form.RHS
		if what != rightHandSide {
			join = matrixio.Unknowns
		}
		for k := range columns {
			var imag []float64
			if im != nil {
				imag = im[k]
			}
			columns[k] = join(columns[k], imag)
		}
		return columns, checkColumns(path, what, columns, c.check)
	})
}

func (c complexProblem) rhs(f *solveFlags) ([]float64, string, error) {
	b, text, err := c.paired.rhs(f)
	return b, strings.Replace(text, "b = A·ones", "b = A·(1+i)·ones", 1), err
}

// write writes complex x.
func (c complexProblem) write(ctx context.Context, path string, columns [][]float64) (string, error) {
	return c.writeComplex(ctx, path, columns)
}

// equations returns the number of complex equations.
func (c complexProblem) equations() int {
	rows, _ := c.dims()
	return int(rows / 2)
}

// judge replaces the errors of a result by those of the complex system. A result with an error above the tolerance has not
// converged. Collective over ranks.
func (c complexProblem) judge(on *solver.Solver, r *solve.Result, b []float64, opt solve.Options) (err error) {
	pool := parallel.New(opt.Threads)
	defer pool.Close()
	if r.Errors, err = c.complexErrors(on, r.X, b, pool); err != nil {
		return err
	}
	if v := r.Evidence; v != nil {
		v.Rows = halved(v.Rows)
	}
	r.Unknowns = halved(r.Unknowns)
	if r.Reason.Converged() && r.Reason != krylov.ZeroRHS && !(rules.ErrorOf(opt.Stop, r.Errors) <= opt.Tol) {
		r.Reason = krylov.Drift
		r.Advice = r.Reason.Advice()
	}
	return nil
}

// halved returns the numbers of complex equations or unknowns, each of which has two in the real system.
func halved(places []int) []int {
	for k := range places {
		places[k] /= 2
	}
	return slices.Compact(places)
}

// sayComplex prints that a complex system is solved in its real form.
func (r *solveRun) sayComplex() {
	c, yes := r.problem.(complexProblem)
	if !yes {
		return
	}
	n := c.equations()
	r.report.Complex = &report.Complex{Rows: n, Form: c.form.Name}
	report.Line(r.lines, "complex", "%d x %d, solved as the real system %s of twice the size, 2 x 2 blocks for entries; errors are those of the complex system",
		n, n, c.form.Name)
}

func (w whole) complexColumns(ctx context.Context, in input, path, what string) (re, im [][]float64, err error) {
	in.check = ofLength(path, what, int64(w.Rows/2))
	content, err := in.read(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	if re, im, err = content.ComplexColumns(); err != nil {
		err = &exitError{exitInput, fmt.Errorf("%s: %w", path, err)}
	}
	return re, im, err
}

func (w whole) check(name string, v []float64) error { return rules.CheckVector(name, v, w.Rows) }

func (w whole) complexErrors(_ *solver.Solver, x, b []float64, pool *parallel.Pool) (verify.Errors, error) {
	return verify.ComputeComplex(w.Matrix, x, b, pool)
}

func (w whole) writeComplex(ctx context.Context, path string, columns [][]float64) (string, error) {
	var x, y []float64
	for _, v := range columns {
		re, im := matrixio.Split(v)
		x, y = append(x, re...), append(y, im...)
	}
	return writeX(ctx, path, &matrixmarket.Content{Rows: w.Cols / 2, Cols: len(columns), Dense: x, Imag: y})
}

func (s spread) complexColumns(ctx context.Context, in input, path, what string) (re, im [][]float64, err error) {
	d := dist.Domains{}
	for _, row := range s.Domains.Start {
		d.Start = append(d.Start, row/2)
	}
	columns, complex, err := in.ownColumns(ctx, s.job, path, what, d)
	if err != nil || !complex {
		return columns, nil, err
	}
	return columns[:len(columns)/2], columns[len(columns)/2:], nil
}

func (s spread) check(name string, v []float64) error { return s.job.checkElements(name, v, s.Domains) }

// complexErrors measures by the matrix of the solver where that has moved the rows, and else by the matrix as read.
func (s spread) complexErrors(on *solver.Solver, x, b []float64, pool *parallel.Pool) (verify.Errors, error) {
	a := s.Matrix
	if o := on.Job.Order; o != nil {
		a, x, b = on.Job.Matrix, o.In(x), o.In(b)
	}
	own, rhs := make([]float64, a.Len), make([]float64, a.Len)
	a.Spread(own, x)
	a.Spread(rhs, b)
	e, _ := verify.ComputeDistributed(a, own, rhs, true, pool)
	return e, nil
}

func (s spread) writeComplex(ctx context.Context, path string, columns [][]float64) (string, error) {
	return s.job.writeX(ctx, path, s.N/2, columns, matrixmarket.WriteOptions{Pairs: true})
}

// vectorFiles yields the files of right-hand sides and guesses, and their kinds.
func (f *solveFlags) vectorFiles() iter.Seq2[string, string] {
	return func(yield func(path, what string) bool) {
		if (!f.fileRHS() || yield(f.rhs, rightHandSide)) && f.guess != "" {
			yield(f.guess, f.guessed())
		}
	}
}

// complexVectors makes the system complex if the matrix is real and a right-hand side or a guess is complex. Collective over ranks.
func (r *solveRun) complexVectors(ctx context.Context) error {
	if r.exact.asked {
		return nil
	}
	switch p := r.problem.(type) {
	case whole:
		return r.complexWhole(ctx, p)
	case spread:
		return r.complexSpread(ctx, p)
	}
	return nil
}

// complexWhole is complexVectors of one rank.
func (r *solveRun) complexWhole(ctx context.Context, w whole) error {
	complex := false
	for path, what := range r.vectorFiles() {
		in, n := r.in, w.Rows
		if what != rightHandSide {
			n = w.Cols
		}
		in.check = ofLength(path, what, int64(n))
		c, err := in.read(ctx, path)
		if err != nil {
			return err
		}
		r.in.known[path] = c
		complex = complex || c.Field == matrixmarket.Complex
	}
	if !complex {
		return nil
	}
	opt, done := r.in.options()
	defer done()
	need := matrixio.Bytes(int64(w.Rows), int64(w.NNZ())) + 8*int64(w.NNZ())
	if err := opt.Fits(r.path, w.Bytes(), float64(need), "the real form of a %d x %d matrix with complex right-hand sides", w.Rows, w.Cols); err != nil {
		return err
	}
	var form *matrixio.Form
	if _, err := r.realForm(&form)(w.Matrix, make([]float64, w.NNZ())); err != nil {
		return err
	}
	r.problem = complexProblem{whole{form.Matrix}, form}
	return nil
}

// complexSpread is complexVectors over ranks. Rank 0 looks at the first lines of the files.
func (r *solveRun) complexSpread(ctx context.Context, s spread) error {
	complex := false
	for path := range r.vectorFiles() {
		if known := r.in.known[path]; known != nil {
			complex = complex || known.Field == matrixmarket.Complex
			continue
		}
		if info, err := os.Stat(path); r.job.rank() > 0 || err != nil || !info.Mode().IsRegular() {
			continue
		}
		in, seen := r.in, errors.New("the size line was seen")
		in.check = func(h matrixmarket.Header, _, _ int) error {
			complex = complex || h.Field == matrixmarket.Complex
			return seen
		}
		_, _ = in.read(ctx, path) // whoever reads the file reports its errors
	}
	if !dist.Any(r.job.comm, complex) {
		return nil
	}
	err := cmp.Or(r.suitsComplex(), squareComplex(s.dims()))
	if err == nil {
		limit, bytes := r.in.limits(), csr.Bytes(s.N, s.NNZ) // of all ranks together
		limit.Installed = 0
		err = limit.Fits(r.path, bytes, float64(bytes+csr.Bytes(2*s.N, 2*s.NNZ)), "the real form of a %d x %d matrix with complex right-hand sides", s.N, s.N)
	}
	if err = r.job.agree(err); err != nil {
		return err
	}
	a, err := s.Twice()
	if err != nil {
		return err
	}
	r.problem = complexProblem{spread{a, s.job}, &matrixio.Form{Name: "K1"}}
	return nil
}
