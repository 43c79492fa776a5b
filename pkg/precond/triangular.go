package precond

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// rows are sparse rows: row i has the columns col[ptr[i]:ptr[i+1]], ascending.
type rows struct {
	ptr []int64
	col []int32
	val []float64
}

func (r *rows) row(i int) (cols []int32, vals []float64) {
	lo, hi := r.ptr[i], r.ptr[i+1]
	return r.col[lo:hi:hi], r.val[lo:hi:hi]
}

// end closes the row that was appended to.
func (r *rows) end() { r.ptr = append(r.ptr, int64(len(r.col))) }

// factors are A ~ (I + l) (diag(d) + u) with strictly triangular l and u. If they
// are symmetric, l = (diag(d)^-1 u)^T is left out.
type factors struct {
	l, u      rows
	d         []float64
	symmetric bool
}

// entries counts those of l and u as they will be stored.
func (f *factors) entries() int64 {
	if f.symmetric {
		return 2 * int64(len(f.u.col))
	}
	return int64(len(f.l.col) + len(f.u.col))
}

// A placement says which equation and unknown pivot k belongs to, and what they
// are multiplied by: the factors are those of 2^rowExp_k a_(row_k, col_k) 2^colExp_k.
// Slices that are nil change nothing.
type placement struct {
	row, col       []int32
	rowExp, colExp []int // of equations and unknowns by their numbers in A
}

// incomplete is M = D_r (I + S L) (I + U T) D_c, the unknowns ordered by pivots.
// With g_k = sqrt|d_k|, the unit triangular factors are those of A scaled to
// pivots of one, which does not depend on the scaling of A and makes a symmetric
// M as symmetric as A. L and U are integers of one width, relative to the largest
// entry of a row of S L and of a column of U T, in the diagonals S and T: so both
// triangles of a symmetric M hold the same values.
//
// An application is 2 entries(L + U) operations and reads L, U, four vectors and
// the diagonals.
type incomplete struct {
	name     string
	n        int
	row, col []int32 // nil: as they come
	dl, du   []float64
	s, t     []float64
	sweeps   sweeps
	cost     Cost
	work     []float64

	pool     *linop.Pool
	phases   []phase
	barrier  barrier
	dst, src []float64 // of the application that is running
}

// sweeps are the two solves on rows lo <= k < hi, of which none needs another.
type sweeps interface {
	forward(a *incomplete, lo, hi int)
	backward(a *incomplete, lo, hi int)
}

// stored is a triangle by rows.
type stored[T value] struct {
	ptr []int32
	col []int32
	val []T
}

type value interface {
	int8 | int16 | int32 | float64
}

type pair[T value] struct{ l, u stored[T] }

// forward computes z = (I + S L)^-1 D_r^-1 src.
func (p *pair[T]) forward(a *incomplete, lo, hi int) {
	n := a.n
	z, src, ptr := a.work[:n], a.src[:n], p.l.ptr[:n+1]
	d, s := a.dl[:n], a.s[:n]
	begin := ptr[lo]
	for k := lo; k < hi && k < n; k++ {
		end := ptr[k+1]
		i := k
		if a.row != nil {
			i = int(a.row[k])
		}
		b := d[k] * src[i]
		z[k] = b - float64(s[k]*dot(p.l.col[begin:end], p.l.val[begin:end], z))
		begin = end
	}
}

// backward computes dst = D_c^-1 (I + U T)^-1 z and leaves T D_c dst in z.
func (p *pair[T]) backward(a *incomplete, lo, hi int) {
	n := a.n
	z, dst, ptr := a.work[:n], a.dst[:n], p.u.ptr[:n+1]
	d, t := a.du[:n], a.t[:n]
	end := ptr[hi]
	for k := hi - 1; k >= lo && k < n; k-- {
		begin := ptr[k]
		x := z[k] - dot(p.u.col[begin:end], p.u.val[begin:end], z)
		z[k] = t[k] * x
		i := k
		if a.col != nil {
			i = int(a.col[k])
		}
		dst[i] = d[k] * x
		end = begin
	}
}

// dot is the inner product of a row and x.
func dot[T value](cols []int32, vals []T, x []float64) (sum float64) {
	vals = vals[:len(cols)]
	for k, j := range cols {
		sum += float64(float64(vals[k]) * x[j])
	}
	return sum
}

