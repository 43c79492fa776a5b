package matrixio

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"github.com/klauspost/compress/gzip"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

const archiveEnd = ".tar.gz"

// readArchive reads NAME/NAME.mtx from a gzipped tar archive while unpacking it, without storing anything, and skips
// other members such as right-hand sides. Progress counts the bytes of that member.
func (s Source) readArchive(ctx context.Context, file string, opt matrixmarket.Options) (*matrixmarket.Content, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })() // ends a search for the member
	c, err := readMember(ctx, f, file, s.Name+"/"+s.Name+".mtx", opt)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return c, err
}

func readMember(ctx context.Context, f io.Reader, file, member string, opt matrixmarket.Options) (*matrixmarket.Content, error) {
	name := file + ":" + member
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, damage(err))
	}
	archive := tar.NewReader(unpacked)
	size, err := seek(archive, member)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if report := opt.Progress; report != nil {
		opt.Progress = func(done, _ int64) { report(done, size) }
	}
	c, err := matrixmarket.Read(ctx, text{archive}, name, opt)
	if err != nil {
		return nil, err
	}
	// The checksum is at the end.
	if _, err := io.Copy(io.Discard, unpacked); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, damage(err))
	}
	return c, nil
}

// seek advances to a member and returns its size in bytes.
func seek(archive *tar.Reader, member string) (int64, error) {
	for {
		h, err := archive.Next()
		switch {
		case err == io.EOF:
			return 0, errors.New("the archive has no such member")
		case err != nil:
			return 0, damage(err)
		case path.Clean(h.Name) == member && h.Typeflag == tar.TypeReg:
			return h.Size, nil
		}
	}
}

// text is a member of an archive; its errors are about the archive.
type text struct{ io.Reader }

func (t text) Read(buf []byte) (int, error) {
	n, err := t.Reader.Read(buf)
	if err != nil && err != io.EOF {
		err = damage(err)
	}
	return n, err
}

// damage explains an error of unpacking.
func damage(err error) error {
	switch {
	case errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("the archive is not compressed with gzip: %w", err)
	case errors.Is(err, tar.ErrHeader):
		return fmt.Errorf("this is not a tar archive, or a damaged one: %w", err)
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		return fmt.Errorf("the archive is cut off: %w", err)
	}
	return fmt.Errorf("the archive cannot be unpacked: %w", err)
}
