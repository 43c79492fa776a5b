package matrixio

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// readMPX reads the arrays into memory, and verifies the checksum of each block while it is in the cache, on all threads.
// Files are read, not mapped: one that is changed or cut while it is mapped would change or end a solve.
func readMPX(s *source) (*matrixmarket.Content, error) {
	at, size, err := s.random()
	if err != nil {
		return nil, err
	}
	var h mpxHead
	head := make([]byte, mpxHeader)
	if n, err := at.ReadAt(head, 0); n < mpxHeader {
		return nil, s.faultAt(int64(n), "the file ends within the header: %v", err)
	}
	if wrong := h.decode(head); wrong != "" {
		return nil, s.faultAt(0, "%s", wrong)
	}
	l := h.layout()
	if size != l.size {
		return nil, s.faultAt(size, "the file has %d bytes, want %d: it has been cut or added to", size, l.size)
	}
	if err := s.dims(h.Header, h.rows, h.cols); err != nil {
		return nil, err
	}
	if err := s.opt.Fits(s.in.Name, size, float64(size), "a %d x %d matrix with %d entries", h.rows, h.cols, h.entries); err != nil {
		return nil, err
	}
	a := newMPXArrays(&h)
	if err := a.read(s, at, &l); err != nil {
		return nil, err
	}
	return a.content(s, &h)
}

// mpxArrays are the arrays of a file in memory.
type mpxArrays struct {
	ptr       []int64
	col       []int32
	val, imag []float64
	pieces    []mpxPiece
	nonFinite atomic.Int64 // of val and imag
}

// mpxPiece is where in the file the bytes of an array are.
type mpxPiece struct {
	at    int64
	bytes []byte
}

func newMPXArrays(h *mpxHead) *mpxArrays {
	l, a := h.layout(), &mpxArrays{}
	if h.Format == matrixmarket.Coordinate {
		a.ptr, a.col = make([]int64, h.rows+1), make([]int32, h.entries)
		a.pieces = append(a.pieces, mpxPiece{l.ptr, bytesOf(a.ptr)}, mpxPiece{l.col, bytesOf(a.col)})
	}
	a.val = make([]float64, h.entries)
	a.pieces = append(a.pieces, mpxPiece{l.val, bytesOf(a.val)})
	if h.Field == matrixmarket.Complex {
		a.imag = make([]float64, h.entries)
		a.pieces = append(a.pieces, mpxPiece{l.imag, bytesOf(a.imag)})
	}
	return a
}

// bytesOf is the memory of numbers.
func bytesOf[T int64 | int32 | float64](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}

// read reads the blocks on all threads. The fault it returns is the first of the file.
func (a *mpxArrays) read(s *source, in io.ReaderAt, l *mpxLayout) error {
	sums := make([]byte, l.size-l.sums)
	if _, err := in.ReadAt(sums, l.sums); err != nil {
		return s.faultAt(l.sums, "the checksums cannot be read: %v", err)
	}
	if err := s.checkSums(sums, l); err != nil {
		return err
	}
	var next atomic.Int64
	var mu sync.Mutex
	first, fault := l.blocks(), error(nil)
	var wg sync.WaitGroup
	for range min(int64(s.threads()), l.blocks()) {
		wg.Go(func() {
			for k := next.Add(1) - 1; k < l.blocks() && s.ctx.Err() == nil; k = next.Add(1) - 1 {
				if err := a.block(s, l, k, sums, in); err != nil {
					mu.Lock()
					if k < first {
						first, fault = k, err
					}
					mu.Unlock()
					return
				}
			}
		})
	}
	wg.Wait()
	if fault == nil {
		fault = s.ctx.Err()
	}
	return fault
}