// Apply computes dst = M^-1 src.
func (a *incomplete) Apply(dst, src []float64) {
	a.dst, a.src = dst, src
	if parts := a.parts(); parts == 1 {
		a.sweeps.forward(a, 0, a.n)
		a.sweeps.backward(a, 0, a.n)
	} else {
		a.barrier.start(parts)
		a.pool.Run(parts, a)
	}
	a.dst, a.src = nil, nil
}

// Cost implements Preconditioner.
func (a *incomplete) Cost() Cost { return a.cost }

func (a *incomplete) String() string { return a.name }

// storedBytes is the memory of an incomplete of n unknowns and that many entries,
// its values of width bytes each.
func storedBytes(n, entries, width int64) int64 { return n*(2*4+2*4+5*8) + entries*(4+width) }

// width is the bytes of a value of accuracy epsilon relative to the largest of
// its row.
func width(epsilon float64) int64 {
	switch {
	case epsilon >= 0x1p-8:
		return 1
	case epsilon >= 0x1p-16:
		return 2
	case epsilon >= 0x1p-32 && epsilon > adaptive.MinEpsilon:
		return 4
	}
	return 8
}

// allowance is the number of entries that fit in opt.MaxBytes and in indices of
// 32 bits.
func (o Options) allowance(n int) int64 {
	most := int64(math.MaxInt32)
	if o.MaxBytes > 0 {
		w := width(o.Epsilon)
		most = min(most, (o.MaxBytes-storedBytes(int64(n), 0, w))/(4+w))
	}
	return most
}

// errEntries says that factors of more entries than the allowance are needed.
func (o Options) errEntries(n int, entries int64) error {
	if entries > math.MaxInt32 {
		return fmt.Errorf("%w: factors of %d entries, the most is %d", ErrMemory, entries, math.MaxInt32)
	}
	return fmt.Errorf("%w: factors of %d entries take %d MB, the limit is %d MB",
		ErrMemory, entries, storedBytes(int64(n), entries, width(o.Epsilon))>>20, o.MaxBytes>>20)
}

// newIncomplete stores factors, which it uses up, on the threads of pool.
func newIncomplete(name string, f *factors, at placement, opt Options, pool *linop.Pool) (*incomplete, error) {
	n, entries := len(f.d), f.entries()
	if entries > opt.allowance(n) {
		return nil, opt.errEntries(n, entries)
	}
	a := &incomplete{name: fmt.Sprintf("%s, %d entries", name, entries+int64(n)), n: n, pool: pool}
	var order []int32
	order, a.phases = schedule(f, pool)
	if err := a.normalise(f); err != nil {
		return nil, err
	}
	w := width(opt.Epsilon)
	switch w {
	case 1:
		a.sweeps = storePair[int8](f, a.s, a.t, order, math.MaxInt8)
	case 2:
		a.sweeps = storePair[int16](f, a.s, a.t, order, math.MaxInt16)
	case 4:
		a.sweeps = storePair[int32](f, a.s, a.t, order, math.MaxInt32)
	default:
		a.sweeps = storePair[float64](f, a.s, a.t, order, 1)
	}
	a.place(f.symmetric, at, order)
	a.work = make([]float64, n)
	values := entries + int64(n)
	a.cost = Cost{
		Values: values, ValueBytes: w*entries + 8*int64(n),
		Bytes: storedBytes(int64(n), entries, w), FP64Bytes: storedBytes(int64(n), entries, 8),
	}
	return a, nil
}

// normalise scales the factors to pivots of one and finds the diagonals.
func (a *incomplete) normalise(f *factors) error {
	n := a.n
	g := make([]float64, n)
	a.dl, a.s, a.t = make([]float64, n), make([]float64, n), make([]float64, n)
	for k, d := range f.d {
		g[k] = math.Sqrt(math.Abs(d))
		a.dl[k] = math.Copysign(1/g[k], d)
		if !finite(a.dl[k]) || a.dl[k] == 0 {
			return fmt.Errorf("%w: pivot %d is %g", ErrSingular, k+1, d)
		}
	}
	a.du = a.dl
	if !f.symmetric {
		a.du = make([]float64, n)
		for k := range n {
			a.du[k] = 1 / g[k]
			cols, vals := f.l.row(k)
			for e, j := range cols {
				v := vals[e] * (g[j] * g[j] * a.dl[k] * a.dl[j])
				vals[e] = v
				a.s[k] = max(a.s[k], math.Abs(v))
			}
		}
	}
	for k := range n {
		cols, vals := f.u.row(k)
		for e, j := range cols {
			v := vals[e] * a.dl[k] * (1 / g[j])
			vals[e] = v
			a.t[j] = max(a.t[j], math.Abs(v))
		}
	}
	if f.symmetric {
		a.s = a.t
	}
	for k := range n {
		if !finite(a.s[k]) || !finite(a.t[k]) {
			return fmt.Errorf("%w: the factors overflow at pivot %d", ErrSingular, k+1)
		}
	}
	return nil
}

