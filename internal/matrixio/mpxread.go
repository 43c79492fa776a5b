package matrixio

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// readMPX maps the file if allowed, or reads its arrays into memory. It verifies the checksum of each block while the
// block is in the cache, on all threads.
func readMPX(s *source) (*matrixmarket.Content, error) {
	at, size, err := s.random()
	if err != nil {
		return nil, err
	}
	b, err := s.mpxHead(at, size)
	if err != nil {
		return nil, err
	}
	h := &b.head
	if err := s.opt.Fits(s.in.Name, size, float64(size), "a %d x %d matrix with %d entries", h.rows, h.cols, h.entries); err != nil {
		return nil, err
	}
	a := newMPXArrays(h, s.mapped(h.rows, b.sums))
	if err := a.read(s, b); err != nil {
		return nil, err
	}
	c := a.content(s, h)
	if a.mapped != nil {
		c.Intact = a.mapped.Intact
	}
	return c, nil
}

// mpxBlocks are the blocks of a file, each with its checksum.
type mpxBlocks struct {
	mpxLayout
	head    mpxHead
	in      io.ReaderAt
	checks  []byte
	kernels *kernels.Set
}

// mpxHead reads the header, and checks it.
func (s *source) mpxHead(at io.ReaderAt, size int64) (*mpxBlocks, error) {
	b := &mpxBlocks{in: at, kernels: kernels.Default()}
	head := make([]byte, mpxHeader)
	if n, err := at.ReadAt(head, 0); n < mpxHeader {
		return nil, s.faultAt(int64(n), "the file ends within the header: %v", err)
	}
	if wrong := b.head.decode(head); wrong != "" {
		return nil, s.faultAt(0, "%s", wrong)
	}
	b.mpxLayout = b.head.layout()
	if size != b.size {
		return nil, s.faultAt(size, "the file has %d bytes, want %d: it has been cut or added to", size, b.size)
	}
	return b, s.dims(b.head.Header, b.head.rows, b.head.cols)
}

// readSums reads the checksums, and verifies theirs.
func (b *mpxBlocks) readSums(s *source) error {
	b.checks = make([]byte, b.size-b.sums)
	if _, err := b.in.ReadAt(b.checks, b.sums); err != nil {
		return s.faultAt(b.sums, "the checksums cannot be read: %v", err)
	}
	n := len(b.checks) - 4
	if crc32.Checksum(b.checks[:n], castagnoli) != binary.LittleEndian.Uint32(b.checks[n:]) {
		return s.faultAt(b.sums, "the checksums are damaged")
	}
	return nil
}

// bounds returns where block k begins and ends.
func (b *mpxBlocks) bounds(k int64) (from, to int64) {
	from = mpxHeader + k*mpxBlock
	return from, min(from+mpxBlock, b.sums)
}

// read reads block k, unless it is in memory already, and verifies its checksum.
func (b *mpxBlocks) read(s *source, k int64, part []byte, there bool) error {
	from, _ := b.bounds(k)
	if !there {
		if _, err := b.in.ReadAt(part, from); err != nil {
			return s.faultAt(from, "the file cannot be read: %v", err)
		}
	}
	if crc, want := b.kernels.CRC32C(part), binary.LittleEndian.Uint32(b.checks[4*k:]); crc != want {
		return s.faultAt(from, "the next %d bytes are damaged: their checksum is %08x, want %08x", len(part), crc, want)
	}
	if !littleEndian {
		swap(part, &b.mpxLayout, from)
	}
	return nil
}

// mapped maps the first n bytes of the file, which has so many rows. It returns nil if mapping was not requested, is impossible, or would
// give numbers in the wrong byte order.
func (s *source) mapped(rows, n int64) *Mapping {
	if f, plain := s.in.At.(*os.File); plain && littleEndian && s.opt.Map != nil && s.opt.Map(rows) {
		return Map(f, n)
	}
	return nil
}

// littleEndian says that numbers in memory have the byte order of files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// mpxArrays are the arrays of a file in memory.
type mpxArrays struct {
	file      []byte   // without the checksums
	mapped    *Mapping // nil: the file is read into memory
	kernels   *kernels.Set
	ptr       []int64
	col       []int32
	row       int64 // the first, of part of a matrix
	cols      int32 // of the matrix
	val, imag []float64
}

// newMPXArrays returns memory for a file, or its mapping, with the positions of the arrays.
func newMPXArrays(h *mpxHead, mapped *Mapping) *mpxArrays {
	l := h.layout()
	a := &mpxArrays{mapped: mapped, kernels: kernels.Default(), cols: int32(h.cols)}
	if mapped != nil {
		a.file = mapped.Bytes
	} else {
		memory := make([]uint64, (l.sums+7)/8) // large ones begin at a multiple of 64
		a.file = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(memory))), l.sums)
		host.LargePages(a.file)
	}
	if h.Format == matrixmarket.Coordinate {
		a.ptr, a.col = numbersAt[int64](a.file, l.ptr, h.rows+1), numbersAt[int32](a.file, l.col, h.entries)
	}
	a.val = numbersAt[float64](a.file, l.val, h.entries)
	if h.Field == matrixmarket.Complex {
		a.imag = numbersAt[float64](a.file, l.imag, h.entries)
	}
	return a
}

// numbersAt returns n numbers of the memory from a byte on.
func numbersAt[T int64 | int32 | float64](memory []byte, at, n int64) []T {
	if n == 0 {
		return []T{}
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&memory[at])), n)
}

