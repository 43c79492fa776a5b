package mp

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// ErrFactors is the error of a matrix that has no LU factors in a precision: a pivot is zero to all its bits, or elements grow by more
// than 2^18.
var ErrFactors = errors.New("no LU factors in this precision")

// LU is P A = L U of a dense matrix, by Gaussian elimination with partial pivoting, eight columns at a time ([GolubVanLoan13], section
// 3.4). Elements are in fixed point, U in units of 2^(1-52 size) and L of 2^(2-52 size), so that inner products are exact but for their
// lowest bits and any number of threads gives the same factors. The backward error is about n 2^-Bits max |a_ij|.
type LU struct {
	pool   *parallel.Pool
	n      int
	bits   int
	size   int
	chunks int
	limb   []uint64 // limb k of element Lanes c + l of column j is limb[Lanes (size (n c + j) + k) + l], in the form of offset
	rows   []int    // row i of P A is row rows[i] of A
	first  []int    // column of the first nonzero of each row
	sums   []uint64 // size + 1 limbs for each row: the sum of its elements of L in the panels before its own
	faulty atomic.Bool
}

// growthBits is the number of bits by which elements may grow.
const growthBits = 18

// LUBytes returns the bytes of memory that FactorLU needs for n rows.
func LUBytes(n, bits int) int64 {
	size, padded := int64(sizeOf(bits)), int64((n+lanes-1)/lanes*lanes)
	return 8*size*padded*int64(n) + 8*(2*size+6)*int64(n)*int64(lanes)
}

// FactorLU factors D_r A D_c, a matrix of n rows whose elements are at most about 1; A is the sum of the parts. progress is told the
// share of the columns that are done. The error is ErrFactors, or that of the context.
func FactorLU(ctx context.Context, pool *parallel.Pool, bits int, s csr.Scaling, progress func(share float64), parts ...*csr.Matrix) (*LU, error) {
	n, size := parts[0].Rows, sizeOf(bits)
	f := &LU{pool: pool, n: n, bits: bits, size: size, chunks: (n + lanes - 1) / lanes}
	f.limb = make([]uint64, f.chunks*lanes*n*size)
	f.rows, f.first, f.sums = make([]int, n), make([]int, n), make([]uint64, n*(size+1))
	pool.Each(f.chunks, func(c int) { f.fill(c, s, parts) })
	for lo := 0; lo < n; lo += lanes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if progress(float64(lo) / float64(n)); !f.panel(lo, min(lo+lanes, n)) {
			return nil, ErrFactors
		}
	}
	return f, nil
}

// Bits returns the precision.
func (f *LU) Bits() int { return f.bits }

// column returns the limbs of the elements of chunk c in column j.
func (f *LU) column(c, j int) []uint64 {
	step := lanes * f.size
	return f.limb[(c*f.n+j)*step : (c*f.n+j+1)*step]
}

// element returns the limbs, Lanes words apart, of an element.
func (f *LU) element(i, j int) []uint64 { return f.column(i/lanes, j)[i%lanes:] }

// fill writes the rows of chunk c.
func (f *LU) fill(c int, s csr.Scaling, parts []*csr.Matrix) {
	for j := range f.n {
		top := f.column(c, j)[lanes*(f.size-1):]
		for l := range top {
			top[l] = half
		}
	}
	row := make(sum, f.n*(f.size+3))
	for i := c * lanes; i < min(f.n, (c+1)*lanes); i++ {
		clear(row)
		f.rows[i], f.first[i] = i, f.n
		for _, p := range parts {
			cols, vals := p.Row(i)
			for k, j := range cols {
				m, e, neg := split(vals[k])
				row[int(j)*(f.size+3):].addBits(m, e+s.Row[i]+s.Col[j]-growthBits+limbBits*f.size-1, neg)
				f.first[i] = min(f.first[i], int(j))
			}
		}
		for j := f.first[i]; j < f.n; j++ {
			x := row[j*(f.size+3) : j*(f.size+3)+f.size]
			x[f.size-1] += half
			x.carry()
			f.put(f.element(i, j), x)
		}
	}
}

// addBits adds ±m 2^at, without what is below a unit.
func (s sum) addBits(m uint64, at int, neg bool) {
	if at < 0 {
		m, at = m>>min(-at, 63), 0
	}
	for k, limbs := 0, []uint64{m}; k < 3 && m != 0; k++ {
		limb := int64(bitsFrom(limbs, limbBits*k-at%limbBits) & limbMask)
		if neg {
			limb = -limb
		}
		s[at/limbBits+k] += limb
	}
}

// put writes a number that is carried to limbs, Lanes words apart.
func (f *LU) put(limbs []uint64, x sum) {
	for k, limb := range x[:f.size] {
		limbs[lanes*k] = uint64(limb)
	}
}

// get sets x, of at least size limbs, to the number in limbs that are `step` words apart, without the offset.
func (f *LU) get(x sum, limbs []uint64, step int) {
	clear(x)
	x.add(0, limbs[:step*(f.size-1)+1], step)
	x[f.size-1] -= half
}