func finite(x float64) bool { return x-x == 0 }

// storePair rounds the factors relative to s and t, which become the scales, and
// stores them in the order given.
func storePair[T value](f *factors, s, t []float64, order []int32, most float64) *pair[T] {
	n := len(f.d)
	for k := range n {
		t[k] = scale(t[k], most)
	}
	if !f.symmetric {
		for k := range n {
			s[k] = scale(s[k], most)
		}
	}
	at := make([]int32, n) // where a pivot comes in the order
	for k := range at {
		at[k] = int32(k)
	}
	for k, i := range order {
		at[i] = int32(k)
	}
	p := &pair[T]{u: newStored[T](n, len(f.u.col))}
	source := func(k int) int {
		if order == nil {
			return k
		}
		return int(order[k])
	}
	for k := range n {
		cols, vals := f.u.row(source(k))
		lo := p.u.ptr[k]
		for e, j := range cols {
			p.u.col[int(lo)+e], p.u.val[int(lo)+e] = at[j], T(round[T](vals[e]/t[j]))
		}
		p.u.ptr[k+1] = lo + int32(len(cols))
	}
	if f.symmetric {
		p.l = p.u.transposed()
	} else {
		p.l = newStored[T](n, len(f.l.col))
		for k := range n {
			i := source(k)
			cols, vals := f.l.row(i)
			lo := p.l.ptr[k]
			for e, j := range cols {
				p.l.col[int(lo)+e], p.l.val[int(lo)+e] = at[j], T(round[T](vals[e]/s[i]))
			}
			p.l.ptr[k+1] = lo + int32(len(cols))
		}
	}
	reorder(t, order)
	if !f.symmetric {
		reorder(s, order)
	}
	return p
}

// scale is the unit of values of which the largest is v.
func scale(v, most float64) float64 {
	if v == 0 || most == 1 {
		return 1
	}
	return max(v/most, math.SmallestNonzeroFloat64)
}

// round is for integers alone.
func round[T value](v float64) float64 {
	var half T = 1
	if half /= 2; half != 0 {
		return v
	}
	return math.RoundToEven(v)
}

func newStored[T value](n, entries int) stored[T] {
	return stored[T]{make([]int32, n+1), make([]int32, entries), make([]T, entries)}
}

func (a stored[T]) transposed() stored[T] {
	n := len(a.ptr) - 1
	out := newStored[T](n, len(a.col))
	for _, j := range a.col {
		out.ptr[j+1]++
	}
	for k := range n {
		out.ptr[k+1] += out.ptr[k]
	}
	next := append([]int32(nil), out.ptr[:n]...)
	for k := range n {
		for e := a.ptr[k]; e < a.ptr[k+1]; e++ {
			j := a.col[e]
			out.col[next[j]], out.val[next[j]] = int32(k), a.val[e]
			next[j]++
		}
	}
	return out
}

// reorder puts x in the order given.
func reorder[T any](x []T, order []int32) {
	if order == nil {
		return
	}
	old := append([]T(nil), x...)
	for k, i := range order {
		x[k] = old[i]
	}
}

// place takes the diagonals into the order, and the scaling of the equations and
// unknowns into them.
func (a *incomplete) place(symmetric bool, at placement, order []int32) {
	reorder(a.dl, order)
	a.row = chain(at.row, order)
	if symmetric {
		a.col = a.row
		return
	}
	reorder(a.du, order)
	a.col = chain(at.col, order)
	exponents(a.dl, at.rowExp, a.row)
	exponents(a.du, at.colExp, a.col)
}

// chain is first[order[k]].
func chain(first, order []int32) []int32 {
	if first == nil {
		return order
	}
	if order == nil {
		return first
	}
	out := make([]int32, len(order))
	for k, i := range order {
		out[k] = first[i]
	}
	return out
}

// exponents multiplies d_k by 2^exp of what it belongs to.
func exponents(d []float64, exp []int, from []int32) {
	for k := range d {
		i := k
		if from != nil {
			i = int(from[k])
		}
		d[k] = math.Ldexp(d[k], exp[i])
	}
}

var _ parallel.Job = (*incomplete)(nil)
