package matrixmarket

import (
	"bytes"
	"fmt"
)

// parser parses pieces of text into blocks. It is read-only: all workers share one.
type parser struct {
	Header
	size
	parts int // float64 that hold a value
}

// parse parses a piece that a source returned. Lines in the common form are read by
// one of three loops, all others, legal or not, by the function line.
func (p *parser) parse(piece []byte) *block {
	b := &block{extent: noExtent}
	if len(piece) == 0 {
		return b
	}
	end := len(piece) - wordPad
	b.lines = int64(bytes.Count(piece[:end], []byte{'\n'}))
	b.reserve(p.Header, int(b.lines))
	tooLong := false
	if end > maxLine {
		start := bytes.LastIndexByte(piece[:end-1], '\n') + 1
		if tooLong = end-start > maxLine; tooLong {
			end = start
		}
	}
	switch {
	case p.indices() == 0:
		p.parseArray(b, piece, end)
	case p.indices() == 2:
		p.parseMatrix(b, piece, end)
	default:
		p.parseLines(b, piece, end)
	}
	if tooLong && b.fault == nil {
		b.fault = &fault{line: b.lines - 1, msg: errLongLine.Error()}
	}
	b.trim()
	return b
}

// parseMatrix reads the lines of a coordinate matrix.
func (p *parser) parseMatrix(b *block, text []byte, end int) {
	symmetric := p.Symmetry != General
	minRow, maxRow, minCol, maxCol := b.minRow, b.maxRow, b.minCol, b.maxCol
	k := 0
	for i := 0; i < end; k++ {
		r, c, v, im, next := p.commonLine(text, i)
		if next > i {
			b.row[k], b.col[k] = r, c
			if b.val != nil {
				b.val[k] = v
				if v == 0 && im == 0 {
					b.zeros++
				}
			}
			if b.imag != nil {
				b.imag[k] = im
			}
		} else {
			b.entries = k
			if next = p.line(b, text, i); next < 0 {
				break
			}
			if b.entries == k { // no entry
				i = next
				k--
				continue
			}
			r, c, v, im = b.entry(k)
		}
		i = next
		minRow, maxRow = min(minRow, r), max(maxRow, r)
		minCol, maxCol = min(minCol, c), max(maxCol, c)
		if symmetric && r <= c {
			b.entries = k
			p.onOrAbove(b, r, c, v, im)
		}
	}
	b.entries = k
	b.minRow, b.maxRow, b.minCol, b.maxCol = minRow, maxRow, minCol, maxCol
}

// commonLine reads the line at text[i:] if it is an entry in the common form:
// indices without sign in range, values that the scanners take. It returns the
// start of the next line, or i if it is anything else.
func (p *parser) commonLine(text []byte, i int) (row, col int32, v, im float64, next int) {
	if p.parts > 1 { // no line is common
		return 0, 0, 0, 0, i
	}
	start := i
	at := skipBlanks(text, i)
	r, i := scanIndex(text, at)
	ok := i > at && r-1 < uint64(p.rows)
	at = skipBlanks(text, i)
	c, behind := scanIndex(text, at)
	ok = ok && at > i && behind > at && c-1 < uint64(p.cols)
	i = behind
	switch p.Field {
	case Pattern:
	case Integer, unsigned:
		at = skipBlanks(text, i)
		v, behind = scanInteger(text, at)
		ok = ok && at > i && behind > at && (v >= 0 || p.Field == Integer)
		i = behind
	case Real, Complex:
		at = skipBlanks(text, i)
		v, behind = scanFloat(text, at)
		ok = ok && at > i && behind > at
		i = behind
		if p.Field == Complex {
			at = skipBlanks(text, i)
			im, behind = scanFloat(text, at)
			ok = ok && at > i && behind > at
			i = behind
		}
	}
	i = skipBlanks(text, i)
	if text[i] == '\r' {
		i++
	}
	if !ok || text[i] != '\n' {
		return 0, 0, 0, 0, start
	}
	return int32(r - 1), int32(c - 1), v, im, i + 1
}

// skipBlanks returns the position of the next byte that is neither space nor
// tab.
func skipBlanks(text []byte, i int) int {
	for text[i] == ' ' || text[i] == '\t' {
		i++
	}
	return i
}

// onOrAbove counts the entry b.entries of a symmetric matrix, which is not
// below the diagonal.
func (p *parser) onOrAbove(b *block, r, c int32, v, im float64) {
	if r < c {
		b.upper++
		return
	}
	b.diagonal++
	switch {
	case p.Symmetry == SkewSymmetric && v == 0 && im == 0:
		b.note(noteZeros)
	case p.Symmetry == SkewSymmetric || p.Symmetry == Hermitian && im != 0:
		b.note(noteDiagonal)
	}
}

// parseArray reads the lines of an array: one value each, two if complex.
func (p *parser) parseArray(b *block, text []byte, end int) {
	plain := p.Field == Real && p.parts <= 1
	for i := 0; i < end; {
		start := i
		if plain {
			at := skipBlanks(text, i)
			v, next := scanFloat(text, at)
			i = next
			if text[i] == '\r' {
				i++
			}
			if text[i] == '\n' && next > at {
				b.val[b.entries] = v
				b.entries++
				i++
				continue
			}
		}
		if i = p.line(b, text, start); i < 0 {
			return
		}
	}
}

// parseLines reads lines of any form, one after the other.
func (p *parser) parseLines(b *block, text []byte, end int) {
	for i := 0; i >= 0 && i < end; {
		i = p.line(b, text, i)
	}
}

// line reads the line at piece[start:], in whatever form. It appends the entry
// to the block if there is one and returns the start of the next line, or -1
// after a fault.
func (p *parser) line(b *block, piece []byte, start int) int {
	length := bytes.IndexByte(piece[start:], '\n')
	line := text{s: string(piece[start : start+length])}
	next := start + length + 1
	words := line.words()
	if len(words) == 0 || words[0].s[0] == '%' {
		if len(words) > 0 {
			b.note(noteComment)
		}
		b.skip()
		return next
	}
	if err := p.entry(b, line, words); err != nil {
		b.fault = &fault{line: b.lineOf(b.entries), column: err.column, msg: err.msg}
		return -1
	}
	return next
}

// badToken is a fault whose line the caller knows.
type badToken struct {
	column int64
	msg    string
}

func bad(column int64, format string, args ...any) *badToken {
	return &badToken{column, fmt.Sprintf(format, args...)}
}
