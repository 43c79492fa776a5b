package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// writeX writes x and returns the path of the file. own[k] has the elements of this rank in column k of x. If writing fails,
// x goes to rank 0's folder of temporary files, and the error says so. Collective.
func (j *job) writeX(ctx context.Context, path string, rows int64, own [][]float64) (string, error) {
	writing.Add(1)
	defer writing.Add(-1)
	err := j.writeArray(ctx, path, rows, own)
	if err == nil {
		return path, nil
	}
	name := fmt.Sprintf("mpsolve-%016x.mtx", rand.Uint64())
	instead := string(dist.Share(j.comm, 0, []byte(filepath.Join(os.TempDir(), name))))
	if j.writeThrough(ctx, instead, rows, own) != nil {
		return "", err // the first error is the one that matters
	}
	return instead, fmt.Errorf("%w; x is in %s instead", err, instead)
}

// writeArray writes an array completely or not at all. All ranks write a plain file, each its own bytes; rank 0 writes
// anything else. Collective.
func (j *job) writeArray(ctx context.Context, path string, rows int64, own [][]float64) error {
	if j.alone() || strings.HasSuffix(path, ".gz") {
		return j.writeThrough(ctx, path, rows, own)
	}
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
		return j.commit(f, matrixmarket.WriteDenseThrough(j.comm, f, rows, own, matrixmarket.WriteOptions{}))
	}
	return j.commit(f, j.writeParts(f, temp, rows, own))
}

// commit completes or removes the file of rank 0, by the error of writing, which is the same on all ranks. Collective.
func (j *job) commit(f *host.File, err error) error {
	if j.rank() == 0 {
		err = f.Commit(err)
	}
	return j.agree(err)
}

// writeParts has each rank write its own bytes to the file, which has a temporary name and is open on rank 0. Collective.
func (j *job) writeParts(f *host.File, temp string, rows int64, own [][]float64) error {
	var part *os.File
	var err error
	if j.rank() == 0 {
		part = f.File
	} else {
		part, err = os.OpenFile(temp, os.O_WRONLY, 0)
	}
	if err := j.agree(withoutPath(err)); err != nil {
		if part != nil && j.rank() > 0 {
			part.Close()
		}
		return err
	}
	err = matrixmarket.WriteDenseAt(j.comm, pathless{part}, rows, own, matrixmarket.WriteOptions{})
	var closed error
	if j.rank() > 0 {
		closed = withoutPath(errors.Join(part.Sync(), part.Close()))
	}
	if err == nil {
		err = j.agree(closed)
	}
	return err
}

// writeThrough has rank 0 write the whole array, compressed if the name ends in .gz. Collective.
func (j *job) writeThrough(ctx context.Context, path string, rows int64, own [][]float64) error {
	var f *host.File
	var err error
	if j.rank() == 0 {
		f, err = host.Create(ctx, path)
	}
	if err := j.agree(err); err != nil {
		return err
	}
	if !strings.HasSuffix(path, ".gz") {
		return j.commit(f, matrixmarket.WriteDenseThrough(j.comm, f, rows, own, matrixmarket.WriteOptions{}))
	}
	var w io.Writer
	var z *gzip.Writer
	if j.rank() == 0 {
		z = gzip.NewWriter(f)
		w = z
	}
	err = matrixmarket.WriteDenseThrough(j.comm, w, rows, own, matrixmarket.WriteOptions{})
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
