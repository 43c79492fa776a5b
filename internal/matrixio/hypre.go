package matrixio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// hypre writes a matrix by HYPRE_IJMatrixPrint and a vector by HYPRE_IJVectorPrint into a file of text for each rank, NAME.00000,
// NAME.00001 and so on. The first line has the range of rows that the rank owns, and of a matrix the range of columns; both ends belong
// to it. Each further line has the row, the column if it is a matrix, and the value. Numbers count from the first row and column of
// the first file, usually 0.

// hypreFirst is the suffix of the file of rank 0.
const hypreFirst = ".00000"

// hypreRange is a range of rows or columns, both ends included.
type hypreRange struct{ first, last int64 }

func (r hypreRange) size() int64 { return r.last - r.first + 1 }

// hyprePart is the file of one rank.
type hyprePart struct {
	hbText
	ranges []hypreRange // of rows, and of columns if it is a matrix
	close  func() error
}

// hypreRanges returns the ranges in a first line; nil: it has none.
func hypreRanges(line []byte) (ranges []hypreRange) {
	words := strings.Fields(string(line))
	if len(words) != 2 && len(words) != 4 || !wholeNumbers(words) {
		return nil
	}
	for k := 0; k < len(words); k += 2 {
		first, err := strconv.ParseInt(words[k], 10, 64)
		last, err2 := strconv.ParseInt(words[k+1], 10, 64)
		if err != nil || err2 != nil || last < first-1 || last > 1<<62 {
			return nil
		}
		ranges = append(ranges, hypreRange{first, last})
	}
	return ranges
}

// beginsHypre reports whether the first two lines are those of hypre, with a value that is no whole number.
func beginsHypre(head []byte) bool {
	lines := bytes.SplitN(head, []byte("\n"), 3)
	if len(lines) < 3 {
		return false
	}
	words, ranges := strings.Fields(string(lines[1])), hypreRanges(lines[0])
	if len(ranges) == 0 || len(words) != len(ranges)+1 || !wholeNumbers(words[:len(ranges)]) {
		return false
	}
	value := words[len(ranges)]
	_, err := strconv.ParseFloat(value, 64)
	return err == nil && strings.ContainsAny(value, ".en")
}

func readHypre(s *source) (*matrixmarket.Content, error) {
	parts, err := s.hypreParts()
	defer func() {
		for _, p := range parts {
			_ = p.close()
		}
	}()
	if err != nil {
		return nil, err
	}
	whole := make([]hypreRange, len(parts[0].ranges)) // of rows and columns
	text := s.bytes()                                 // in all files
	for k := range whole {
		whole[k] = hypreRange{parts[0].ranges[k].first, parts[len(parts)-1].ranges[k].last}
	}
	for _, p := range parts[1:] {
		text += p.size
	}
	rows, cols := whole[0].size(), int64(1)
	h := matrixmarket.Header{Format: matrixmarket.Array}
	if len(whole) == 2 {
		cols, h = whole[1].size(), matrixmarket.Header{}
	}
	if err := s.dims(h, rows, cols); err != nil {
		return nil, err
	}
	if len(whole) == 1 {
		return s.hypreVector(parts, whole[0])
	}
	e := &matrixmarket.Entries{Rows: int(rows), Cols: int(cols)}
	for _, p := range parts {
		for {
			if len(e.Val)%(1<<16) == 0 {
				if err := s.opt.Fits(s.in.Name, text, 8*float64(rows+1)+(stagedBytes+resultBytes)*float64(len(e.Val)), "a %d x %d matrix with %d or more entries", rows, cols, len(e.Val)); err != nil {
					return nil, err
				}
			}
			at, value, ok, err := p.entry(whole)
			if err != nil {
				return nil, err
			}
			if !ok {
				break
			}
			e.Row, e.Col, e.Val = append(e.Row, int32(at[0])), append(e.Col, int32(at[1])), append(e.Val, value)
		}
	}
	return e.Content(s.ctx, s.in.Name, text, s.opt)
}

// hypreVector reads a vector; elements without a line are zero.
func (s *source) hypreVector(parts []*hyprePart, all hypreRange) (*matrixmarket.Content, error) {
	if err := s.fitsDense(all.size(), 1, false); err != nil {
		return nil, err
	}
	v := make([]float64, all.size())
	for _, p := range parts {
		for {
			at, value, ok, err := p.entry([]hypreRange{all})
			if err != nil {
				return nil, err
			}
			if !ok {
				break
			}
			v[at[0]] = value
		}
	}
	return s.dense(all.size(), 1, v, nil), nil
}

