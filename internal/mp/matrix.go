package mp

import (
	"math/bits"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Matrix is a sparse matrix, the exact sum of matrices of float64: of one for a matrix of float64, of more for a
// matrix that was read with more digits. It stores them as integers for kernels.RowLimbs, in 20 bytes a nonzero.
type Matrix struct {
	pool       *parallel.Pool
	rows, cols int
	ptr        []int // of each row in pieces
	piece      []int // the first entry of each piece of a row, which has at most mostEntries; at last the number of entries
	col        []int32
	entries    []uint64
	exp        []int32 // units of the rows: 2^exp
}

// mostEntries is so small that the sum of four limbs of a piece stays below 2^63.
const mostEntries = 500

// entryBits is the number of bits of the largest |a_ij| of a row in the row's unit.
const entryBits = 2 * limbBits

// NewMatrix returns the sum of the parts, which have the same dimensions and are not kept.
func NewMatrix(pool *parallel.Pool, parts ...*csr.Matrix) *Matrix {
	return NewScaledMatrix(pool, csr.NoScaling(parts[0]), parts...)
}

// NewScaledMatrix returns D_r A D_c, where A is the sum of the parts. Its elements may be beyond the range of float64.
func NewScaledMatrix(pool *parallel.Pool, s csr.Scaling, parts ...*csr.Matrix) *Matrix {
	rows, cols := parts[0].Dims()
	nnz := 0
	for _, p := range parts {
		if r, c := p.Dims(); r != rows || c != cols {
			panic("mp: a sum of matrices of different dimensions")
		}
		nnz += p.NNZ()
	}
	a := &Matrix{pool: pool, rows: rows, cols: cols, ptr: make([]int, rows+1), exp: make([]int32, rows)}
	a.col, a.entries = make([]int32, nnz), make([]uint64, 2*nnz)
	first, at := make([]int, rows+1), 0
	for i := range rows {
		a.ptr[i], first[i] = len(a.piece), at
		n := 0
		for _, p := range parts {
			n += int(p.RowPtr[i+1] - p.RowPtr[i])
		}
		for from := 0; from < n; from += mostEntries {
			a.piece = append(a.piece, at+from)
		}
		at += n
	}
	a.ptr[rows], first[rows] = len(a.piece), at
	a.piece = append(a.piece, at)
	pool.RunRanges(blocks(rows), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			a.setRow(i, first[i], s, parts)
		}
	})
	return a
}

// MatrixBytes returns the bytes of memory that NewMatrix needs for so many rows and nonzeros of all parts.
func MatrixBytes(rows, nnz int64) int64 { return 20*nnz + 28*rows + 8*(nnz/mostEntries+1) }

// Dims returns the number of rows and columns.
func (a *Matrix) Dims() (rows, cols int) { return a.rows, a.cols }

// setRow stores row i of the parts from entry `at` on.
func (a *Matrix) setRow(i, at int, s csr.Scaling, parts []*csr.Matrix) {
	top, any := 0, false
	for _, p := range parts {
		cols, vals := p.Row(i)
		for k, v := range vals {
			if m, e, _ := split(v); m != 0 {
				if e += bits.Len64(m) + s.Row[i] + s.Col[cols[k]]; !any || e > top {
					top, any = e, true
				}
			}
		}
	}
	unit := top - entryBits
	a.exp[i] = int32(unit)
	for _, p := range parts {
		cols, vals := p.Row(i)
		for k, v := range vals {
			a.col[at] = cols[k]
			a.entries[2*at], a.entries[2*at+1] = entry(v, unit-s.Row[i]-s.Col[cols[k]])
			at++
		}
	}
}

// entry returns the two words of kernels.RowLimbs for v in units of 2^unit. The 53 bits of v fit in two limbs, which
// are shifted until they are an integer; a shift by more limbs than x has makes the entry ineffective.
func entry(v float64, unit int) (low, high uint64) {
	m, e, neg := split(v)
	if m == 0 {
		return 0, 0
	}
	e -= unit // v = m 2^e: m is shifted by e + 52 shift bits, which are 0 to 51 unless shift = 0
	zeros := bits.TrailingZeros64(m)
	m, e = m>>zeros, e+zeros
	shift := 0
	if e < 0 {
		shift = (-e + limbBits - 1) / limbBits
		e += limbBits * shift
	}
	if shift > kernels.MaxLimbs {
		return 0, 0
	}
	limbs := []uint64{m}
	low = bitsFrom(limbs, -e) & limbMask
	high = bitsFrom(limbs, limbBits-e)&limbMask | uint64(shift)<<limbBits
	if neg {
		low |= 1 << 63
	}
	return low, high
}

// MulVec computes y = A x, each element rounded once. x is rounded to fixed point before; see MatrixBound.
func (a *Matrix) MulVec(y, x *Vec) {
	if y.Len() != a.rows || x.Len() != a.cols {
		panic("mp: a product with vectors that do not match")
	}
	ex, any := x.top()
	if !any {
		y.clear()
		return
	}
	size := sizeOf(x.bits)
	limbs := x.magnitudes(a.pool, size, ex)
	a.eachRow(size, limbs, func(i int, s sum, m []uint64) {
		s.put(y, i, a.unit(i, ex, size), m)
	})
}

// unit returns the exponent of the unit of a sum of row i, for x relative to 2^ex.
func (a *Matrix) unit(i, ex, size int) int { return int(a.exp[i]) + ex - limbBits*size }

