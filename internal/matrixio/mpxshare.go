package matrixio

import (
	"context"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// mpxShare is a real .mpx file of which rows are read.
type mpxShare struct {
	*source
	*mpxBlocks
}

// shareMPX returns a file of which rows can be read; nil if its values are complex.
func shareMPX(s *source) (*matrixmarket.Shared, error) {
	s.wide = true
	b, err := s.mpxHead(s.in.At, s.in.Size)
	if err != nil || b.head.Field == matrixmarket.Complex {
		return nil, err
	}
	if err := b.readSums(s); err != nil {
		return nil, err
	}
	p := &mpxShare{s, b}
	f := &matrixmarket.Shared{
		Header: b.head.Header, Rows: int(b.head.rows), Cols: int(b.head.cols), Entries: b.head.entries,
		Lengths: p.lengths, Read: p.readRows,
	}
	if b.head.Format == matrixmarket.Array {
		f.Lengths, f.Read = nil, p.readDense
	}
	return f, nil
}

// numbersOf reads n numbers, from the k-th of an array on, from all blocks that they lie in, on all threads.
func numbersOf[T int64 | int32 | float64](ctx context.Context, p *mpxShare, array, k, n int64) ([]T, error) {
	v := make([]T, n)
	if n == 0 {
		return v, nil
	}
	width := int64(unsafe.Sizeof(v[0]))
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), width*n)
	from := array + k*width
	to := from + int64(len(bytes))
	s := p.from(ctx, 0)
	return v, s.onThreads((from-mpxHeader)/mpxBlock, (to-1-mpxHeader)/mpxBlock+1, func(k int64) error {
		at, end := p.bounds(k)
		if from <= at && end <= to {
			return p.mpxBlocks.read(s, k, bytes[at-from:end-from], false)
		}
		block := make([]byte, end-at)
		err := p.mpxBlocks.read(s, k, block, false)
		lo, hi := max(at, from), min(end, to)
		copy(bytes[lo-from:], block[lo-at:hi-at])
		return err
	})
}

// lengths passes the differences of row offsets; of the first row, the offset itself is one of them.
func (p *mpxShare) lengths(ctx context.Context, from, to int64, take func(lengths []int64)) error {
	const some = 8 * mpxBlock / 8
	for ; from < to; from += some {
		n := min(some, to-from)
		ptr, err := numbersOf[int64](ctx, p, p.ptr, from, n+1)
		if err != nil {
			return err
		}
		if from == 0 && ptr[0] != 0 {
			ptr[1] = -1 // out of range
		}
		for i := range n {
			ptr[i] = ptr[i+1] - ptr[i]
		}
		take(ptr[:n])
	}
	return nil
}

// readRows reads rows of a sparse matrix.
func (p *mpxShare) readRows(ctx context.Context, from, to, first int64) (*matrixmarket.Content, error) {
	ptr, err := numbersOf[int64](ctx, p, p.ptr, from, to-from+1)
	if err != nil {
		return nil, err
	}
	n := ptr[len(ptr)-1] - first
	for i := range ptr {
		ptr[i] -= first
	}
	if err := p.opt.Fits(p.source.in.Name, p.source.size, float64(csr.Bytes(to-from, n)), "%d rows of a matrix with %d entries", to-from, n); err != nil {
		return nil, err
	}
	a := &mpxArrays{kernels: kernels.Default(), ptr: ptr, row: from, cols: int32(p.head.cols)}
	if a.col, err = numbersOf[int32](ctx, p, p.col, first, n); err != nil {
		return nil, err
	}
	if at, wrong := a.checkColumns(0, n); wrong != "" {
		return nil, p.faultAt(p.col+4*(first+at), "%s", wrong)
	}
	if a.val, err = numbersOf[float64](ctx, p, p.val, first, n); err != nil {
		return nil, err
	}
	h := p.head
	h.rows, h.entries, h.nonFinite = to-from, n, 0
	if p.head.nonFinite > 0 {
		for _, v := range a.val {
			if v-v != 0 {
				h.nonFinite++
			}
		}
	}
	return a.content(p.source, &h), nil
}

// readDense reads rows of a dense matrix, which lie column by column.
func (p *mpxShare) readDense(ctx context.Context, from, to, _ int64) (*matrixmarket.Content, error) {
	if err := p.fitsDense(to-from, p.head.cols, false); err != nil {
		return nil, err
	}
	var all []float64
	for j := range p.head.cols {
		v, err := numbersOf[float64](ctx, p, p.val, j*p.head.rows+from, to-from)
		if err != nil {
			return nil, err
		}
		all = append(all, v...)
	}
	return p.dense(to-from, p.head.cols, all, nil), nil
}
