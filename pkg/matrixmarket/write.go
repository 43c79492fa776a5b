package matrixmarket

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/big"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// WriteOptions control how a matrix is written. The zero value is ready to use.
type WriteOptions struct {
	// Symmetric writes the lower triangle under a symmetric banner. It is an
	// error if the matrix is not exactly symmetric.
	Symmetric bool
	// Comments are written below the banner, a line (or more) each.
	Comments []string
	// Threads is the number of goroutines that format; 0 stands for GOMAXPROCS.
	Threads int
	// Digits, if not nil, are numbers of significant decimal digits of columns: WriteDenseAt and WriteDenseThrough write the numbers At(i, k) of multiple
	// precision, for the elements i of this rank of column k. Several goroutines may call At at the same time.
	Digits []int
	At     func(i, k int) *big.Float
	// Pairs makes WriteDenseAt and WriteDenseThrough write a complex array, of elements that are real and imaginary parts in turn.
	Pairs bool
}

// Write writes a matrix in coordinate format, row by row, with as many digits
// as each value needs to be read back exactly.
func Write(w io.Writer, m *csr.Matrix, opt WriteOptions) error {
	if err := m.Validate(); err != nil {
		return err
	}
	symmetry := General
	if opt.Symmetric {
		if err := checkSymmetric(m); err != nil {
			return err
		}
		symmetry = Symmetric
	}
	return WriteEntries(w, m, nil, symmetry, opt)
}

// WriteEntries is Write for a matrix with a known symmetry, and with imaginary parts unless imag is nil. If the symmetry is not General, it
// writes only the entries on and below the diagonal, or below the diagonal if the matrix is skew-symmetric.
func WriteEntries(w io.Writer, m *csr.Matrix, imag []float64, symmetry Symmetry, opt WriteOptions) error {
	if err := m.Validate(); err != nil {
		return err
	}
	h := Header{Format: Coordinate, Symmetry: symmetry}
	if imag != nil {
		h.Field = Complex
	}
	width := func(i int) int { return m.Cols } // columns of row i that are written
	switch symmetry {
	case Symmetric, Hermitian:
		width = func(i int) int { return i + 1 }
	case SkewSymmetric:
		width = func(i int) int { return i }
	}
	entries := int64(m.NNZ())
	if symmetry != General {
		entries = 0
		for i := range m.Rows {
			cols, _ := m.Row(i)
			n, _ := slices.BinarySearch(cols, int32(width(i)))
			entries += int64(n)
		}
	}
	out := bufio.NewWriter(w)
	writePreamble(out, h, opt.Comments)
	fmt.Fprintf(out, "%d %d %d\n", m.Rows, m.Cols, entries)
	if err := out.Flush(); err != nil {
		return err
	}
	starts := rowPieces(m)
	return inOrder(w, len(starts)-1, opt.Threads, func(buf []byte, k int) []byte {
		for i := starts[k]; i < starts[k+1]; i++ {
			cols, vals := m.Row(i)
			for n, j := range cols {
				if int(j) >= width(i) {
					break
				}
				buf = strconv.AppendInt(buf, int64(i+1), 10)
				buf = append(buf, ' ')
				buf = strconv.AppendInt(buf, int64(j)+1, 10)
				buf = append(buf, ' ')
				buf = strconv.AppendFloat(buf, vals[n], 'g', -1, 64)
				if imag != nil {
					buf = append(buf, ' ')
					buf = strconv.AppendFloat(buf, imag[m.RowPtr[i]+int64(n)], 'g', -1, 64)
				}
				buf = append(buf, '\n')
			}
		}
		return buf
	})
}

// WriteDense writes a rows x cols matrix, given column by column, in array
// format, with as many digits as each value needs to be read back exactly.
// imag holds the imaginary parts; nil: the matrix is real.
func WriteDense(w io.Writer, rows, cols int, colMajor, imag []float64, opt WriteOptions) error {
	if err := checkDense(rows, cols, colMajor, opt); err != nil {
		return err
	}
	if imag == nil {
		opt.Pairs = false
		if _, err := w.Write(denseHead(int64(rows), cols, opt)); err != nil {
			return err
		}
		pieces := (len(colMajor) + writePiece - 1) / writePiece
		return inOrder(w, pieces, opt.Threads, func(buf []byte, k int) []byte { return appendValues(buf, pieceOf(colMajor, k), false) })
	}
	if len(imag) != len(colMajor) {
		return fmt.Errorf("matrixmarket: %d imaginary parts for %d real ones", len(imag), len(colMajor))
	}
	out := bufio.NewWriter(w)
	writePreamble(out, Header{Format: Array, Field: Complex}, opt.Comments)
	fmt.Fprintf(out, "%d %d\n", rows, cols)
	if err := out.Flush(); err != nil {
		return err
	}
	return inOrder(w, (len(colMajor)+writePiece-1)/writePiece, opt.Threads, func(buf []byte, k int) []byte {
		im := pieceOf(imag, k)
		for n, v := range pieceOf(colMajor, k) {
			buf = strconv.AppendFloat(buf, v, 'g', -1, 64)
			buf = append(buf, ' ')
			buf = strconv.AppendFloat(buf, im[n], 'g', -1, 64)
			buf = append(buf, '\n')
		}
		return buf
	})
}