// block reads block k and verifies its checksum.
func (a *mpxArrays) block(s *source, l *mpxLayout, k int64, sums []byte, in io.ReaderAt) error {
	from := mpxHeader + k*mpxBlock
	to := min(from+mpxBlock, l.sums)
	var padding [mpxAlign]byte
	crc := uint32(0)
	for at := from; at < to; {
		part := a.at(at, to, padding[:])
		if _, err := in.ReadAt(part, at); err != nil {
			return s.faultAt(at, "the file cannot be read: %v", err)
		}
		crc = crc32.Update(crc, castagnoli, part)
		if at >= l.val {
			a.nonFinite.Add(countNonFinite(part))
		}
		at += int64(len(part))
	}
	if want := binary.LittleEndian.Uint32(sums[4*k:]); crc != want {
		return s.faultAt(from, "the next %d bytes are damaged: their checksum is %08x, want %08x", to-from, crc, want)
	}
	return nil
}

// at is the memory for the bytes from at to to-1 of the file, or for the first of them: of an array, or of the padding behind it.
func (a *mpxArrays) at(at, to int64, padding []byte) []byte {
	for _, p := range a.pieces {
		switch end := p.at + int64(len(p.bytes)); {
		case at < p.at:
			return padding[:min(to, p.at)-at]
		case at < end:
			return p.bytes[at-p.at : min(to, end)-p.at]
		}
	}
	return padding[:min(to-at, int64(len(padding)))]
}

// checkSums verifies the checksum of the checksums.
func (s *source) checkSums(sums []byte, l *mpxLayout) error {
	n := len(sums) - 4
	if crc32.Checksum(sums[:n], castagnoli) != binary.LittleEndian.Uint32(sums[n:]) {
		return s.faultAt(l.sums, "the checksums are damaged")
	}
	return nil
}

// content checks the matrix.
func (a *mpxArrays) content(s *source, h *mpxHead) (*matrixmarket.Content, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		a.swap()
	}
	if h.Format == matrixmarket.Array {
		c := s.dense(h.rows, h.cols, a.val, a.imag)
		c.Header = h.Header
		return c, nil
	}
	m := &csr.Matrix{Rows: int(h.rows), Cols: int(h.cols), RowPtr: a.ptr, Col: a.col, Val: a.val}
	if err := s.checkMatrix(m); err != nil {
		return nil, err
	}
	c := matrixmarket.NewContent(s.in.Name, s.bytes(), h.Header, m.Rows, m.Cols, s.opt)
	c.SetMatrix(m, a.imag, a.nonFinite.Load())
	return c, nil
}

// swap turns numbers around, on machines that are big endian.
func (a *mpxArrays) swap() {
	for _, p := range a.pieces {
		size := 8
		if len(a.col) > 0 && len(p.bytes) == 4*len(a.col) && &p.bytes[0] == &bytesOf(a.col)[0] {
			size = 4
		}
		for b := p.bytes; len(b) > 0; b = b[size:] {
			slices.Reverse(b[:size])
		}
	}
}

// countNonFinite counts float64 that are NaN or infinite, given as they are in the file.
func countNonFinite(b []byte) (n int64) {
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b)>>52&0x7ff == 0x7ff {
			n++
		}
	}
	return n
}

// checkMatrix is csr.Matrix.Validate, on all threads.
func (s *source) checkMatrix(m *csr.Matrix) error {
	parts := s.threads()
	faults := make([]string, parts)
	if wrong := checkLines(m.RowPtr, int64(len(m.Col))); wrong != "" {
		return s.faultAt(mpxHeader, "row offsets: %s", wrong)
	}
	var wg sync.WaitGroup
	for k := range parts {
		wg.Go(func() { faults[k] = checkColumns(m, m.Rows*k/parts, m.Rows*(k+1)/parts) })
	}
	wg.Wait()
	for _, wrong := range faults {
		if wrong != "" {
			return s.faultAt(mpxHeader, "%s", wrong)
		}
	}
	return nil
}

// checkColumns checks that the columns of rows from to to-1 increase and are in range: "" or what is wrong.
func checkColumns(m *csr.Matrix, from, to int) string {
	for i := from; i < to; i++ {
		last := int32(-1)
		cols, _ := m.Row(i)
		for _, j := range cols {
			if j <= last || int(j) >= m.Cols {
				return fmt.Sprintf("row %d: column %d after %d, of %d columns: want increasing ones", i+1, int64(j)+1, int64(last)+1, m.Cols)
			}
			last = j
		}
	}
	return ""
}