// factor is a vector that the rows of L are multiplied with: a column of U, without the offset in its sums.
type factor struct {
	limb []uint64 // size limbs for each number, in the form of offset
	sums []uint64 // size + 1 limbs for each chunk: the sum of the numbers before it
}

// panel factors columns lo to hi-1, given the columns before them. It reports whether that was possible.
func (f *LU) panel(lo, hi int) bool {
	u := make([]factor, hi-lo)
	f.pool.Each(hi-lo, func(t int) { u[t] = f.solveColumn(lo, lo+t) })
	before := lo / lanes
	f.pool.Each(f.chunks-before, func(k int) {
		if from := f.start(before + k); from < lo {
			w := f.newWorker()
			for t := range u {
				w.subtract(before+k, lo+t, 0, from, lo, u[t])
			}
		}
	})
	for j := lo; j < hi && !f.faulty.Load(); j++ {
		if !f.pivot(j) {
			return false
		}
		f.pool.Each(f.chunks-before, func(k int) { f.eliminate(before+k, j, hi) })
	}
	f.pool.Each(f.chunks-before-1, func(k int) { f.addSums(before+1+k, lo, hi) })
	return !f.faulty.Load()
}

// start returns the first column, a multiple of Lanes, in which rows of chunk c may have nonzeros.
func (f *LU) start(c int) int {
	return slices.Min(f.first[c*lanes:min(f.n, (c+1)*lanes)]) / lanes * lanes
}

// zeros reports whether all elements of chunk c in column j are zero.
func (f *LU) zeros(c, j int) bool {
	column, top := f.column(c, j), lanes*(f.size-1)
	for k, limb := range column {
		if k < top && limb != 0 || k >= top && limb != half {
			return false
		}
	}
	return true
}

// solveColumn solves L u = a for rows 0 to lo-1 of column j, and stores u in place of a.
func (f *LU) solveColumn(lo, j int) factor {
	size, w := f.size, f.newWorker()
	u := factor{make([]uint64, lo*size), make([]uint64, (lo/lanes+1)*(size+1))}
	total := make(sum, size+1)
	for c, any := 0, false; c < lo/lanes; c++ {
		if any = any || !f.zeros(c, j); !any {
			for i := c * lanes; i < (c+1)*lanes; i++ {
				u.limb[i*size+size-1] = half
			}
			continue
		}
		from := f.start(c)
		w.subtract(c, j, 0, from, max(from, c*lanes), u)
		for l := range lanes {
			i := c*lanes + l
			one := w.single(u.limb[i*size:(i+1)*size], f.element(i, j))
			total.add(0, u.limb[i*size:(i+1)*size], 1)
			total[size-1] -= half
			total.carry()
			if l+1 < lanes {
				w.subtractOne(c, j, l+1, i, one)
			}
		}
		for k, limb := range total {
			u.sums[(c+1)*(size+1)+k] = uint64(limb)
		}
	}
	return u
}

// pivot exchanges row j and the row below it with the largest element in column j. It returns false if all are zero.
func (f *LU) pivot(j int) bool {
	best, x := f.n, make(sum, f.size)
	most := make(sum, f.size)
	for i := j; i < f.n; i++ {
		if f.first[i] > j {
			continue
		}
		f.get(x, f.element(i, j), lanes)
		x.settle()
		for k := f.size - 1; k >= 0; k-- {
			if x[k] != most[k] {
				if x[k] > most[k] {
					best = i
					copy(most, x)
				}
				break
			}
		}
	}
	if best == f.n {
		return false
	}
	if best == j {
		return true
	}
	for k := min(f.first[j], f.first[best]); k < f.n; k++ {
		a, b := f.element(j, k), f.element(best, k)
		for t := 0; t < lanes*f.size; t += lanes {
			a[t], b[t] = b[t], a[t]
		}
	}
	f.rows[j], f.rows[best] = f.rows[best], f.rows[j]
	f.first[j], f.first[best] = f.first[best], f.first[j]
	for k := range f.size + 1 {
		a, b := &f.sums[j*(f.size+1)+k], &f.sums[best*(f.size+1)+k]
		*a, *b = *b, *a
	}
	return true
}

// eliminate divides the elements of chunk c below row j in column j by the pivot, and subtracts multiples of row j in columns up to
// hi-1.
func (f *LU) eliminate(c, j, hi int) {
	from := max(0, j+1-c*lanes)
	if from >= lanes || f.n <= c*lanes+from || f.start(c) > j {
		return
	}
	w := f.newWorker()
	if w.pivot.SetBits(w.words(f.element(j, j))); w.negative(f.element(j, j)) {
		w.pivot.Neg(&w.pivot)
	}
	for i := c*lanes + from; i < min(f.n, (c+1)*lanes); i++ {
		w.divide(f.element(i, j))
	}
	limbs := make([]uint64, f.size)
	for k := j + 1; k < hi; k++ {
		w.subtractOne(c, k, from, j, w.single(limbs, f.element(j, k)))
	}
}