// checkDense checks what WriteDense is given.
func checkDense(rows, cols int, colMajor []float64, opt WriteOptions) error {
	if rows < 0 || cols < 0 || rows > csr.MaxDim || cols > csr.MaxDim || len(colMajor) != rows*cols {
		return fmt.Errorf("matrixmarket: %d values for a %d x %d array", len(colMajor), rows, cols)
	}
	if opt.Symmetric {
		return errors.New("matrixmarket: arrays are written in full, not as a symmetric triangle")
	}
	return nil
}

// writePreamble writes the lines before the size line. Errors stay in the writer until
// it is flushed.
func writePreamble(out io.Writer, h Header, comments []string) {
	fmt.Fprintln(out, h)
	for _, c := range comments {
		c = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(c)
		for line := range strings.SplitSeq(c, "\n") {
			fmt.Fprintln(out, strings.TrimRight("% "+line, " "))
		}
	}
}

// checkSymmetric returns an error unless a matrix is symmetric.
func checkSymmetric(m *csr.Matrix) error {
	if m.Rows != m.Cols {
		return fmt.Errorf("matrixmarket: a %d x %d matrix is not symmetric", m.Rows, m.Cols)
	}
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if int(j) != i && !same(m.At(int(j), i), vals[k]) {
				return fmt.Errorf("matrixmarket: the matrix is not symmetric: entries (%d, %d) and (%d, %d) differ", i+1, j+1, j+1, i+1)
			}
		}
	}
	return nil
}

func same(x, y float64) bool { return x == y || x != x && y != y }

// writePiece is about how many entries are formatted at a time.
const writePiece = 1 << 14

// rowPieces cuts the rows where about writePiece entries are together.
func rowPieces(m *csr.Matrix) []int {
	starts := []int{0}
	if m.Rows == 0 {
		return starts
	}
	next := int64(writePiece)
	for i := 1; i < m.Rows; i++ {
		if m.RowPtr[i] >= next {
			starts = append(starts, i)
			next = m.RowPtr[i] + writePiece
		}
	}
	return append(starts, m.Rows)
}

// inOrder calls format for pieces 0 to n-1 on several goroutines and writes
// what they append to their buffers in order. Only as many buffers exist as
// are being filled or waited for.
func inOrder(w io.Writer, n, threads int, format func(buf []byte, k int) []byte) error {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	threads = max(1, min(threads, n))
	// Worker t formats pieces t, t+threads, ...; taking from the workers in
	// turn restores the order.
	ready := make([]chan []byte, threads)
	spare := make([]chan []byte, threads)
	quit := make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(quit)
	for t := range threads {
		ready[t], spare[t] = make(chan []byte, 1), make(chan []byte, 2)
		spare[t] <- nil
		spare[t] <- nil
		wg.Go(func() {
			for k := t; k < n; k += threads {
				select {
				case buf := <-spare[t]:
					select {
					case ready[t] <- format(buf[:0], k):
					case <-quit:
						return
					}
				case <-quit:
					return
				}
			}
		})
	}
	for k := range n {
		buf := <-ready[k%threads]
		if _, err := w.Write(buf); err != nil {
			return err
		}
		spare[k%threads] <- buf
	}
	return nil
}

// WriteDensePrecise writes a matrix of so many rows, of numbers of multiple precision, in array format, column k with digits[k] significant
// decimal digits. Readers of float64 get the nearest float64 of each number. Several goroutines may call at at the same time.
func WriteDensePrecise(w io.Writer, rows int, digits []int, at func(i, k int) *big.Float, opt WriteOptions) error {
	cols := len(digits)
	if rows < 0 || rows > csr.MaxDim || cols > csr.MaxDim || cols > 0 && slices.Min(digits) < 1 {
		return fmt.Errorf("matrixmarket: a %d x %d array with %v digits", rows, cols, digits)
	}
	if _, err := w.Write(denseHead(int64(rows), cols, opt)); err != nil {
		return err
	}
	pieces := (rows + writePiece - 1) / writePiece
	return inOrder(w, pieces*cols, opt.Threads, func(buf []byte, k int) []byte {
		column, first := k/max(pieces, 1), k%max(pieces, 1)*writePiece
		return appendPrecise(buf, at, first, min(first+writePiece, rows), column, digits[column])
	})
}

// appendPrecise appends the lines of the numbers at(lo, column) to at(hi-1, column).
func appendPrecise(buf []byte, at func(i, k int) *big.Float, lo, hi, column, digits int) []byte {
	for i := lo; i < hi; i++ {
		buf = at(i, column).Append(buf, 'e', digits-1)
		buf = append(buf, '\n')
	}
	return buf
}
