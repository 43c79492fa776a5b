package adaptive

import (
	"errors"
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/pkg/formats"
)

// bucketed is a matrix in bucketed CSR [Molina24]: the rows of each format by themselves,
//
//	(A x)_i = 2^exp_i sum over buckets k, sum over j of a_kij x_j,
//
// with 4-byte indices and row offsets.
type bucketed struct {
	unprepared
	kernels    *kernels.Set
	rows, cols int
	tol        *packed.Tolerances
	buckets    []Bucket // in the order of products
	byTheta    int      // number of the first ones that are stored by theta
	float32    bool     // StorageArithmetic
}

// Bucket is the elements of one format in the layout Bucketed, as CSR.
type Bucket struct {
	Codec   formats.Codec
	ByTheta bool     // values are multiples of the row's theta
	RowPtr  []uint32 // one more than rows
	Col     []int32
	Values  []byte // in the codec's words, formats.Padding bytes longer than they are
}

// Buckets implements Matrix.
func (a *matrix) Buckets() []Bucket {
	if s, ok := a.stored.(*bucketed); ok {
		return s.buckets
	}
	return nil
}

// Units implements Matrix.
func (a *matrix) Units() (theta []float64, exp []int32) { return a.tol.Theta, a.tol.Exp }

// assigned is the buckets of the elements of a matrix.
type assigned struct {
	bucket []int8     // of each element, none if it is not stored
	ptr    [][]uint32 // of each bucket, the offsets of the rows; nil if it is empty
	nnz    int        // nonzeros of the matrix
}

// assign decides on the format of each element.
func (b *builder) assign() (a assigned, err error) {
	a.bucket = make([]int8, b.m.NNZ())
	a.ptr = make([][]uint32, len(b.part.Codecs))
	for k := range a.ptr {
		a.ptr[k] = make([]uint32, b.m.Rows+1)
	}
	nonzeros := make([]int, len(b.panels)-1)
	b.pool.RunRanges(b.panels, func(panel, lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, vals := b.m.Row(i)
			row := a.bucket[b.m.RowPtr[i]:b.m.RowPtr[i+1]]
			b.part.Assign(row, i, cols, vals)
			for k, to := range row {
				if to != packed.None {
					a.ptr[to][i+1]++
				}
				if vals[k] != 0 {
					nonzeros[panel]++
				}
			}
		}
	})
	for _, n := range nonzeros {
		a.nnz += n
	}
	for k, p := range a.ptr {
		sum := addUp(p)
		if sum > math.MaxUint32 {
			return a, fmt.Errorf("adaptive: %d elements in %s; at most 2^32-1 fit", sum, b.part.Codecs[k].Name)
		}
		if sum == 0 {
			a.ptr[k] = nil
		}
	}
	return a, nil
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

// bucketed stores the matrix in bucketed CSR.
func (b *builder) bucketed(c choice) (Matrix, error) {
	from, err := b.assign()
	if err != nil {
		return nil, err
	}
	s := &bucketed{kernels: b.kernels, rows: b.m.Rows, cols: b.m.Cols, tol: b.part.Tol, float32: b.spec.StorageArithmetic}
	to := make([]*Bucket, len(b.part.Codecs))
	s.buckets = make([]Bucket, 0, len(to))
	for _, byTheta := range [...]bool{true, false} {
		for k, p := range from.ptr {
			if p == nil || b.part.Class(k).ByTheta != byTheta {
				continue
			}
			codec, nnz := b.part.Codecs[k], int(p[b.m.Rows])
			s.buckets = append(s.buckets, Bucket{codec, byTheta, p, make([]int32, nnz), make([]byte, nnz*codec.Bytes+formats.Padding)})
			to[k] = &s.buckets[len(s.buckets)-1]
		}
		if byTheta {
			s.byTheta = len(s.buckets)
		}
	}
	faults := make([]error, len(b.panels)-1)
	b.pool.RunRanges(b.panels, func(panel, lo, hi int) { faults[panel] = b.fill(to, from.bucket, lo, hi) })
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	a := newMatrix(b, c, s)
	a.stats = bucketStats(b, from)
	return a, nil
}

// fill encodes the rows of one panel.
func (b *builder) fill(to []*Bucket, bucket []int8, lo, hi int) error {
	values := make([][]float64, len(to))
	for k, t := range to {
		if t != nil {
			values[k] = make([]float64, 0, t.RowPtr[hi]-t.RowPtr[lo])
		}
	}
	for i := lo; i < hi; i++ {
		exp, theta := b.part.Tol.Row(i)
		for k := b.m.RowPtr[i]; k < b.m.RowPtr[i+1]; k++ {
			n := bucket[k]
			if n == packed.None {
				continue
			}
			t := to[n]
			t.Col[int(t.RowPtr[lo])+len(values[n])] = b.m.Col[k]
			values[n] = append(values[n], b.part.Class(int(n)).Value(dd.Ldexp(b.m.Val[k], -exp), theta))
		}
	}
	for k, t := range to {
		if t == nil {
			continue
		}
		w := t.Codec.Bytes
		if err := t.Codec.Encode(t.Values[int(t.RowPtr[lo])*w:int(t.RowPtr[hi])*w], values[k]); err != nil {
			return fmt.Errorf("adaptive: rows %d to %d: %w", lo+1, hi, err)
		}
	}
	return nil
}

func (s *bucketed) Dims() (rows, cols int) { return s.rows, s.cols }

func (s *bucketed) bytes() (n int64) {
	for _, b := range s.buckets {
		n += int64(4*len(b.RowPtr) + 4*len(b.Col) + len(b.Values))
	}
	return n
}

// MulRows adds up the products with all buckets.
func (s *bucketed) MulRows(dst []float64, _, lo, hi int, x []float64) {
	clear(dst[lo:hi])
	s.add(dst, s.buckets[:s.byTheta], lo, hi, x)
	if s.byTheta > 0 {
		theta := s.tol.Theta
		for i := lo; i < hi; i++ {
			dst[i] *= theta[min(i, len(theta)-1)]
		}
	}
	s.add(dst, s.buckets[s.byTheta:], lo, hi, x)
	s.tol.Scale(dst[lo:hi], lo, 0)
}

func (s *bucketed) add(dst []float64, buckets []Bucket, lo, hi int, x []float64) {
	for k := range buckets {
		b := &buckets[k]
		if s.float32 && b.Codec.Kind == formats.Head32 {
			s.kernels.AddRows32(dst, lo, hi, b.RowPtr, b.Col, b.Codec.Words(), b.Values, x)
		} else {
			s.kernels.AddRows(dst, lo, hi, b.RowPtr, b.Col, b.Codec.Words(), b.Values, x)
		}
	}
}
