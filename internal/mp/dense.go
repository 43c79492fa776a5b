package mp

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Dense is a dense matrix, each row of which is in fixed point relative to its largest element: an element smaller by
// 2^k has k bits less.
type Dense struct {
	pool             *parallel.Pool
	rows, cols       int
	bits, size       int
	chunks           int
	limb             []uint64 // limb k of element Lanes c + l of column j is limb[Lanes (size (cols c + j) + k) + l], in the form of offset
	exp              []int    // of each row
	empty            []bool   // rows that are 0
	rowSums, colSums []uint64 // size + 1 limbs for each
}

// NewDense returns a zero matrix for vectors of that precision.
func NewDense(pool *parallel.Pool, rows, cols, bits int) *Dense {
	if err := CheckBits(bits); err != nil {
		panic("mp: " + err.Error())
	}
	a := &Dense{pool: pool, rows: rows, cols: cols, bits: bits, size: sizeOf(bits), chunks: (rows + lanes - 1) / lanes}
	a.limb = make([]uint64, a.chunks*cols*a.size*lanes)
	a.exp, a.empty = make([]int, rows), make([]bool, rows)
	a.rowSums, a.colSums = make([]uint64, rows*(a.size+1)), make([]uint64, cols*(a.size+1))
	for i := range a.empty {
		a.empty[i] = true
	}
	pool.Each(a.chunks, func(c int) {
		chunk := a.limb[c*cols*a.size*lanes : (c+1)*cols*a.size*lanes]
		for at := lanes * (a.size - 1); at < len(chunk); at += lanes * a.size {
			for l := range lanes {
				chunk[at+l] = half
			}
		}
	})
	all := make(sum, a.size+1)
	all[a.size-1], all[a.size] = int64(lanes*a.chunks&1)*half, int64(lanes*a.chunks/2)
	for j := range cols {
		for k := range all {
			a.colSums[j*(a.size+1)+k] = uint64(all[k])
		}
	}
	return a
}

// DenseBytes returns the bytes of memory that NewDense allocates.
func DenseBytes(rows, cols, bits int) int64 {
	size, chunks := int64(sizeOf(bits)), int64((rows+lanes-1)/lanes)
	return 8*lanes*chunks*int64(cols)*size + 8*int64(rows+cols)*(size+1) + 9*int64(rows)
}

// Dims returns the number of rows and columns.
func (a *Dense) Dims() (rows, cols int) { return a.rows, a.cols }

// SetRow sets row i to v, rounded to fixed point. It must not be called while another method runs.
func (a *Dense) SetRow(i int, v *Vec) {
	if v.Len() != a.cols {
		panic(fmt.Sprintf("mp: a row of %d elements for a matrix of %d columns", v.Len(), a.cols))
	}
	e, any := v.top()
	a.exp[i], a.empty[i] = e, !any
	size, c, l := a.size, i/lanes, i%lanes
	x := v.all()
	row, col, limbs := make(sum, size+1), make(sum, size+1), make([]uint64, size)
	for j := range a.cols {
		was := a.limb[(c*a.cols+j)*size*lanes+l:]
		x.OffsetLimbs(limbs, 1, size, j, e)
		sums := a.colSums[j*(size+1) : (j+1)*(size+1)]
		for k := range sums {
			col[k] = int64(sums[k])
		}
		for k, limb := range limbs {
			row[k] += int64(limb)
			col[k] += int64(limb) - int64(was[lanes*k])
			was[lanes*k] = limb
		}
		row.carry()
		col.carry()
		for k := range sums {
			sums[k] = uint64(col[k])
		}
	}
	for k := range row {
		a.rowSums[i*(size+1)+k] = uint64(row[k])
	}
}

// MulVec computes y = A x. Element i differs from A x by at most MulBound. x must have the precision of A.
func (a *Dense) MulVec(y, x *Vec) { a.multiply(y, x, nil) }

// multiply computes y = A x, or the update of y by A x.
func (a *Dense) multiply(y, x *Vec, by *update) {
	a.check(y.Len(), a.rows, x, a.cols)
	ex, any := x.top()
	if !any {
		by.ofZero(a.pool, y)
		return
	}
	size := a.size
	limbs, sums := x.fixOffset(a.pool, size, ex)
	a.pool.RunRanges(blocks(a.pool, a.chunks), func(_, lo, hi int) {
		u, step := newUpper(size), lanes*size
		for c := lo; c < hi; c++ {
			clear(u.s)
			u.add(mul(size), a.limb[c*a.cols*step:(c+1)*a.cols*step], step, limbs, a.cols)
			for l := range min(lanes, a.rows-c*lanes) {
				i := c*lanes + l
				s := u.lane(l)
				s.finish(size, a.cols, a.rowSums[i*(size+1):(i+1)*(size+1)], sums)
				if a.empty[i] {
					clear(s)
				}
				by.put(s, y, i, unit(size, a.exp[i], ex), u.m)
			}
		}
	})
}

// MulVecT computes y = A^T x, like MulVec.
func (a *Dense) MulVecT(y, x *Vec) { a.multiplyT(y, x, nil) }

// multiplyT computes y = A^T x, or the update of y by A^T x.
func (a *Dense) multiplyT(y, x *Vec, by *update) {
	a.check(y.Len(), a.cols, x, a.rows)
	// Rows have their own units: x_i is multiplied by the unit of row i.
	var e int
	any := false
	for i := range a.rows {
		if !x.zero(i) && !a.empty[i] && (!any || int(x.exp[i])+a.exp[i] > e) {
			e, any = int(x.exp[i])+a.exp[i], true
		}
	}
	if !any {
		by.ofZero(a.pool, y)
		return
	}
	size := a.size
	tops := make([]int, a.rows)
	for i := range tops {
		if tops[i] = e - a.exp[i]; a.empty[i] {
			tops[i] = int(x.exp[i])
		}
	}
	b := fixLanes(a.pool, x, size, tops)
	bounds := blocks(a.pool, a.cols)
	a.pool.RunRanges(bounds, func(_, lo, hi int) {
		u, step := newUpper(size), lanes*size
		for j := lo; j < hi; j++ {
			clear(u.s)
			u.add(dot(size), a.limb[j*step:], a.cols*step, b.limb, a.chunks)
			s := u.total()
			s.finish(size, lanes*a.chunks, a.colSums[j*(size+1):(j+1)*(size+1)], b.sums)
			by.put(s, y, j, unit(size, 0, e), u.m)
		}
	})
}

func (a *Dense) check(y, want int, x *Vec, n int) {
	if y != want || x.Len() != n || x.bits != a.bits {
		panic("mp: a product with vectors that do not match")
	}
}

// clear sets v = 0.
func (v *Vec) clear() {
	clear(v.mant)
	clear(v.exp)
	clear(v.neg)
}

// fixOffset writes the numbers of x in the form of offset, one after the other, and returns the size + 1 limbs of
// their sum.
func (v *Vec) fixOffset(pool *parallel.Pool, size, e int) (limbs, sums []uint64) {
	limbs = make([]uint64, v.Len()*size)
	x := v.all()
	pool.RunRanges(blocks(pool, v.Len()), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			x.OffsetLimbs(limbs[i*size:], 1, size, i, e)
		}
	})
	s := make(sum, size+1)
	for i := range v.Len() {
		s.add(0, limbs[i*size:(i+1)*size], 1)
		s.carry()
	}
	sums = make([]uint64, size+1)
	for k := range s {
		sums[k] = uint64(s[k])
	}
	return limbs, sums
}
