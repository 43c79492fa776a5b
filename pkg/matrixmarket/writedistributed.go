package matrixmarket

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strconv"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// WriteDenseAt writes an array of so many rows and len(own) columns, of which each rank has the next rows: own[k] are its elements
// of column k. The bytes are the same as with WriteDense. Each rank writes its own bytes at their offset to w, the same file on all ranks. All
// ranks get the same error. Collective.
func WriteDenseAt(c dist.Comm, w io.WriterAt, rows int64, own [][]float64, opt WriteOptions) error {
	head := denseHead(rows, len(own), opt)
	var err error
	put := func(b []byte, at int64) {
		if err == nil {
			_, err = w.WriteAt(b, at)
		}
	}
	if c.Rank() == 0 {
		put(head, 0)
	}
	at := int64(len(head))
	for column, x := range own {
		texts := opt.formatted(column, x, 0, (len(x)+writePiece-1)/writePiece)
		own := int64(0)
		for _, b := range texts {
			own += int64(len(b))
		}
		before, all := sumBefore(c, own)
		before += at
		for _, b := range texts {
			put(b, before)
			before += int64(len(b))
		}
		at += all
	}
	return agree(c, err)
}

// WriteDenseThrough is WriteDenseAt for a file that only rank 0 can write to, such as a pipe: the other ranks send their text to rank 0,
// piece by piece, and do not use w. Collective.
func WriteDenseThrough(c dist.Comm, w io.Writer, rows int64, own [][]float64, opt WriteOptions) error {
	put := func(b []byte) error {
		_, err := w.Write(b)
		return err
	}
	var err error
	if c.Rank() == 0 {
		err = put(denseHead(rows, len(own), opt))
	}
	for column, x := range own {
		if err := agree(c, err); err != nil {
			return err
		}
		pieces := (len(x) + writePiece - 1) / writePiece
		err = dist.Funnel(c, func(yield func([]byte) bool) {
			for k := 0; k < pieces && yield(bytes.Join(opt.formatted(column, x, k, min(k+sentPieces, pieces)), nil)); k += sentPieces {
			}
		}, put)
	}
	return agree(c, err)
}

// sentPieces is how many pieces are sent at a time.
const sentPieces = 32

// formatted returns the texts of pieces from to end-1 of x, the elements of a column.
func (o WriteOptions) formatted(column int, x []float64, from, end int) [][]byte {
	texts := make([][]byte, end-from)
	inTurn(o.threads(), len(texts), func(k int) {
		if o.Digits == nil {
			texts[k] = appendValues(nil, pieceOf(x, from+k), o.Pairs)
			return
		}
		first := (from + k) * writePiece
		texts[k] = appendPrecise(nil, o.At, first, min(first+writePiece, len(x)), column, o.Digits[column])
	})
	return texts
}

// pieceOf returns the values of piece k.
func pieceOf(x []float64, k int) []float64 {
	return x[k*writePiece : min((k+1)*writePiece, len(x))]
}

// appendValues appends the lines of values, or of pairs of them.
func appendValues(buf []byte, values []float64, pairs bool) []byte {
	for k, v := range values {
		buf = strconv.AppendFloat(buf, v, 'g', -1, 64)
		if pairs && k%2 == 0 {
			buf = append(buf, ' ')
		} else {
			buf = append(buf, '\n')
		}
	}
	return buf
}

// denseHead returns the lines above the values of an array.
func denseHead(rows int64, cols int, opt WriteOptions) []byte {
	var b bytes.Buffer
	h := Header{Format: Array}
	if opt.Pairs {
		h.Field = Complex
	}
	writePreamble(&b, h, opt.Comments)
	fmt.Fprintf(&b, "%d %d\n", rows, cols)
	return b.Bytes()
}

// threads returns the number of goroutines that format.
func (o WriteOptions) threads() int {
	if o.Threads > 0 {
		return o.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// sumBefore returns the sum of n over the ranks before this one, and over all. Collective.
func sumBefore(c dist.Comm, n int64) (before, all int64) {
	for r, b := range c.Gather(dist.Bytes([]int64{n})) {
		k := dist.Numbers[int64](b)[0]
		if r < c.Rank() {
			before += k
		}
		all += k
	}
	return before, all
}
