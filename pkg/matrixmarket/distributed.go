package matrixmarket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// DistributedOptions control how the ranks of a job read a file. Check and Progress are called on rank 0 alone. MaxMemory limits
// all ranks together.
type DistributedOptions struct {
	Options
	Domains int       // that the matrix is cut into; 0: dist.DefaultDomains of its rows
	Stdin   io.Reader // of rank 0: what the path "-" means
	Sharing int       // ranks that share the memory that Installed is; 0: one

	// Alone runs f on rank 0 while the other ranks wait, and returns the same error on all. nil: they wait in a collective call.
	Alone func(ctx context.Context, f func(context.Context) error) error
}

// alone runs f on rank 0, and returns the same error on all ranks.
func (o *DistributedOptions) alone(ctx context.Context, c dist.Comm, f func(context.Context) error) error {
	if o.Alone != nil && c.Size() > 1 {
		return o.Alone(ctx, f)
	}
	var err error
	if c.Rank() == 0 {
		err = f(ctx)
	}
	return agree(c, err)
}

// Distributed is a matrix that the ranks of a job have read. Content describes the file on all ranks. Its Matrix is nil on all
// ranks but rank 0, which has it if there is one domain.
type Distributed struct {
	*Content
	Dist *dist.Matrix // nil where Content has the matrix whole
	How  string       // how it was read, for the user; "" by a single process
}

// ReadDistributed reads a matrix, by all ranks of a job, each its share of the bytes of a plain file of text, and its rows of a file of
// another format that has a Reader.Share. What cannot be read in shares
// (other formats, compressed files, pipes, arrays, complex files, and matrices of one domain) rank 0 reads, and sends rows to their owners.
//
// Matrix, warnings and errors are the same as with one process, whatever the number of ranks. All ranks get the
// same error, about the first fault in the order of the file. Collective.
func ReadDistributed(ctx context.Context, c dist.Comm, path string, opt DistributedOptions) (*Distributed, error) {
	if c.Rank() > 0 {
		opt.Check, opt.Progress = nil, nil
	}
	if c.Size() == 1 {
		return readWhole(ctx, c, path, opt, "")
	}
	s, err := lookTogether(ctx, c, path, opt, wholeMatrix)
	switch {
	case err != nil:
		return nil, err
	case s.Whole != "":
		return readWhole(ctx, c, path, opt, s.Whole)
	case s.Form != "":
		return readRows(ctx, c, path, opt, s)
	}
	return readShares(ctx, c, path, opt, s)
}

// lookTogether returns what rank 0 finds out about a file, on all ranks. Collective.
func lookTogether(ctx context.Context, c dist.Comm, path string, opt DistributedOptions, whole func(survey, DistributedOptions) string) (s survey, err error) {
	if opt.Parts > 1 {
		return s, errors.New("the ranks of a job read values of one part")
	}
	if c.Rank() == 0 {
		s, err = look(ctx, path, opt, whole)
	}
	if err := agree(c, err); err != nil {
		return s, err
	}
	var b []byte
	if c.Rank() == 0 {
		b = encoded(s)
	}
	decode(dist.Share(c, 0, b), &s)
	return s, nil
}

// survey holds the properties of a file that rank 0 finds before the file is read.
type survey struct {
	Whole string // why it is read by one rank; "" if by all
	Form  string // the format; "" if it is text

	Header               Header
	Rows, Cols           int
	Entries, Line        int64
	Size, Offset, Behind int64 // of the file; of the text behind the size line, and the line that it is behind
}

// look looks at the beginning of a file. whole says why the ranks cannot share it, if they cannot.
func look(ctx context.Context, path string, opt DistributedOptions, whole func(survey, DistributedOptions) string) (survey, error) {
	if path == "-" {
		return survey{Whole: "standard input"}, nil
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return survey{Whole: "not a plain file"}, nil
	}
	in, file, err := openInput(path, opt.Options)
	if err != nil {
		return survey{}, err
	}
	defer file.Close()
	if other := in.other(opt.Options); other != nil {
		f, s, err := in.share(ctx, other, opt.Options)
		if err == nil && f == nil {
			return survey{Whole: "its format is " + other.Format}, nil
		}
		s.Whole = whole(s, opt)
		return s, err
	}
	r, err := in.begin(opt.Options)
	if err != nil {
		return survey{}, err
	}
	s := r.survey()
	s.Whole = "a compressed file"
	if r.in.file != nil {
		if s.Whole = whole(s, opt); s.Whole == "" {
			return s, r.inProportion()
		}
	}
	return s, nil
}

