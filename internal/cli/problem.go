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

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
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

// writeOrElsewhere writes x to path. If writing fails, x goes to one of refuges, and the error says so, unless the reader has gone.
func writeOrElsewhere(ctx context.Context, path string, write func(io.Writer) error) (string, error) {
	err := writeFile(ctx, path, write)
	if err == nil || exitCode(err) == exitBrokenPipe {
		return path, err
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

func (s spread) domains() int { return s.Domains.Count() }
func (s spread) dims() (rows, cols int64) {
	r, c := s.Sides()
	return r.Rows(), c.Rows()
}

func (s spread) share(on *solver.Solver) int { return on.Job.Local.NNZ() }
func (s spread) bytes() int64                { return s.Local.Bytes() }

func (s spread) solver(ctx context.Context, opt solve.Options) (*solver.Solver, error) {
	opt.Updates = false // a set-up serves one matrix
	return solver.NewDistributed(ctx, s.Matrix, opt)
}

func (s spread) next(ctx context.Context, in input, path string) (problem, *matrixmarket.Content, error) {
	in.realForm = nil
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
		func() ([]float64, bool) { return ranks.DefaultRHS(s.Matrix) },
		func() bool { return dist.Any(s.Comm, rowsOverflow(s.Local)) })
}

// elements yields the elements of all ranks on rank 0, of columns that are cut into d, one after the other. Collective.
func (s spread) elements(columns [][]float64, d dist.Domains) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		all := ranks.Job{Matrix: s.Matrix}
		for _, v := range columns {
			all.ToRoot(v, d, func(part []float64) { yield(part) })
		}
	}
}

func (s spread) write(ctx context.Context, path string, columns [][]float64) (string, error) {
	_, n := s.dims()
	return s.job.writeX(ctx, path, n, columns, matrixmarket.WriteOptions{})
}
