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

	// Largest returns the largest exponent of all processes that share vectors, and whether any has a number that is not 0, from those of this one, for
	// Residual; nil: nobody shares them.
	Largest func(e int, any bool) (int, bool)
}

// largest is Largest.
func (a *Matrix) largest(e int, any bool) (int, bool) {
	if a.Largest == nil {
		return e, any
	}
	return a.Largest(e, any)
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
	pool.RunRanges(blocks(pool, rows), func(_, lo, hi int) {
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
	low = kernels.BitsFrom(limbs, -e) & limbMask
	high = kernels.BitsFrom(limbs, limbBits-e)&limbMask | uint64(shift)<<limbBits
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
	ex, any := x.topBy(a.pool)
	if !any {
		y.clear()
		return
	}
	size := sizeOf(x.bits)
	words, width := kernels.LimbRowWords(size)
	limbs := vectorRooms.get(x.Len()*size + kernels.LimbPadding)
	defer vectorRooms.put(limbs)
	x.magnitudes(*limbs, a.pool, size, ex)
	a.eachRows(size, *limbs, func(lo, hi int, sums []uint64) {
		var units [mostRows]int
		for i := lo; i < hi; i++ {
			units[i-lo] = a.unit(i, ex, size)
		}
		kernels.Default().RoundLimbs(y.numbers(lo, hi), sums, words, width, units[:hi-lo])
	})
}

// unit returns the exponent of the unit of a sum of row i, for x relative to 2^ex.
func (a *Matrix) unit(i, ex, size int) int { return int(a.exp[i]) + ex - limbBits*size }

// magnitudes writes the numbers of x for kernels.RowLimbs, in units of 2^(ex - 52 size).
func (v *Vec) magnitudes(limbs []uint64, pool *parallel.Pool, size, ex int) {
	pool.RunRanges(blocks(pool, v.Len()), func(_, lo, hi int) {
		kernels.Default().FixLimbs(limbs[lo*size:], size, v.numbers(lo, hi), ex)
	})
}

// mostRows is the largest number of rows that are multiplied together.
const mostRows = 64

// eachRows computes rows of A times x, and passes the sums of kernels.RowLimbs of rows lo to hi-1 to do, which may
// change them.
func (a *Matrix) eachRows(size int, x []uint64, do func(lo, hi int, sums []uint64)) {
	k := kernels.Default()
	words, limbs := kernels.LimbRowWords(size)
	a.pool.RunRanges(blocks(a.pool, a.rows), func(_, lo, hi int) {
		room := blockRooms.get(words * mostRows)
		defer blockRooms.put(room)
		sums := *room
		for lo < hi {
			to := lo
			for to < min(hi, lo+mostRows) && a.ptr[to+1]-a.ptr[to] == 1 {
				to++
			}
			if to > lo {
				k.RowLimbs(size, sums, a.piece[a.ptr[lo]:a.ptr[to]+1], a.col, a.entries, x)
			} else {
				a.addPieces(lo, size, x, sums[:limbs])
				to++
			}
			do(lo, to, sums)
			lo = to
		}
	})
}

// addPieces computes row i, of none or many pieces.
func (a *Matrix) addPieces(i, size int, x, row []uint64) {
	words, limbs := kernels.LimbRowWords(size)
	all, piece := make([]int64, limbs), make([]uint64, words)
	for p := a.ptr[i]; p < a.ptr[i+1]; p++ {
		kernels.Default().RowLimbs(size, piece, a.piece[p:p+2], a.col, a.entries, x)
		for k := range all {
			all[k] += int64(piece[k])
		}
		kernels.CarryLimbs(all)
	}
	for k, limb := range all {
		row[k] = uint64(limb)
	}
}

// Residual sets r, in units of 2^e, to b - A x, and returns the e for which the largest |r_i| is between 1/2 and 1 (0
// if r = 0). The error of an element is at most one rounding to float64 and MatrixBound. b is the sum of its parts.
func (a *Matrix) Residual(r []float64, x *Vec, b ...[]float64) (e int) {
	if len(r) != a.rows || x.Len() != a.cols {
		panic("mp: a residual of vectors that do not match")
	}
	lead, exps, negs := make([]uint64, a.rows), make([]int, a.rows), make([]bool, a.rows)
	ex, any := a.largest(x.topBy(a.pool))
	if any {
		size := sizeOf(x.bits)
		words, limbs := kernels.LimbRowWords(size)
		all := vectorRooms.get(x.Len()*size + kernels.LimbPadding)
		defer vectorRooms.put(all)
		x.magnitudes(*all, a.pool, size, ex)
		a.eachRows(size, *all, func(lo, hi int, sums []uint64) {
			s, m := make(sum, limbs+2), make([]uint64, packed(limbs+2))
			for i := lo; i < hi; i++ {
				clear(s)
				for k, limb := range sums[(i-lo)*words:][:limbs] {
					s[k] = -int64(limb)
				}
				unit := a.unit(i, ex, size)
				if a.ptr[i] == a.ptr[i+1] {
					unit = lowest(i, b)
				}
				negs[i], lead[i], exps[i] = s.addTo(unit, i, b, m)
			}
		})
	} else {
		a.pool.RunRanges(blocks(a.pool, a.rows), func(_, lo, hi int) {
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
	e, _ = a.largest(e, any)
	a.pool.RunRanges(blocks(a.pool, a.rows), func(_, lo, hi int) {
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
			limb := int64(kernels.BitsFrom(limbs, limbBits*k-at%limbBits) & limbMask)
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
	return neg, kernels.Leading(m, t, shift), unit + 64*(t+1) - int(shift)
}