// read reads the blocks on all threads: first the blocks of row offsets, with which columns are checked while they
// are in the cache.
func (a *mpxArrays) read(s *source, b *mpxBlocks) error {
	l := &b.mpxLayout
	if err := b.readSums(s); err != nil {
		return err
	}
	offsets := int64(0) // number of blocks with row offsets
	if len(a.ptr) > 0 {
		offsets = (l.col - mpxHeader + mpxBlock - 1) / mpxBlock
	}
	each := func(k int64) error {
		from, to := b.bounds(k)
		return b.read(s, k, a.file[from:to], a.mapped != nil)
	}
	rise := make([]bool, offsets)
	if err := s.onThreads(0, offsets, func(k int64) error {
		err := each(k)
		rise[k] = err == nil && a.kernels.OffsetsRise(a.ptr[numberIn(k, l.ptr, 8, a.ptr):numberIn(k+1, l.ptr, 8, a.ptr)])
		return err
	}); err != nil {
		return err
	}
	if offsets == 0 {
		return s.onThreads(0, l.blocks(), each)
	}
	if wrong := a.checkOffsets(l, rise); wrong != "" {
		return s.faultAt(l.ptr, "row offsets: %s", wrong)
	}
	check := func(lo, hi int64) error {
		if at, wrong := a.checkColumns(lo, hi); wrong != "" {
			return s.faultAt(l.col+4*at, "%s", wrong)
		}
		return nil
	}
	first := func(k int64) int64 { return numberIn(k, l.col, 4, a.col) }
	if err := check(0, first(offsets)); err != nil {
		return err
	}
	if err := s.onThreads(offsets, l.blocks(), func(k int64) error {
		if err := each(k); err != nil {
			return err
		}
		return check(first(k), first(k+1))
	}); err != nil {
		return err
	}
	for k := offsets; k < l.blocks(); k++ { // rows that lie in several blocks
		if at := first(k); at > 0 && at < int64(len(a.col)) {
			if err := check(at-1, at+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// numberIn returns the index in an array, which begins at that byte of the file, of the first number in or after
// block k.
func numberIn[T any](k, array, bytes int64, numbers []T) int64 {
	return max(0, min((mpxHeader+k*mpxBlock-array)/bytes, int64(len(numbers))))
}

// checkOffsets checks row offsets; rise says for each block whether its offsets increase. It returns "" or what is
// wrong.
func (a *mpxArrays) checkOffsets(l *mpxLayout, rise []bool) string {
	good := a.ptr[0] == 0 && a.ptr[len(a.ptr)-1] == int64(len(a.col)) && !slices.Contains(rise, false)
	for k := range rise {
		if at := numberIn(int64(k), l.ptr, 8, a.ptr); at > 0 && at < int64(len(a.ptr)) {
			good = good && a.ptr[at-1] <= a.ptr[at]
		}
	}
	if good {
		return ""
	}
	return checkLines(a.ptr, int64(len(a.col)))
}

// checkColumns checks that columns lo to hi-1 are in range and increase within rows. It returns "" or what is wrong, and which column is.
func (a *mpxArrays) checkColumns(lo, hi int64) (at int64, wrong string) {
	if lo >= hi {
		return 0, ""
	}
	row := sort.Search(len(a.ptr)-1, func(i int) bool { return a.ptr[i+1] > lo })
	next := a.ptr[row+1:]
	next = next[:sort.Search(len(next), func(i int) bool { return next[i] >= hi })]
	if a.kernels.ColumnsRise(a.col[lo:hi], next, lo, a.cols) {
		return 0, ""
	}
	for at = lo; at < hi; row++ {
		last := int32(-1)
		for end := min(a.ptr[row+1], hi); at < end; at++ {
			j := a.col[at]
			if j <= last || j >= a.cols {
				return at, fmt.Sprintf("row %d: column %d after %d, of %d columns: want increasing ones", a.row+int64(row)+1, int64(j)+1, int64(last)+1, a.cols)
			}
			last = j
		}
	}
	return 0, ""
}

// onThreads calls f for from to to-1 on all threads. It returns the error of the smallest number that has one.
func (s *source) onThreads(from, to int64, f func(k int64) error) error {
	var next atomic.Int64
	next.Store(from)
	var mu sync.Mutex
	first, fault := to, error(nil)
	var wg sync.WaitGroup
	for range min(int64(s.threads()), to-from) {
		wg.Go(func() {
			for k := next.Add(1) - 1; k < to && s.ctx.Err() == nil; k = next.Add(1) - 1 {
				if err := f(k); err != nil {
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

// swap reverses the bytes of numbers from a position of the file on, on big-endian machines.
func swap(part []byte, l *mpxLayout, at int64) {
	for n := 0; n < len(part); {
		size := 8
		if here := at + int64(n); here >= l.col && here < l.val && l.col > 0 {
			size = 4
		}
		slices.Reverse(part[n : n+size])
		n += size
	}
}

// content returns the content of arrays that have been checked.
func (a *mpxArrays) content(s *source, h *mpxHead) *matrixmarket.Content {
	if h.Format == matrixmarket.Array {
		c := s.dense(h.rows, h.cols, a.val, a.imag)
		c.Header = h.Header
		return c
	}
	m := &csr.Matrix{Rows: int(h.rows), Cols: int(h.cols), RowPtr: a.ptr, Col: a.col, Val: a.val}
	c := matrixmarket.NewContent(s.in.Name, s.bytes(), h.Header, m.Rows, m.Cols, s.opt)
	c.SetMatrix(m, a.imag, h.nonFinite)
	return c
}