// wholeMatrix says why ranks cannot share the file of a matrix.
func wholeMatrix(s survey, opt DistributedOptions) string {
	switch domains := opt.domains(int64(s.Rows)); {
	case s.Header.Object != matrixObject || s.Header.Format != Coordinate:
		return "an array"
	case s.Header.Field == Complex:
		return "a complex file"
	case s.Rows != s.Cols && max(s.Rows, s.Cols) > csr.MaxDim:
		return "not square"
	case domains == 1:
		return "one domain"
	case domains > s.Rows:
		return "fewer rows than domains" // an error, reported after the errors in the file
	}
	return ""
}

// domains returns the number of domains of so many rows.
func (o *DistributedOptions) domains(rows int64) int {
	if o.Domains == 0 {
		return dist.DefaultDomains(rows)
	}
	return o.Domains
}

// openInput opens a file.
func openInput(path string, opt Options) (*input, *os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	var in *input
	if err == nil {
		in, err = openFile(path, f, info.Size(), &progress{report: opt.Progress, total: info.Size()})
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return in, f, nil
}

// survey returns the properties that the first lines show.
func (r *reading) survey() survey {
	return survey{
		Header: r.Header, Rows: r.rows, Cols: r.cols, Entries: r.size.entries, Line: r.size.line,
		Size: r.in.size, Offset: r.pre.offset, Behind: r.pre.line,
	}
}

// readWhole has rank 0 read all, as a single process does, and spreads the rows.
func readWhole(ctx context.Context, c dist.Comm, path string, opt DistributedOptions, why string) (*Distributed, error) {
	v := &Distributed{Content: &Content{}}
	if maps := opt.Map; maps != nil {
		opt.Map = func(rows int64) bool { return opt.domains(rows) == 1 && maps(rows) }
	}
	var m *csr.Matrix
	err := opt.alone(ctx, c, func(ctx context.Context) (err error) {
		if path == "-" {
			v.Content, err = Read(ctx, opt.Stdin, "<stdin>", opt.Options)
		} else {
			v.Content, err = ReadFile(ctx, path, opt.Options)
		}
		if err != nil {
			return err
		}
		if v.Content.Field == Complex && opt.RealForm != nil {
			m, err = v.Content.realForm(opt.RealForm)
			return err
		}
		if m, err = v.Content.CSR(); err != nil {
			return &Error{File: path, Msg: err.Error()}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if c.Size() > 1 {
		v.How = "by rank 0: " + why
		var b []byte
		if c.Rank() == 0 {
			told := *v.Content
			told.Matrix, told.Dense, told.Imag = nil, nil, nil
			b = encoded(told)
		}
		if b = dist.Share(c, 0, b); c.Rank() > 0 {
			decode(b, v.Content)
		}
	}
	v.Content.Matrix, v.Content.Dense, v.Content.Imag = m, nil, nil
	node := 1 // rows of an equation
	if v.Field == Complex {
		node = 2
	}
	count := opt.domains(int64(node) * int64(v.Rows))
	if count == 1 {
		return v, nil
	}
	v.Content.Matrix = nil
	return v, v.spread(c, path, m, node, count)
}

// spread spreads a matrix that rank 0 has, of nodes of so many unknowns. Its memory is taken over.
func (v *Distributed) spread(c dist.Comm, path string, m *csr.Matrix, node, domains int) (err error) {
	if err := enoughRows(path, int64(v.Rows), domains); err != nil {
		return err
	}
	var d dist.Domains
	if c.Rank() == 0 {
		if d, err = dist.CutNodes(m, node, domains); err != nil {
			return err
		}
	}
	s := dist.Slab{Matrix: m}
	if c.Size() > 1 {
		var b []byte
		if c.Rank() == 0 {
			b = encoded(d)
		}
		if b = dist.Share(c, 0, b); c.Rank() > 0 {
			decode(b, &d)
		}
		first := int64(0)
		if c.Rank() > 0 {
			s.Matrix, first = &csr.Matrix{Cols: node * v.Cols, RowPtr: []int64{0}}, int64(node)*int64(v.Rows)
		}
		if s, err = dist.Move(c, s, first, d); err != nil {
			return err
		}
	}
	if v.Dist, err = adopted(c, d, s, int64(node)*int64(v.Cols)); err == nil {
		v.Dist.Node = node
	}
	return err
}

// adopted makes the matrix of so many columns of the rows that this rank owns. Collective.
func adopted(c dist.Comm, d dist.Domains, s dist.Slab, cols int64) (*dist.Matrix, error) {
	if cols != d.Rows() {
		return dist.NewFrame(d, cols).Adopt(c, s.Matrix)
	}
	return s.Adopt(c, d)
}

// enoughRows returns an error if domains would be empty.
func enoughRows(path string, rows int64, domains int) error {
	if int64(domains) > rows || domains < 1 {
		return &Error{File: path, Msg: fmt.Sprintf("%d domains of %s: each needs a row at least", domains, plural(int(rows), "row"))}
	}
	return nil
}
