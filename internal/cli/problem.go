package cli

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A problem is the matrix of a run with its operations: on one rank, or over all ranks. Over all ranks, methods are
// collective, and vectors have the elements of this rank.
type problem interface {
	domains() int
	dims() (rows, cols int64) // of the whole matrix
	share() int               // number of nonzeros on this rank
	bytes() int64             // memory of the matrix on this rank

	solver(ctx context.Context, opt solve.Options) (*solver.Solver, error)
	vectors(ctx context.Context, f *solveFlags, in input) (b, x0 [][]float64, err error)     // reads vectors from files
	rhs(f *solveFlags) (b []float64, text string, err error)                                 // makes a right-hand side without a file
	write(ctx context.Context, path string, columns [][]float64) (written string, err error) // returns the path of x, which may differ
}

// whole is the problem of one rank.
type whole struct{ *csr.Matrix }

func (w whole) domains() int             { return 1 }
func (w whole) dims() (rows, cols int64) { return int64(w.Rows), int64(w.Cols) }
func (w whole) share() int               { return w.NNZ() }
func (w whole) bytes() int64             { return w.Bytes() }

func (w whole) solver(ctx context.Context, opt solve.Options) (*solver.Solver, error) {
	return solver.New(ctx, w.Matrix, opt)
}

func (w whole) vectors(ctx context.Context, f *solveFlags, in input) (b, x0 [][]float64, err error) {
	return f.readVectors(ctx, in, w.Rows, w.Cols)
}

func (w whole) rhs(f *solveFlags) ([]float64, string, error) { return f.wholeRHS(w.Matrix) }

// write writes x. If writing fails, x goes to the folder of temporary files, and the error says so.
func (w whole) write(ctx context.Context, path string, columns [][]float64) (string, error) {
	var x []float64
	for _, c := range columns {
		x = append(x, c...)
	}
	return writeOrElsewhere(ctx, path, func(to io.Writer) error {
		return matrixmarket.WriteDense(to, w.Cols, len(columns), x, nil, matrixmarket.WriteOptions{})
	})
}

// writeOrElsewhere writes x to path. If writing fails, x goes to the folder of temporary files, and the error says so.
func writeOrElsewhere(ctx context.Context, path string, write func(io.Writer) error) (string, error) {
	err := writeFile(ctx, path, write)
	if err == nil {
		return path, nil
	}
	path = filepath.Join(os.TempDir(), fmt.Sprintf("mpsolve-%016x.mtx", rand.Uint64()))
	if writeFile(ctx, path, write) != nil {
		return "", err // the first error is the one that matters
	}
	return path, fmt.Errorf("%w; x is in %s instead", err, path)
}

// spread is the problem of all ranks.
type spread struct {
	*dist.Matrix
	job *job
}

func (s spread) domains() int             { return s.Domains.Count() }
func (s spread) dims() (rows, cols int64) { return s.N, s.N }
func (s spread) share() int               { return s.Local.NNZ() }
func (s spread) bytes() int64             { return s.Local.Bytes() }

func (s spread) solver(ctx context.Context, opt solve.Options) (*solver.Solver, error) {
	return solver.NewDistributed(ctx, s.Matrix, opt)
}

func (s spread) vectors(ctx context.Context, f *solveFlags, in input) (b, x0 [][]float64, err error) {
	return f.readDistributedVectors(ctx, s.job, in, s.Matrix)
}

func (s spread) rhs(f *solveFlags) ([]float64, string, error) {
	return f.makeRHS(func(seed uint64) []float64 { return generate.DistributedRandomRHS(s.Matrix, seed) },
		func() ([]float64, bool) { return generate.DistributedRHS(s.Matrix) })
}

func (s spread) write(ctx context.Context, path string, columns [][]float64) (string, error) {
	return s.job.writeX(ctx, path, s.N, columns)
}
