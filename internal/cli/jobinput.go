package cli

import (
	"context"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// distributed reads a real sparse matrix with all ranks, and prints the warnings about it. domains is the number of domains
// asked for; 0: by the number of rows. If there is one domain or the matrix is not square, the result has Matrix on rank 0,
// and Dist is nil. Collective.
func (in input) distributed(ctx context.Context, j *job, path string, domains int) (*matrixmarket.Distributed, error) {
	opt, done := in.distributedOptions(j)
	defer done()
	opt.Domains = domains
	v, err := matrixmarket.ReadDistributed(ctx, j.comm, path, opt)
	if err != nil {
		return nil, j.agree(readingError(path, err)) // rank 0 knows its exit code
	}
	in.warn(path, v.Content)
	return v, nil
}

// distributedOptions returns the options of reading over ranks.
func (in input) distributedOptions(j *job) (opt matrixmarket.DistributedOptions, done func()) {
	opt.Options, done = in.options()
	opt.Stdin, opt.Sharing, opt.Alone = in.in, j.neighbours(), j.onFirst
	return opt, done
}

// neighbours returns the number of ranks on the node of this rank, itself included.
func (j *job) neighbours() int {
	n := 0
	for _, p := range j.ranks {
		if p.Node == j.ranks[j.rank()].Node {
			n++
		}
	}
	return n
}

// readDistributedVectors is readVectors over ranks: each rank gets its own elements of the vectors. Collective.
func (f *solveFlags) readDistributedVectors(ctx context.Context, j *job, in input, a *dist.Matrix) (b, x0 [][]float64, err error) {
	return f.vectorsBy(func(path, what string) ([][]float64, error) { return in.distributedColumns(ctx, j, path, what, a) })
}

// distributedColumns reads and checks this rank's elements of the columns of a file. Collective.
func (in input) distributedColumns(ctx context.Context, j *job, path, what string, a *dist.Matrix) ([][]float64, error) {
	in.check = ofLength(path, what, a.N)
	opt, done := in.distributedOptions(j)
	defer done()
	content, own, err := matrixmarket.ReadColumnsDistributed(ctx, j.comm, path, opt, a.Domains)
	if err != nil {
		return nil, j.agree(readingError(path, err)) // rank 0 knows its exit code
	}
	in.warn(path, content)
	return own, checkColumns(path, what, own, func(name string, v []float64) error { return j.checkElements(name, v, a) })
}

// readDistributedNearNull reads this rank's elements of the near-null vectors into opt, if there is a file of them.
// Collective.
func (f *precondFlags) readDistributedNearNull(ctx context.Context, j *job, in input, a *dist.Matrix, opt *solve.Options) (err error) {
	if f.nearNull != "" {
		opt.Precond.NearNull, err = in.distributedColumns(ctx, j, f.nearNull, "near-null vector", a)
	}
	return err
}

// checkElements is options.CheckVector for a vector over ranks: all ranks return the error about the first bad element.
// Collective.
func (j *job) checkElements(name string, own []float64, a *dist.Matrix) error {
	first := int64(0)
	if len(a.Parts) > 0 {
		first = a.Parts[0].Row
	}
	err := options.CheckElements(name, own, first)
	rank := dist.First(j.comm, err != nil)
	if rank < 0 {
		return nil
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	return &solve.InputError{Msg: string(dist.Share(j.comm, rank, []byte(text)))}
}