// addSums adds the elements of columns lo to hi-1 to the sums of the rows of chunk c.
func (f *LU) addSums(c, lo, hi int) {
	if f.start(c) >= hi {
		return
	}
	s, x := make(sum, f.size+1), make(sum, f.size+1)
	for i := c * lanes; i < min(f.n, (c+1)*lanes); i++ {
		row := f.sums[i*(f.size+1) : (i+1)*(f.size+1)]
		for k := range s {
			s[k] = int64(row[k])
		}
		for j := lo; j < hi; j++ {
			f.get(x, f.element(i, j), lanes)
			for k := range s {
				s[k] += x[k]
			}
		}
		s.carry()
		for k := range s {
			row[k] = uint64(s[k])
		}
	}
}

// worker is the work space of a thread.
type worker struct {
	*LU
	upper           *upper
	x, row          sum
	one             factor
	pivot, quotient big.Int
	big             []big.Word
	rowSums         []uint64
}

func (f *LU) newWorker() *worker {
	size := f.size
	return &worker{
		LU: f, upper: newUpper(size), x: make(sum, size+2), row: make(sum, size+1), rowSums: make([]uint64, size+1),
		one: factor{sums: make([]uint64, size+1)}, big: make([]big.Word, packed(size)),
	}
}

// single copies an element to limbs, and returns it as a factor.
func (w *worker) single(limbs, element []uint64) factor {
	for k := range limbs {
		limbs[k] = element[lanes*k]
	}
	w.one.limb = limbs
	w.signed(w.one.sums, element)
	return w.one
}

// signed writes an element without the offset to size + 1 limbs.
func (w *worker) signed(to, element []uint64) {
	w.get(w.row, element, lanes)
	w.row.carry()
	for k, limb := range w.row {
		to[k] = uint64(limb)
	}
}

// subtract subtracts columns from to to-1 of L times u from rows l and later of column j in chunk c.
func (w *worker) subtract(c, j, l, from, to int, u factor) {
	if from >= to {
		return
	}
	size, at := w.size, to/lanes*(w.size+1)
	between := make([]uint64, size+1) // u.sums are of numbers from 0 on
	for k := range between {
		between[k] = u.sums[at+k] - u.sums[from/lanes*(size+1)+k]
	}
	w.products(c, from, u.limb[from*size:], to-from)
	for ; l < min(lanes, w.n-c*lanes); l++ {
		i := c*lanes + l
		w.finish(c, j, l, to-from, w.sums[i*(size+1):(i+1)*(size+1)], between)
	}
}

// subtractOne is subtract for column k of L alone.
func (w *worker) subtractOne(c, j, l, k int, u factor) {
	w.products(c, k, u.limb, 1)
	for ; l < min(lanes, w.n-c*lanes); l++ {
		w.signed(w.rowSums, w.column(c, k)[l:])
		w.finish(c, j, l, 1, w.rowSums, u.sums)
	}
}

// products multiplies the elements of chunk c from column `from` on by those of u.
func (w *worker) products(c, from int, u []uint64, count int) {
	clear(w.upper.s)
	w.upper.add(mul(w.size), w.limb[(c*w.n+from)*lanes*w.size:], lanes*w.size, u, count)
}

// finish subtracts the sum of lane l, of n products, from the element of column j. The sums of the factors are without offsets, which
// changes the sign of the n h^2 of sum.finish.
func (w *worker) finish(c, j, l, n int, row, u []uint64) {
	s, x := w.upper.lane(l), w.column(c, j)[l:]
	s.finish(w.size, -n, row, u)
	for k := range s {
		s[k] *= 2 // to units of a limb of U
	}
	s.carry()
	clear(w.x)
	w.x.add(0, x[:lanes*(w.size-1)+1], lanes)
	for k := range w.x {
		w.x[k] -= s[k+1]
	}
	if w.x.carry(); w.x[w.size] != 0 || w.x[w.size+1] != 0 {
		w.faulty.Store(true)
	}
	w.put(x, w.x)
}

// words returns the absolute value of an element, valid until the next call.
func (w *worker) words(element []uint64) []big.Word {
	w.get(w.row, element, lanes)
	w.row.settle()
	m := make([]uint64, packed(w.size+1))
	w.row.pack(m)
	for k := range w.big {
		w.big[k] = big.Word(m[k])
	}
	return slices.Clone(w.big)
}

// negative reports whether an element is below 0.
func (w *worker) negative(element []uint64) bool { return element[lanes*(w.size-1)] < half }

// divide replaces an element in units of U by its quotient by the pivot in units of L.
func (w *worker) divide(element []uint64) {
	w.quotient.SetBits(w.words(element))
	neg := w.negative(element) != (w.pivot.Sign() < 0)
	w.quotient.Lsh(&w.quotient, uint(limbBits*w.size-2))
	w.quotient.Quo(&w.quotient, &w.pivot)
	clear(w.x)
	m := make([]uint64, packed(w.size))
	for k, word := range w.quotient.Bits() {
		m[k] = uint64(word)
	}
	for k := range w.size {
		if w.x[k] = int64(bitsFrom(m, limbBits*k) & limbMask); neg {
			w.x[k] = -w.x[k]
		}
	}
	w.x[w.size-1] += half
	w.x.carry()
	w.put(element, w.x)
}
