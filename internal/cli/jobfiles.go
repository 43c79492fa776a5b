package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// writeX writes x and returns the path of the file. own[k] has the elements of this rank in column k of x; opt may name numbers of
// multiple precision in their place. If writing fails,
// x goes to one of the refuges of rank 0, and the error says so, unless the reader has gone. Collective.
func (j *job) writeX(ctx context.Context, path string, rows int64, own [][]float64, opt matrixmarket.WriteOptions) (string, error) {
	writing.Add(1)
	defer writing.Add(-1)
	err := j.writeArray(ctx, path, rows, own, opt)
	if err == nil || exitCode(err) == exitBrokenPipe {
		return path, err
	}
	paths := string(dist.Share(j.comm, 0, []byte(strings.Join(refuges(".mtx"), "\x00"))))
	return rescue(err, strings.Split(paths, "\x00"), func(path string) error { return j.writeThrough(ctx, path, rows, own, opt) })
}

// writeArray writes an array completely or not at all. Collective.
func (j *job) writeArray(ctx context.Context, path string, rows int64, own [][]float64, opt matrixmarket.WriteOptions) error {
	if j.alone() || strings.HasSuffix(path, ".gz") {
		return j.writeThrough(ctx, path, rows, own, opt)
	}
	return j.writeTogether(ctx, path,
		func(w io.WriterAt) error {
			return matrixmarket.WriteDenseAt(j.comm, w, rows, own, opt)
		},
		func(w io.Writer) error {
			return matrixmarket.WriteDenseThrough(j.comm, w, rows, own, opt)
		})
}

// writeTogether writes a file completely or not at all: by parts all ranks write to a plain file, each its own bytes; by through rank 0 writes to
// anything else, and to a file that another rank cannot open. Collective.
func (j *job) writeTogether(ctx context.Context, path string, parts func(io.WriterAt) error, through func(io.Writer) error) error {
	var f *host.File
	var err error
	temp := ""
	if j.rank() == 0 {
		if f, err = host.CreateShared(ctx, path); err == nil {
			temp = f.Temp()
		}
	}
	if err := j.agree(err); err != nil {
		return err
	}
	if temp = string(dist.Share(j.comm, 0, []byte(temp))); temp == "" { // a device, a FIFO or an open descriptor
		return j.commit(f, through(f))
	}
	var part *os.File
	if j.rank() == 0 {
		part = f.File
	} else {
		part, err = os.OpenFile(temp, os.O_WRONLY, 0)
	}
	if dist.Any(j.comm, err != nil) {
		if part != nil && j.rank() > 0 {
			part.Close()
		}
		return j.commit(f, through(f))
	}
	err = parts(pathless{part})
	var closed error
	if j.rank() > 0 {
		closed = withoutPath(errors.Join(part.Sync(), part.Close()))
	}
	if err == nil {
		err = j.agree(closed)
	}
	return j.commit(f, err)
}

// commit completes or removes the file of rank 0, by the error of writing, which is the same on all ranks. Collective.
func (j *job) commit(f *host.File, err error) error {
	if j.rank() == 0 {
		err = orClosed(f.Name(), f.Commit(err))
	}
	return j.agree(err)
}

// writeThrough has rank 0 write the whole array, compressed if the name ends in .gz. Collective.
func (j *job) writeThrough(ctx context.Context, path string, rows int64, own [][]float64, opt matrixmarket.WriteOptions) error {
	var f *host.File
	var err error
	if j.rank() == 0 {
		f, err = host.Create(ctx, path)
	}
	if err := j.agree(err); err != nil {
		return err
	}
	if !strings.HasSuffix(path, ".gz") {
		return j.commit(f, matrixmarket.WriteDenseThrough(j.comm, f, rows, own, opt))
	}
	var w io.Writer
	var z *gzip.Writer
	if j.rank() == 0 {
		z = gzip.NewWriter(f)
		w = z
	}
	err = matrixmarket.WriteDenseThrough(j.comm, w, rows, own, opt)
	if j.rank() == 0 && err == nil {
		err = z.Close()
	}
	return j.commit(f, err)
}

// withoutPath returns the cause of an error of an operation on a file, without the temporary name.
func withoutPath(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// pathless is a file whose errors do not name it.
type pathless struct{ file *os.File }

func (p pathless) WriteAt(b []byte, at int64) (int, error) {
	n, err := p.file.WriteAt(b, at)
	return n, withoutPath(err)
}

// distributed reads a real sparse matrix with all ranks, and prints the warnings about it. domains is the number of domains
// asked for; 0: by the number of rows. If there is one domain, the result has Matrix on rank 0,
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
	rows, cols := a.Sides()
	return f.vectorsBy(func(path, what string) ([][]float64, error) {
		if what != rightHandSide {
			return in.distributedColumns(ctx, j, path, what, cols)
		}
		return in.distributedColumns(ctx, j, path, what, rows)
	})
}

// distributedColumns reads and checks this rank's elements of the columns of a file. Collective.
func (in input) distributedColumns(ctx context.Context, j *job, path, what string, d dist.Domains) ([][]float64, error) {
	in.realForm = nil
	own, _, err := in.ownColumns(ctx, j, path, what, d)
	if err != nil {
		return nil, err
	}
	return own, checkColumns(path, what, own, func(name string, v []float64) error { return j.checkElements(name, v, d) })
}

// ownColumns reads this rank's elements of the columns of a file, for these domains. If the input has a real form, columns may be complex: their
// real parts, and then their imaginary parts. Collective.
func (in input) ownColumns(ctx context.Context, j *job, path, what string, d dist.Domains) (own [][]float64, complex bool, err error) {
	if known := in.known[path]; known != nil { // beside the matrix, on all ranks
		if complex = known.Field == matrixmarket.Complex; complex && in.realForm != nil {
			re, im, wrong := known.ComplexColumns()
			own, err = slices.Concat(re, im), wrong
		} else {
			own, err = known.Columns()
		}
		span := d.Spans(j.size())[j.rank()]
		for k := range own {
			own[k] = slices.Clone(own[k][span.From:span.End])
		}
		return own, complex, err
	}
	in.check = ofLength(path, what, d.Rows())
	opt, done := in.distributedOptions(j)
	defer done()
	content, own, err := matrixmarket.ReadColumnsDistributed(ctx, j.comm, path, opt, d)
	if err != nil {
		return nil, false, j.agree(readingError(path, err)) // rank 0 knows its exit code
	}
	in.warn(path, content)
	return own, content.Field == matrixmarket.Complex, nil
}

// readDistributedNearNull reads this rank's elements of the near-null vectors into opt, if there is a file of them.
// Collective.
func (f *precondFlags) readDistributedNearNull(ctx context.Context, j *job, in input, a *dist.Matrix, opt *solve.Options) (err error) {
	if f.nearNull != "" {
		opt.Precond.NearNull, err = in.distributedColumns(ctx, j, f.nearNull, "near-null vector", a.Domains)
	}
	return err
}

// checkElements is rules.CheckVector for a vector over ranks: all ranks return the error about the first bad element.
// Collective.
func (j *job) checkElements(name string, own []float64, d dist.Domains) error {
	err := rules.CheckElements(name, own, d.Spans(j.size())[j.rank()].From)
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
