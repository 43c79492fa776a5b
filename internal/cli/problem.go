package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// A problem is the matrix of a run with its operations: on one rank, or over all ranks. Over all ranks, methods are
// collective, and vectors have the elements of this rank.
type problem interface {
	domains() int
	dims() (rows, cols int64)   // of the whole matrix
	share(s *solver.Solver) int // number of nonzeros of which this rank solves for the rows
	bytes() int64               // memory of the matrix on this rank, as read

	solver(ctx context.Context, opt solve.Options) (*solver.Solver, error)
	next(ctx context.Context, in input, path string) (problem, *matrixmarket.Content, error) // reads the next matrix of a sequence, and right-hand sides beside it
	vectors(ctx context.Context, f *solveFlags, in input) (b, x0 [][]float64, err error)     // reads vectors from files
	rhs(f *solveFlags) (b []float64, text string, err error)                                 // makes a right-hand side without a file
	write(ctx context.Context, path string, columns [][]float64) (written string, err error) // returns the path of x, which may differ
}

// whole is the problem of one rank.
type whole struct{ *csr.Matrix }

func (w whole) domains() int             { return 1 }
func (w whole) dims() (rows, cols int64) { return int64(w.Rows), int64(w.Cols) }
func (w whole) share(*solver.Solver) int { return w.NNZ() }
func (w whole) bytes() int64             { return w.Bytes() }

func (w whole) solver(ctx context.Context, opt solve.Options) (*solver.Solver, error) {
	return solver.New(ctx, w.Matrix, opt)
}

func (w whole) next(ctx context.Context, in input, path string) (problem, *matrixmarket.Content, error) {
	content, err := in.read(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	m, err := matrixOf(path, content)
	return whole{m}, content.RHS, err
}

func (w whole) vectors(ctx context.Context, f *solveFlags, in input) (b, x0 [][]float64, err error) {
	return f.readVectors(ctx, in, w.Rows, w.Cols)
}

func (w whole) rhs(f *solveFlags) ([]float64, string, error) { return f.wholeRHS(w.Matrix) }

func (w whole) write(ctx context.Context, path string, columns [][]float64) (string, error) {
	return writeX(ctx, path, &matrixmarket.Content{Rows: w.Cols, Cols: len(columns), Dense: slices.Concat(columns...)})
}

// writeX writes x in the format that the name of the file tells. If writing fails, x goes to one of refuges, and the error says so.
func writeX(ctx context.Context, path string, x *matrixmarket.Content) (string, error) {
	x.Format, x.Field = matrixmarket.Array, matrixmarket.Real
	if x.Imag != nil {
		x.Field = matrixmarket.Complex
	}
	return writeOrElsewhere(ctx, path, func(to io.Writer) error { return formatOfX(path).Write(to, x, matrixio.WriteOptions{}) })
}

// formatOfX returns the format in which x is written to a file of this name.
func formatOfX(path string) *matrixio.Format {
	return cmp.Or(matrixio.BySuffix(path), matrixio.ByWord("mtx"))
}

// writeOrElsewhere writes x to path. If writing fails, x goes to one of refuges, and the error says so.
func writeOrElsewhere(ctx context.Context, path string, write func(io.Writer) error) (string, error) {
	err := writeFile(ctx, path, write)
	if err == nil {
		return path, nil
	}
	return rescue(err, refuges(formatOfX(path).Suffixes[0]), func(path string) error { return writeFile(ctx, path, write) })
}

// rescue writes x to the first of paths that takes it, after an error. It returns this path, and the error, which names it.
func rescue(err error, paths []string, write func(path string) error) (string, error) {
	for _, path := range paths {
		if write(path) == nil {
			return path, fmt.Errorf("%w; x is in %s instead", err, path)
		}
	}
	return "", err // the first error is the one that matters
}

// refuges returns paths for an x that cannot be written where it belongs: in the folder that the batch job was submitted from, which outlives the
// job on its node, and in the folder of temporary files.
func refuges(suffix string) (paths []string) {
	name := fmt.Sprintf("mpsolve-%016x%s", rand.Uint64(), suffix)
	for _, of := range []string{"SLURM_SUBMIT_DIR", "PBS_O_WORKDIR", "SGE_O_WORKDIR", "LS_SUBCWD"} {
		if dir := os.Getenv(of); dir != "" {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return append(paths, filepath.Join(os.TempDir(), name))
}

// spreadOver makes the problem one of all ranks.
func (r *solveRun) spreadOver(m *dist.Matrix) error {
	if formatOfX(r.output).Word != "mtx" {
		return usage("--output %s: of a matrix in several domains x is written as a Matrix Market file (.mtx), of which mpsolve convert makes others", r.output)
	}
	r.problem = spread{m, r.job}
	return nil
}

// spread is the problem of all ranks, until there is a solver, which may move the rows to other ranks.
type spread struct {
	*dist.Matrix
	job *job
}

func (s spread) domains() int                { return s.Domains.Count() }
func (s spread) dims() (rows, cols int64)    { return s.N, s.N }
func (s spread) share(on *solver.Solver) int { return on.Job.Local.NNZ() }
func (s spread) bytes() int64                { return s.Local.Bytes() }

func (s spread) solver(ctx context.Context, opt solve.Options) (*solver.Solver, error) {
	opt.Updates = false // a set-up serves one matrix
	return solver.NewDistributed(ctx, s.Matrix, opt)
}

func (s spread) next(ctx context.Context, in input, path string) (problem, *matrixmarket.Content, error) {
	v, err := in.distributed(ctx, s.job, path, s.domains())
	if err != nil {
		return nil, nil, err
	}
	return spread{v.Dist, s.job}, v.RHS, nil
}

func (s spread) vectors(ctx context.Context, f *solveFlags, in input) (b, x0 [][]float64, err error) {
	return f.readDistributedVectors(ctx, s.job, in, s.Matrix)
}

func (s spread) rhs(f *solveFlags) ([]float64, string, error) {
	return f.makeRHS(func(seed uint64) []float64 { return ranks.RandomRHS(s.Matrix, seed) },
		func() ([]float64, bool) { return ranks.DefaultRHS(s.Matrix) })
}

// elements yields the elements of all ranks on rank 0, one column after the other. Collective.
func (s spread) elements(columns [][]float64) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		all := ranks.Job{Matrix: s.Matrix}
		for _, v := range columns {
			all.ToRoot(v, func(part []float64) { yield(part) })
		}
	}
}

func (s spread) write(ctx context.Context, path string, columns [][]float64) (string, error) {
	return s.job.writeX(ctx, path, s.N, columns, matrixmarket.WriteOptions{})
}

// complexProblem is a complex system, which is solved in its real form. The matrix of whole is the real form. Vectors have
// the real and the imaginary part of each element next to each other.
type complexProblem struct {
	whole
	form *matrixio.Form
}

// realForm returns a function that makes the real form of a complex matrix, and stores the form in *form. The function
// refuses options for real matrices.
func (f *solveFlags) realForm(form **matrixio.Form) func(m *csr.Matrix, imag []float64) (*csr.Matrix, error) {
	return func(m *csr.Matrix, imag []float64) (*csr.Matrix, error) {
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
				return nil, &solve.InputError{Msg: "the system is complex; complex systems are solved without " + option.what}
			}
		}
		if m.Rows != m.Cols {
			return nil, &solve.InputError{Msg: fmt.Sprintf("the matrix is complex and %d x %d; complex systems must be square", m.Rows, m.Cols)}
		}
		if 2*m.Rows > csr.MaxDim {
			return nil, fmt.Errorf("the real form of %d complex equations has too many rows", m.Rows)
		}
		*form = matrixio.New(m, imag)
		return (*form).Matrix, nil
	}
}

