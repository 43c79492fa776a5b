package matrixmarket

import (
	"context"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// ReadColumnsDistributed reads dense columns, such as right-hand sides, of a system that is cut into these domains, by all ranks: it returns what is known of the
// file, and the own elements of this rank of each column. Of a complex file, which is read only with opt.RealForm, these are the real parts of all
// columns, followed by the imaginary parts. Real arrays in plain files are read by all ranks, each its share of the bytes, and other
// files by rank 0. opt.Domains is not used. Errors are the same as with one process, and the same on all ranks. Collective.
func ReadColumnsDistributed(ctx context.Context, c dist.Comm, path string, opt DistributedOptions, d dist.Domains) (*Content, [][]float64, error) {
	if c.Rank() > 0 {
		opt.Check, opt.Progress = nil, nil
	}
	s, err := lookTogether(ctx, c, path, opt, func(s survey, _ DistributedOptions) string {
		if h := s.Header; h.Format != Array || h.Field == Complex || h.Symmetry != General || int64(s.Rows) != d.Rows() {
			return "not an array"
		}
		return ""
	})
	switch {
	case err != nil:
		return nil, nil, err
	case s.Whole != "":
		return wholeColumns(ctx, c, path, opt, d)
	case s.Form != "":
		return columnsOfRows(ctx, c, path, opt, s, d)
	}
	p, err := parseShare(ctx, c, path, opt, s)
	if err != nil {
		return nil, nil, err
	}
	return p.content, p.columns(c, d), nil
}

// wholeColumns has rank 0 read all, and sends elements to their owners.
func wholeColumns(ctx context.Context, c dist.Comm, path string, opt DistributedOptions, d dist.Domains) (*Content, [][]float64, error) {
	content := &Content{}
	var columns [][]float64
	err := opt.alone(ctx, c, func(ctx context.Context) (err error) {
		if path == "-" {
			content, err = Read(ctx, opt.Stdin, "<stdin>", opt.Options)
		} else {
			content, err = ReadFile(ctx, path, opt.Options)
		}
		if err != nil {
			return err
		}
		if content.Field == Complex && opt.RealForm != nil {
			re, im, err := content.ComplexColumns()
			columns = slices.Concat(re, im)
			return err
		}
		columns, err = content.Columns()
		if content.Field == Complex {
			err = &Error{File: path, Msg: err.Error()}
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	count := []int64{int64(len(columns)), 0, 0, 0}
	if c.Rank() == 0 {
		count[1], count[2], count[3] = int64(content.Rows), int64(content.Cols), int64(content.Field)
	}
	c.Max(count)
	if c.Rank() > 0 {
		content.Rows, content.Cols, content.Field = int(count[1]), int(count[2]), Field(count[3])
	}
	if count[1] != d.Rows() {
		return content, nil, &Error{File: path, Msg: "the columns have " + plural(int(count[1]), "element") + ", the system " + plural(int(d.Rows()), "row")}
	}
	own := make([][]float64, count[0])
	for k := range own {
		var x []float64
		if c.Rank() == 0 {
			x = columns[k]
		}
		own[k] = dist.Scatter(c, d, x)
	}
	return content, own, nil
}

// mostValues is how many values a rank sends at a time.
const mostValues = 4 << 20

// columns sends the values of the share to the owners of their rows.
func (p *share) columns(c dist.Comm, d dist.Domains) [][]float64 {
	v := &valueMove{first: p.behind.entries, rows: d.Rows()}
	for k, b := range p.reading.blocks {
		v.values = append(v.values, b.val...)
		p.reading.blocks[k] = nil
	}
	for r := range c.Size() {
		lo, hi := d.Owned(r, c.Size())
		v.from, v.to = append(v.from, d.Start[lo]), append(v.to, d.Start[hi])
	}
	rank := c.Rank()
	own := make([][]float64, p.content.Cols)
	for k := range own {
		own[k] = make([]float64, v.to[rank]-v.from[rank])
	}
	most := mostValues
	if p.reading.opt.pieceSize > 0 {
		most = p.reading.opt.pieceSize
	}
	for at := 0; dist.Any(c, at < len(v.values)); at += most {
		for _, b := range c.Alltoall(v.messages(at, min(at+most, len(v.values)))) {
			for len(b) > 0 {
				head := dist.Numbers[int64](b[:24])
				column, row, n := head[0], head[1], head[2]
				copy(own[column][row-v.from[rank]:], dist.Numbers[float64](b[24:24+8*n]))
				b = b[24+8*n:]
			}
		}
	}
	return own
}

// valueMove is the values of a share of an array on their way to the owners of their rows.
type valueMove struct {
	first    int64 // number of values[0] in the file
	rows     int64
	values   []float64
	from, to []int64 // rows of each rank
}

// messages returns values at to end-1 for their ranks: runs of rows of a column, with the column, the row and their number in front.
func (v *valueMove) messages(at, end int) [][]byte {
	messages := make([][]byte, len(v.from))
	for at < end {
		number := v.first + int64(at)
		column, row := number/v.rows, number%v.rows
		last := min(v.rows, row+int64(end-at)) // of this column
		for r := range messages {
			lo, hi := max(row, v.from[r]), min(last, v.to[r])
			if lo >= hi {
				continue
			}
			k := at + int(lo-row)
			messages[r] = append(messages[r], dist.Bytes([]int64{column, lo, hi - lo})...)
			messages[r] = append(messages[r], dist.Bytes(v.values[k:k+int(hi-lo)])...)
		}
		at += int(last - row)
	}
	return messages
}
