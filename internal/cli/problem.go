package cli

import (
	"context"
	"io"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A problem is the matrix of a run: whole, or spread over the ranks. In the latter case its methods are collective
// and vectors have the elements of this rank.
type problem interface {
	spread() bool
	domains() int
	dims() (rows, cols int) // of the whole
	share() int             // nonzeros of this rank
	bytes() int64           // that they take

	solver(ctx context.Context, opt solve.Options) (*solve.Solver, error)
	columns(in input) columnReader
	defaultRHS() (b []float64, ones bool)
	randomRHS(seed uint64) []float64
	write(ctx context.Context, path string, x []float64, columns int) error // vectors one after the other
}

// A columnReader reads a file of vectors of n elements and checks each.
type columnReader func(ctx context.Context, path, what string, n int) ([][]float64, error)

// whole is the problem of a single rank.
type whole struct{ *csr.Matrix }

func (w whole) spread() bool           { return false }
func (w whole) domains() int           { return 1 }
func (w whole) dims() (rows, cols int) { return w.Rows, w.Cols }
func (w whole) share() int             { return w.NNZ() }
func (w whole) bytes() int64           { return w.Bytes() }

func (w whole) solver(ctx context.Context, opt solve.Options) (*solve.Solver, error) {
	return solve.New(ctx, w.Matrix, opt)
}

func (w whole) columns(in input) columnReader { return in.vectors }

func (w whole) defaultRHS() ([]float64, bool) { return generate.DefaultRHS(w.Matrix) }

func (w whole) randomRHS(seed uint64) []float64 { return generate.RandomRHS(w.Matrix, seed) }

func (w whole) write(ctx context.Context, path string, x []float64, columns int) error {
	return writeFile(ctx, path, func(to io.Writer) error {
		return matrixmarket.WriteDense(to, w.Cols, columns, x, matrixmarket.WriteOptions{})
	})
}
