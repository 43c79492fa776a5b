package packed

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Integers is a range of rows as integer multiples of their quanta. Elements that round to zero are left out: they
// are dropped, or tiny if they must be kept.
type Integers struct {
	Items
	Tiny []Tiny // in the order of the rows
	NNZ  int    // nonzeros of the rows, including dropped ones

	// Float says that M has the bits of float64 numbers, not integers: some row of a lossless set is wide.
	Float bool

	Lo, Cols int     // first row, and the columns of the matrix
	ownCol   []int32 // Col, if it has its own memory
}

// Quantize fills in rows lo to hi-1 of m, which have fewer than 2^31 elements, by a partition of AFX. It reuses the
// memory of the slices.
func (q *Integers) Quantize(m *csr.Matrix, p *Partition, lo, hi int) {
	q.Lo, q.Cols = lo, m.Cols
	q.Block, q.Rows = 1, hi-lo
	q.Tiny = q.Tiny[:0]
	start := m.RowPtr[lo]
	col, val := m.Col[start:m.RowPtr[hi]], m.Val[start:m.RowPtr[hi]]
	q.NNZ = len(val)
	q.M, q.Width = Grow(q.M, len(val)), GrowWidths(q.Width, len(val))
	zeros := 0
	if q.Float = p.Tol.wide(lo, hi); q.Float {
		for i := lo; i < hi; i++ {
			zeros += q.numbers(p, val[m.RowPtr[i]-start:m.RowPtr[i+1]-start], int(m.RowPtr[i]-start), i)
		}
	} else if len(p.Tol.Exp) == 1 {
		zeros = q.scaled(p, val, 0, lo)
	} else {
		for i := lo; i < hi; i++ {
			zeros += q.scaled(p, val[m.RowPtr[i]-start:m.RowPtr[i+1]-start], int(m.RowPtr[i]-start), i)
		}
	}
	q.First = Grow(q.First, hi-lo+1)
	for i := range q.First {
		q.First[i] = int32(m.RowPtr[lo+i] - start)
	}
	if q.Col = col; zeros > 0 {
		q.dropZeros(m, p, val)
	}
}

// scaled quantizes the values of row i, or of the rows from i on if all have the same quantum, to the positions from
// `at` on.
func (q *Integers) scaled(p *Partition, val []float64, at, i int) (zeros int) {
	m, width := q.M[at:at+len(val)], q.Width[at:at+len(val)]
	up := p.UnitQuanta - p.Tol.Exponent(i) // m = v 2^up
	if up >= MinNormal && up <= MaxNormal {
		return p.Kernels.Quantize(m, width, val, math.Float64frombits(uint64(up+MaxNormal)<<52))
	}
	for k, v := range val {
		m[k] = int64(math.RoundToEven(dd.Ldexp(v, up)))
		width[k] = kernels.BitsOf(m[k])
		if m[k] == 0 {
			zeros++
		}
	}
	return zeros
}

// numbers stores the values of row i in units of its quantum as float64 numbers, at the positions from `at` on.
func (q *Integers) numbers(p *Partition, val []float64, at, i int) (zeros int) {
	m, width, down := q.M[at:at+len(val)], q.Width[at:at+len(val)], -p.Tol.Exponent(i)
	for k, v := range val {
		if down != 0 {
			v = dd.Ldexp(v, down)
		}
		if v == 0 { // minus zero as well
			v = 0
			zeros++
		}
		m[k], width[k] = int64(math.Float64bits(v)), kernels.FloatItem
	}
	return zeros
}

// dropZeros removes the elements that round to zero, given the values, but keeps those that must be kept.
func (q *Integers) dropZeros(a *csr.Matrix, p *Partition, val []float64) {
	col := q.Col
	q.Col = Grow(q.ownCol, len(col))
	q.ownCol = q.Col
	n := int32(0)
	for i := range q.Rows {
		lo, hi := q.First[i], q.First[i+1]
		q.First[i] = n
		zeros, diagonal := 0, false
		for k := lo; k < hi; k++ {
			m, j := q.M[k], col[k]
			if m == 0 {
				v := val[k]
				zeros++
				switch {
				case v == 0:
					q.NNZ--
					continue
				case int(j) == p.Diagonal+q.Lo+i:
					diagonal = true
					q.keep(p, q.Lo+i, int(j), v)
					continue
				case !p.NoDrop:
					continue
				}
				m = 1
				if v < 0 {
					m = -1
				}
				q.Width[k] = kernels.BitsOf(m)
			}
			q.Col[n], q.M[n], q.Width[n] = j, m, q.Width[k]
			n++
		}
		if zeros == int(hi-lo) {
			n = q.keepLargest(a, p, q.Lo+i, q.First[i], n, diagonal)
		}
	}
	q.First[q.Rows] = n
	q.Col, q.M, q.Width = q.Col[:n], q.M[:n], q.Width[:n]
}

// keep makes the element (i, j) a tiny one.
func (q *Integers) keep(p *Partition, i, j int, v float64) {
	value := dd.Ldexp(v, p.UnitQuanta-p.Tol.Exponent(i))
	if math.Abs(value) < leastFloat32 {
		value = math.Copysign(leastFloat32, value)
	}
	q.Tiny = append(q.Tiny, Tiny{Row: int32(i - q.Lo), Col: int32(j), Value: float32(value)})
}

// keepLargest keeps the largest element of a row whose elements all round to zero; those from start to end-1 are in
// the list nevertheless. It returns the new end.
func (q *Integers) keepLargest(a *csr.Matrix, p *Partition, i int, start, end int32, diagonal bool) int32 {
	cols, vals := a.Row(i)
	largest := 0
	for k, v := range vals {
		if math.Abs(v) > math.Abs(vals[largest]) {
			largest = k
		}
	}
	if len(vals) == 0 || vals[largest] == 0 || int(cols[largest]) == p.Diagonal+i && diagonal {
		return end
	}
	q.keep(p, i, int(cols[largest]), vals[largest])
	to := start
	for k := start; k < end; k++ {
		if q.Col[k] != cols[largest] {
			q.Col[to], q.M[to], q.Width[to] = q.Col[k], q.M[k], q.Width[k]
			to++
		}
	}
	return to
}