// magnitudes returns the numbers of x for kernels.RowLimbs, in units of 2^(ex - 52 size).
func (v *Vec) magnitudes(pool *parallel.Pool, size, ex int) []uint64 {
	limbs := make([]uint64, v.Len()*size+kernels.LimbPadding)
	pool.RunRanges(blocks(v.Len()), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			v.magnitude(limbs[i*size:], 1, size, i, limbBits*size, ex)
			if v.neg[i] {
				limbs[i*size] |= 1 << 63
			}
		}
	})
	return limbs
}

// eachRow computes rows of A times x in limbs, and passes each to do, which may change the sum, with room for its
// words.
func (a *Matrix) eachRow(size int, x []uint64, do func(i int, s sum, m []uint64)) {
	const most = 64 // pieces at a time
	k := kernels.Default()
	words, lanes := kernels.LimbRowWords(size)
	a.pool.RunRanges(blocks(a.rows), func(_, lo, hi int) {
		sums, row := make([]uint64, words*most), make(sum, lanes+4)
		m := make([]uint64, packed(len(row)))
		from, to := 0, 0 // the pieces whose sums are available
		for i := lo; i < hi; i++ {
			clear(row)
			for p := a.ptr[i]; p < a.ptr[i+1]; p++ {
				if p == to || to == 0 {
					from, to = p, min(p+most, a.ptr[hi])
					k.RowLimbs(size, sums, a.piece[from:to+1], a.col, a.entries, x)
				}
				row.addRow(sums[(p-from)*words:(p-from+1)*words], lanes)
			}
			do(i, row, m)
		}
	})
}

// addRow adds the sums of a piece of a row.
func (s sum) addRow(from []uint64, lanes int) {
	low, mid, high := from[:lanes], from[lanes:2*lanes], from[2*lanes:3*lanes]
	s[0] += int64(low[0])
	s[1] += int64(low[1] + mid[0])
	for k := 2; k < lanes; k++ {
		s[k] += int64(low[k] + mid[k-1] + high[k-2])
	}
	s[lanes] += int64(mid[lanes-1] + high[lanes-2])
	s[lanes+1] += int64(high[lanes-1])
	for k, n := range from[3*lanes:] {
		s[k] += int64(n)
		s[lanes+k] -= int64(n)
	}
	s.carry()
}

// Residual sets r, in units of 2^e, to b - A x, and returns the e for which the largest |r_i| is between 1/2 and 1 (0
// if r = 0). The error of an element is at most one rounding to float64 and MatrixBound. b is the sum of its parts.
func (a *Matrix) Residual(r []float64, x *Vec, b ...[]float64) (e int) {
	if len(r) != a.rows || x.Len() != a.cols {
		panic("mp: a residual of vectors that do not match")
	}
	lead, exps, negs := make([]uint64, a.rows), make([]int, a.rows), make([]bool, a.rows)
	ex, any := x.top()
	if any {
		size := sizeOf(x.bits)
		a.eachRow(size, x.magnitudes(a.pool, size, ex), func(i int, s sum, m []uint64) {
			for k := range s {
				s[k] = -s[k]
			}
			unit := a.unit(i, ex, size)
			if a.ptr[i] == a.ptr[i+1] {
				unit = lowest(i, b)
			}
			negs[i], lead[i], exps[i] = s.addTo(unit, i, b, m)
		})
	} else {
		a.pool.RunRanges(blocks(a.rows), func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				negs[i], lead[i], exps[i] = make(sum, 4).addTo(lowest(i, b), i, b, nil)
			}
		})
	}
	any = false
	for i, m := range lead {
		if m != 0 && (!any || exps[i] > e) {
			e, any = exps[i], true
		}
	}
	a.pool.RunRanges(blocks(a.rows), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			r[i] = float64of(negs[i], lead[i], exps[i]-e)
		}
	})
	return e
}

// lowest returns the exponent of a unit of which all parts of b_i are multiples.
func lowest(i int, b [][]float64) (unit int) {
	any := false
	for _, part := range b {
		if m, e, _ := split(part[i]); m != 0 && (!any || e < unit) {
			unit, any = e, true
		}
	}
	return unit
}

// addTo returns s, in units of 2^unit, plus the parts of b_i, as ±0.lead 2^e, without what is below a unit. words is
// room for the words of the sum, if it suffices.
func (s sum) addTo(unit, i int, b [][]float64, words []uint64) (neg bool, leading uint64, e int) {
	for _, part := range b {
		m, e, minus := split(part[i])
		if m == 0 {
			continue
		}
		at := e - unit // of the lowest bit of m
		if at < 0 {
			m >>= min(-at, 63)
			at = 0
		}
		if more := at/limbBits + 4 - len(s); more > 0 {
			s = append(s, make(sum, more)...)
		}
		limbs := []uint64{m}
		for k := range 3 {
			limb := int64(bitsFrom(limbs, limbBits*k-at%limbBits) & limbMask)
			if minus {
				limb = -limb
			}
			s[at/limbBits+k] += limb
		}
	}
	neg = s.settle()
	m, n := words, packed(len(s))
	if n > len(m) {
		m = make([]uint64, n)
	}
	m = m[:n]
	s.pack(m)
	t := len(m) - 1
	for t >= 0 && m[t] == 0 {
		t--
	}
	if t < 0 {
		return false, 0, 0
	}
	shift := uint(bits.LeadingZeros64(m[t]))
	return neg, lead(m, t, shift), unit + 64*(t+1) - int(shift)
}