// solver makes the solver of the real system, with a tolerance that implies the tolerance for the complex system, see
// verify.ComputeComplex.
func (c complexProblem) solver(ctx context.Context, opt solve.Options) (*solver.Solver, error) {
	if opt.Stop != solve.StopRel { // ||r||/||b|| is the same
		opt.Tol /= 2
	}
	return solver.New(ctx, c.Matrix, opt)
}

// vectors reads real or complex vectors.
func (c complexProblem) vectors(ctx context.Context, f *solveFlags, in input) (b, x0 [][]float64, err error) {
	return f.vectorsBy(func(path, what string) ([][]float64, error) {
		n := c.Rows / 2
		in.check = ofLength(path, what, int64(n))
		content, err := in.read(ctx, path)
		if err != nil {
			return nil, err
		}
		join := c.form.RHS
		if what != rightHandSide {
			join = matrixio.Unknowns
		}
		columns, err := complexColumns(content, join)
		if err != nil {
			return nil, &exitError{exitInput, fmt.Errorf("%s: %w", path, err)}
		}
		return columns, checkColumns(path, what, columns, func(name string, v []float64) error { return rules.CheckVector(name, v, 2*n) })
	})
}

// complexColumns reads the columns of a file, with the real and the imaginary part of each element next to each other.
func complexColumns(c *matrixmarket.Content, join func(re, im []float64) []float64) ([][]float64, error) {
	re, im := *c, *c
	re.Field, re.Imag = matrixmarket.Real, nil
	columns, err := re.Columns()
	if err != nil {
		return nil, err
	}
	var imags [][]float64
	if c.Imag != nil {
		im.Field, im.Imag = matrixmarket.Real, nil
		if c.Matrix != nil {
			m := *c.Matrix
			m.Val = c.Imag
			im.Matrix = &m
		} else {
			im.Dense = c.Imag
		}
		if imags, err = im.Columns(); err != nil {
			return nil, err
		}
	}
	for k := range columns {
		var imag []float64
		if imags != nil {
			imag = imags[k]
		}
		columns[k] = join(columns[k], imag)
	}
	return columns, nil
}

func (c complexProblem) rhs(f *solveFlags) ([]float64, string, error) {
	b, text, err := c.whole.rhs(f)
	return b, strings.Replace(text, "b = A·ones", "b = A·(1+i)·ones", 1), err
}

// write writes complex x.
func (c complexProblem) write(ctx context.Context, path string, columns [][]float64) (string, error) {
	var x, y []float64
	for _, v := range columns {
		re, im := matrixio.Split(v)
		x, y = append(x, re...), append(y, im...)
	}
	return writeX(ctx, path, &matrixmarket.Content{Rows: c.Cols / 2, Cols: len(columns), Dense: x, Imag: y})
}

// judge replaces the errors of a result by those of the complex system. A result with an error above the tolerance has not
// converged.
func (c complexProblem) judge(r *solve.Result, b []float64, opt solve.Options) (err error) {
	pool := parallel.New(opt.Threads)
	defer pool.Close()
	if r.Errors, err = verify.ComputeComplex(c.Matrix, r.X, b, pool); err != nil {
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
	r.report.Complex = &report.Complex{Rows: c.Rows / 2, Form: c.form.Name}
	report.Line(r.lines, "complex", "%d x %d, solved as the real system %s of twice the size, 2 x 2 blocks for entries; errors are those of the complex system",
		c.Rows/2, c.Rows/2, c.form.Name)
}
