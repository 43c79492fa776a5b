package matrixmarket

import (
	"context"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// share asks the reader of another format for the file, and returns what all ranks must find in it. The result is nil if ranks cannot
// share the file.
func (in *input) share(ctx context.Context, r *Reader, opt Options) (*Shared, survey, error) {
	if in.file == nil || r.Share == nil {
		return nil, survey{}, nil
	}
	f, err := r.Share(ctx, &File{Name: in.name, Stream: in.stream, At: in.file, Size: in.size}, opt)
	if err != nil || f == nil {
		return nil, survey{}, err
	}
	return f, survey{Form: r.Format, Header: f.Header, Rows: f.Rows, Cols: f.Cols, Entries: f.Entries, Size: in.size}, nil
}

// sharedFile is a file of another format that a rank has opened.
type sharedFile struct {
	*Shared
	form  string
	in    *input
	close func() error
}

// openRows opens the file that rank 0 has looked at, on all ranks. Collective.
func openRows(ctx context.Context, c dist.Comm, path string, opt DistributedOptions, want survey) (*sharedFile, error) {
	opt.Check = nil // rank 0 has done that
	opt.MaxMemory = (opt.MaxMemory + int64(c.Size()) - 1) / int64(c.Size())
	opt.Installed /= int64(max(1, opt.Sharing))
	f := &sharedFile{form: want.Form, close: func() error { return nil }}
	open := func() error {
		in, file, err := openInput(path, opt.Options)
		if err != nil {
			return err
		}
		f.in, f.close = in, file.Close
		other := in.other(opt.Options)
		if other == nil {
			return errNotTheSame(path)
		}
		s, found, err := in.share(ctx, other, opt.Options)
		if err == nil && found != want {
			err = errNotTheSame(path)
		}
		f.Shared = s
		return err
	}
	err := open()
	if err != nil {
		err = notTheSame(c, path, err)
	}
	if err = agree(c, err); err == nil {
		err = compare(c, path, f.in.file, f.in.size)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// readRows has each rank read its rows of a sparse matrix.
func readRows(ctx context.Context, c dist.Comm, path string, opt DistributedOptions, s survey) (*Distributed, error) {
	f, err := openRows(ctx, c, path, opt, s)
	if err != nil {
		return nil, err
	}
	defer f.close()
	defer f.in.progress.stop()
	counts, good := dist.NewCounts(int64(s.Rows)), true
	at, end := int64(s.Rows)*int64(c.Rank())/int64(c.Size()), int64(s.Rows)*int64(c.Rank()+1)/int64(c.Size())
	err = f.Lengths(ctx, at, end, func(lengths []int64) {
		for _, n := range lengths {
			good = good && n >= 0 && n <= s.Entries
			counts.Add(at, n)
			at++
		}
	})
	if err := agree(c, err); err != nil {
		return nil, err
	}
	counts.Sum(c)
	if dist.Any(c, !good) || counts.Total() != s.Entries {
		return readWhole(ctx, c, path, opt, "the lengths of its rows are wrong") // which says where
	}
	domains := opt.domains(int64(s.Rows))
	d, err := counts.Cut(domains)
	if err != nil {
		return nil, err
	}
	part, first, err := f.own(ctx, c, d, counts)
	if err != nil {
		return nil, err
	}
	f.in.progress.finish()
	bad := part.NonFiniteLine
	if bad > 0 {
		bad += first
	}
	v := &Distributed{Content: f.content(c, path, opt, part, bad), How: readByAll(c)}
	v.Dist, err = adopt(c, d, dist.Slab{Matrix: part.Matrix, Columns: part.columns}, part.Stored, domains, int64(s.Cols))
	return v, err
}

// readByAll says that all ranks have read a file.
func readByAll(c dist.Comm) string {
	return fmt.Sprintf("by %d ranks, each its share of the bytes", c.Size())
}

// own reads the rows that this rank owns. first is the number of entries before them; counts is nil for a dense matrix. Collective.
func (f *sharedFile) own(ctx context.Context, c dist.Comm, d dist.Domains, counts *dist.Counts) (part *Content, first int64, err error) {
	lo, hi := d.Owned(c.Rank(), c.Size())
	from, to := d.Start[lo], d.Start[hi]
	if counts != nil {
		err = dist.Fits(to - from)
	}
	if counts != nil && err == nil {
		var group int64
		group, first = counts.Before(from)
		err = f.Lengths(ctx, group, from, func(lengths []int64) {
			for _, n := range lengths {
				first += n
			}
		})
	}
	if err == nil {
		part, err = f.Read(ctx, from, to, first)
	}
	return part, first, agree(c, err)
}

// content describes the whole file, given the part of this rank and the number of its first bad value in the whole; 0: none, or the
// format does not tell it. Collective.
func (f *sharedFile) content(c dist.Comm, path string, opt DistributedOptions, part *Content, bad int64) *Content {
	sums := []int64{part.Duplicates, part.Zeros, part.NonFinite}
	c.Sum(sums)
	const none = 1 << 62
	if bad == 0 {
		bad = none
	}
	first := []int64{-bad}
	c.Max(first)
	if bad = -first[0]; bad == none {
		bad = 0
	}
	v := NewContent(path, f.in.size, f.Header, f.Rows, f.Cols, opt.Options)
	v.Form, v.Stored = f.form, f.Entries
	v.tellNonFinite(sums[2], bad)
	v.Zeros, v.Duplicates = sums[1], sums[0]
	v.tellDuplicates()
	v.Warnings = append(v.Warnings, f.Warnings...)
	return v
}

// columnsOfRows has each rank read its rows of dense columns.
func columnsOfRows(ctx context.Context, c dist.Comm, path string, opt DistributedOptions, s survey, d dist.Domains) (*Content, [][]float64, error) {
	f, err := openRows(ctx, c, path, opt, s)
	if err != nil {
		return nil, nil, err
	}
	defer f.close()
	defer f.in.progress.stop()
	part, _, err := f.own(ctx, c, d, nil)
	if err != nil {
		return nil, nil, err
	}
	f.in.progress.finish()
	lo, _ := d.Owned(c.Rank(), c.Size())
	bad, rows := part.NonFiniteLine, int64(part.Rows)
	if bad > 0 { // element of the rank's rows, column by column
		bad = (bad-1)/rows*int64(f.Rows) + d.Start[lo] + (bad-1)%rows + 1
	}
	own, err := part.Columns()
	if err := agree(c, err); err != nil {
		return nil, nil, err
	}
	return f.content(c, path, opt, part, bad), own, nil
}
