package adaptive

import (
	"errors"
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// builder makes a Matrix: in buckets in two passes over the nonzeros, count and then
// fill, and in slots in one, see slotBuilder.
type builder struct {
	m      *csr.Matrix
	part   *partition
	codecs []formats.Codec
	panels []int
	pool   *linop.Pool
	old    *slotMatrix // whose memory may be used
	nnz    int         // nonzeros of m, known after count

	mirrored bool // m may be symmetric as it is stored
}

func newBuilder(m *csr.Matrix, s Spec, pool *linop.Pool) (*builder, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.criterion() == Exact && len(s.X) != m.Cols {
		return nil, fmt.Errorf("adaptive: x has %d elements, the matrix %d columns", len(s.X), m.Cols)
	}
	panels := csr.Panels(m)
	tol, err := newTolerances(m, s, panels, pool)
	if err != nil {
		return nil, err
	}
	part := newPartition(s, tol)
	return &builder{m: m, part: part, codecs: part.codecs(), panels: panels, pool: pool}, nil
}

// row calls visit for each element of row i with its value and bucket; the
// diagonal and the largest element are never dropped.
func (b *builder) row(i int, visit func(col int32, value float64, bucket int)) {
	cols, vals := b.m.Row(i)
	largest := 0
	for k, v := range vals {
		if math.Abs(v) > math.Abs(vals[largest]) {
			largest = k
		}
	}
	for k, v := range vals {
		j := cols[k]
		value, bucket := b.part.element(v, i, int(j), k == largest || int(j) == i)
		visit(j, value, bucket)
	}
}

// count returns, for each bucket, the offsets of the rows.
func (b *builder) count() ([][]uint32, error) {
	ptr := make([][]uint32, len(b.codecs))
	for k := range ptr {
		ptr[k] = make([]uint32, b.m.Rows+1)
	}
	zeros := make([]int, len(b.panels)-1)
	b.pool.RunRanges(b.panels, func(panel, lo, hi int) {
		for i := lo; i < hi; i++ {
			b.row(i, func(_ int32, _ float64, bucket int) {
				if bucket != none {
					ptr[bucket][i+1]++
				}
			})
			_, vals := b.m.Row(i)
			for _, v := range vals {
				if v == 0 {
					zeros[panel]++
				}
			}
		}
	})
	b.nnz = b.m.NNZ()
	for _, n := range zeros {
		b.nnz -= n
	}
	for k, p := range ptr {
		sum := addUp(p)
		if sum > math.MaxUint32 {
			return nil, fmt.Errorf("adaptive: %d elements in %s; at most 2^32-1 fit", sum, b.codecs[k].Name)
		}
		if sum == 0 {
			ptr[k] = nil
		}
	}
	return ptr, nil
}

// addUp makes offsets of the lengths of rows, each at the index behind its row, and
// returns their sum; if it exceeds 2^32-1, the offsets are not usable.
func addUp(p []uint32) (sum uint64) {
	for i := range p {
		sum += uint64(p[i])
		p[i] = uint32(sum)
	}
	return sum
}

// Build stores m as the spec says, on the threads of pool. It is an error if
// the spec is faulty, an element is not finite, or a uniform format does not
// have the range that the elements need.
func Build(m *csr.Matrix, s Spec, pool *linop.Pool) (*Matrix, error) { return Rebuild(nil, m, s, pool) }

// Rebuild is Build in the memory of a matrix that is no longer needed, as far as
// that is of use; old is not valid afterwards.
func Rebuild(old *Matrix, m *csr.Matrix, s Spec, pool *linop.Pool) (*Matrix, error) {
	b, err := newBuilder(m, s, pool)
	if err != nil {
		return nil, err
	}
	if old != nil {
		b.old, old.slots = old.slots, nil
	}
	chosen := b.choose()
	switch {
	case chosen.layout == CSR:
		return b.plain(chosen), nil
	case chosen.layout.slotted():
		return b.slotted(chosen)
	}
	ptr, err := b.count()
	if err != nil {
		return nil, err
	}
	a := newMatrix(b, chosen)
	place := make([]int, len(b.codecs)) // bucket of the partition -> of the matrix
	for k, p := range ptr {
		if p == nil {
			continue
		}
		place[k] = len(a.buckets)
		nnz := int(p[m.Rows])
		a.buckets = append(a.buckets, bucket{
			codec: b.codecs[k], rowPtr: p, byTheta: b.byTheta(k),
			col: make([]int32, nnz), val: make([]byte, nnz*b.codecs[k].Bytes+formats.Padding),
		})
	}
	faults := make([]error, len(b.panels)-1)
	pool.RunRanges(b.panels, func(panel, lo, hi int) { faults[panel] = b.fill(a, place, lo, hi) })
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	a.stats = stats(b, ptr)
	return a, nil
}

// plain is the matrix in FP64 CSR.
func (b *builder) plain(c choice) *Matrix {
	nnz := 0
	for _, v := range b.m.Val {
		if v != 0 {
			nnz++
		}
	}
	a := newMatrix(b, c)
	a.plain = linop.NewCSR(b.m, b.pool)
	a.stats = Stats{
		Formats: []FormatStats{{format("FP64"), nnz, b.m.Bytes()}},
		NNZ:     nnz, Bytes: b.m.Bytes(),
	}
	return a
}

// byTheta tells whether the values of a bucket are in units of theta.
func (b *builder) byTheta(bucket int) bool {
	for _, q := range b.part.places {
		if bucket == q.bucket || bucket == q.bucket+1 && !q.codec.Signed {
			return q.byTheta
		}
	}
	return false
}

// fill encodes the rows of one panel.
func (b *builder) fill(a *Matrix, place []int, lo, hi int) error {
	values := make([][]float64, len(a.buckets))
	for k := range a.buckets {
		p := a.buckets[k].rowPtr
		values[k] = make([]float64, 0, p[hi]-p[lo])
	}
	for i := lo; i < hi; i++ {
		b.row(i, func(col int32, value float64, from int) {
			if from == none {
				return
			}
			k := place[from]
			to := &a.buckets[k]
			to.col[int(to.rowPtr[lo])+len(values[k])] = col
			values[k] = append(values[k], value)
		})
	}
	for k := range a.buckets {
		to := &a.buckets[k]
		w := to.codec.Bytes
		if err := to.codec.Encode(to.val[int(to.rowPtr[lo])*w:int(to.rowPtr[hi])*w], values[k]); err != nil {
			return fmt.Errorf("adaptive: rows %d to %d: %w", lo+1, hi, err)
		}
	}
	return nil
}