// hypreParts opens the files of all ranks and reads their first lines. A file of another name, or one that is compressed or from a pipe, is
// the only one.
func (s *source) hypreParts() (parts []*hyprePart, err error) {
	first, err := newHyprePart(s, func() error { return nil })
	if err != nil {
		return nil, err
	}
	parts = []*hyprePart{first}
	name, several := strings.CutSuffix(s.in.Name, hypreFirst)
	if s.in.At == nil || !several {
		return parts, nil
	}
	for {
		f, err := os.Open(fmt.Sprintf("%s.%05d", name, len(parts)))
		if errors.Is(err, fs.ErrNotExist) {
			return parts, nil
		}
		if err != nil {
			return parts, err
		}
		info, err := f.Stat()
		if err != nil {
			_ = f.Close()
			return parts, err
		}
		in := &matrixmarket.File{Name: f.Name(), Stream: bufio.NewReader(f), At: f, Size: info.Size()}
		p, err := newHyprePart(newSource(s.ctx, in, s.opt), f.Close)
		if err != nil {
			_ = f.Close()
			return parts, err
		}
		last := parts[len(parts)-1]
		parts = append(parts, p)
		if len(p.ranges) != len(last.ranges) {
			return parts, p.faultIn(1, "%d ranges, want %d as in the file before", len(p.ranges), len(last.ranges))
		}
		for k, r := range p.ranges {
			if before := last.ranges[k].last; r.first != before+1 {
				return parts, p.faultIn(1, "the %s begin at %d, want %d, since those of the file before end at %d", [2]string{"rows", "columns"}[k], r.first, before+1, before)
			}
		}
	}
}

// newHyprePart reads the first line of a file.
func newHyprePart(s *source, close func() error) (*hyprePart, error) {
	p := &hyprePart{hbText: hbText{source: s, in: s.in.Stream}, close: close}
	line, err := p.next("the ranges of rows and columns")
	if err != nil {
		return nil, err
	}
	if p.ranges = hypreRanges(line); p.ranges == nil {
		return nil, p.faultIn(1, "want the first and last row, and of a matrix the first and last column, not %.60q", line)
	}
	for _, r := range p.ranges {
		if r.size() > csr.MaxDim {
			return nil, p.faultIn(1, "the range %d to %d is too long", r.first, r.last)
		}
	}
	return p, nil
}

// entry reads a line of indices and a value. The indices are counted from the beginnings of the ranges. ok is false at the end of the file.
func (p *hyprePart) entry(ranges []hypreRange) (at [2]int64, value float64, ok bool, err error) {
	var line []byte
	for len(bytes.TrimSpace(line)) == 0 {
		if p.line%4096 == 0 && p.ctx.Err() != nil {
			return at, 0, false, p.ctx.Err()
		}
		if _, err := p.in.Peek(1); err != nil {
			return at, 0, false, p.ended(err)
		}
		if line, err = p.next("the entries"); err != nil {
			return at, 0, false, err
		}
	}
	words := bytes.Fields(line)
	if len(words) != len(ranges)+1 {
		return at, 0, false, p.faultIn(0, "%d words, want %d: %s", len(words), len(ranges)+1, [2]string{"row and value", "row, column and value"}[len(ranges)-1])
	}
	column := func(k int) int64 { // of word k
		from := 0
		for _, w := range words[:k] {
			from += bytes.Index(line[from:], w) + len(w)
		}
		return int64(from+bytes.Index(line[from:], words[k])) + 1
	}
	for k, r := range ranges {
		i, err := strconv.ParseInt(string(words[k]), 10, 64)
		if err != nil {
			return at, 0, false, p.faultIn(column(k), "%.40q is no whole number", words[k])
		}
		if i < r.first || i > r.last {
			return at, 0, false, p.faultIn(column(k), "the %s %d is outside %d to %d", [2]string{"row", "column"}[k], i, r.first, r.last)
		}
		at[k] = i - r.first
	}
	last := words[len(ranges)]
	if value, err = strconv.ParseFloat(string(last), 64); err != nil && !errors.Is(err, strconv.ErrRange) {
		return at, 0, false, p.faultIn(column(len(ranges)), "%.40q is no number", last)
	}
	return at, value, true, nil
}

// ended returns nil at the end of the file, and other errors of reading.
func (p *hyprePart) ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return p.failed(err)
}
