package matrixmarket

import (
	"fmt"
	"io"
	"math/big"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

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
		for i := first; i < min(first+writePiece, rows); i++ {
			buf = at(i, column).Append(buf, 'e', digits[column]-1)
			buf = append(buf, '\n')
		}
		return buf
	})
}
