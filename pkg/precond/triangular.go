package precond

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/parallel"
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

// add appends an entry to the last row.
func (r *rows) add(j int32, v float64) { r.col, r.val = append(r.col, j), append(r.val, v) }

// end closes the last row.
func (r *rows) end() { r.ptr = append(r.ptr, int64(len(r.col))) }

// factors are A ~ (I + l) (diag(d) + u) with strictly triangular l and u. If they
// are symmetric, l = (diag(d)^-1 u)^T is left out.
type factors struct {
	l, u      rows
	d         []float64
	symmetric bool
}

// entries counts the entries of l and u as they will be stored.
func (f *factors) entries() int64 {
	if f.symmetric {
		return 2 * int64(len(f.u.col))
	}
	return int64(len(f.l.col) + len(f.u.col))
}

// A placement maps pivots to equations and unknowns and scales these: the factors are those
// of 2^rowExp_k a_(row_k, col_k) 2^colExp_k. A nil slice stands for the identity.
type placement struct {
	row, col       []int32
	rowExp, colExp []int // of equations and unknowns by their numbers in A
	bounds         []int // of subdomains, see split
}

// incomplete is M = D_r (I + S L) (I + U T) D_c, the unknowns ordered by pivots.
// With g_k = sqrt|d_k|, the unit triangular factors are the factors of A scaled to
// pivots of one, which does not depend on the scaling of A and makes a symmetric
// M as symmetric as A. L and U are integers of one width, relative to the largest
// entry of a row of S L and of a column of U T, in the diagonals S and T: so both
// triangles of a symmetric M hold the same values.
//
// An application is 2 entries(L + U) operations and reads L, U, four vectors and
// the diagonals. Subdomains are solved in parallel.
type incomplete struct {
	hostOnly
	name     string
	n        int
	row, col []int32 // nil: the order of A
	bounds   []int   // of subdomains, independent of each other; nil: there are none
	sweeps   sweeps
	cost     Cost
	work     []float64

	pool     *parallel.Pool
	back     bool // of the sweep that is running, as the next two
	dst, src []float64
	together // of ApplyMany, if it is that
}

// sweeps are the two solves on rows lo <= k < hi.
type sweeps interface {
	forward(a *incomplete, lo, hi int)
	backward(a *incomplete, lo, hi int)
	forwardFour(a *incomplete, lo, hi int)
	backwardFour(a *incomplete, lo, hi int)
}

// value is the type of stored entries, real the type of stored diagonals.
type (
	value interface {
		int8 | int16 | int32 | float64
	}
	real interface{ float32 | float64 }
)

// triangle is L with S and D_r, or U with T and D_c.
type triangle[T value, S real] struct {
	ptr  []int32
	col  []int32
	val  []T
	diag []scales[S] // of each row
}

// scales are the element of D_r^-1 or D_c^-1 of a row, and its element of S or T.
type scales[S real] struct{ d, s S }

type pair[T value, S real] struct{ l, u triangle[T, S] }

// forward computes z = (I + S L)^-1 D_r^-1 src.
func (p *pair[T, S]) forward(a *incomplete, lo, hi int) {
	n := a.n
	z, src, ptr, diag := a.work[:n], a.src[:n], p.l.ptr[:n+1], p.l.diag[:n]
	begin := ptr[lo]
	for k := lo; k < hi && k < n; k++ {
		end := ptr[k+1]
		i := k
		if a.row != nil {
			i = int(a.row[k])
		}
		b := float64(diag[k].d) * src[i]
		z[k] = float64(b) - float64(float64(diag[k].s)*dot(p.l.col[begin:end], p.l.val[begin:end], z))
		begin = end
	}
}

// backward computes dst = D_c^-1 (I + U T)^-1 z and leaves T D_c dst in z.
func (p *pair[T, S]) backward(a *incomplete, lo, hi int) {
	n := a.n
	z, dst, ptr, diag := a.work[:n], a.dst[:n], p.u.ptr[:n+1], p.u.diag[:n]
	end := ptr[hi]
	for k := hi - 1; k >= lo && k < n; k-- {
		begin := ptr[k]
		x := z[k] - dot(p.u.col[begin:end], p.u.val[begin:end], z)
		z[k] = float64(diag[k].s) * x
		i := k
		if a.col != nil {
			i = int(a.col[k])
		}
		dst[i] = float64(diag[k].d) * x
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

// Apply computes dst = M^-1 src: subdomains in parallel, then the separator, and back.
func (a *incomplete) Apply(dst, src []float64) {
	a.dst, a.src = dst, src
	a.run()
	a.dst, a.src = nil, nil
}

// run does both sweeps.
func (a *incomplete) run() {
	subdomains, end := max(len(a.bounds)-1, 0), 0
	if subdomains > 0 {
		end = a.bounds[subdomains]
	}
	a.back = false
	a.pool.Run(subdomains, a)
	a.sweep(end, a.n)
	a.back = true
	a.sweep(end, a.n)
	a.pool.Run(subdomains, a)
}

// Do runs a sweep on one subdomain.
func (a *incomplete) Do(subdomain int) { a.sweep(a.bounds[subdomain], a.bounds[subdomain+1]) }

// sweep runs one on rows lo to hi-1.
func (a *incomplete) sweep(lo, hi int) {
	switch {
	case a.count > 0 && a.back:
		a.sweeps.backwardFour(a, lo, hi)
	case a.count > 0:
		a.sweeps.forwardFour(a, lo, hi)
	case a.back:
		a.sweeps.backward(a, lo, hi)
	default:
		a.sweeps.forward(a, lo, hi)
	}
}

// Cost implements Preconditioner.
func (a *incomplete) Cost() Cost { return a.cost }

func (a *incomplete) String() string { return a.name }

// storedBytes is the memory of incomplete factors of n unknowns and that many entries, with
// values of width bytes each: row pointers, permutations, work vector and scales.
func storedBytes(n, entries, width int64) int64 {
	scale := int64(8)
	if width <= 2 {
		scale = 4
	}
	return n*(2*4+2*4+8+4*scale) + entries*(4+width)
}

// width is the number of bytes of a value of accuracy epsilon relative to the largest in its
// row.
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

// checkEntries returns ErrMemory if factors of that many entries, of width bytes each, exceed
// the memory budget or indices of 32 bits.
func (s *setup) checkEntries(entries, width int64) error {
	if entries > math.MaxInt32 {
		return fmt.Errorf("%w: factors of %d entries, the limit is %d", ErrMemory, entries, math.MaxInt32)
	}
	if err := s.checkMemory(storedBytes(int64(s.m.Rows), entries, width)); err != nil {
		return fmt.Errorf("%w, for factors of %d entries", err, entries)
	}
	return nil
}

// sideBySide is the number of vectors that triangular solves take at once: the sums of a row, each of which waits for
// the addition before, take about as long for four vectors as for one.
const sideBySide = 4

// together are the vectors of an application to some at once, at most sideBySide.
type together struct {
	count  int // of them; 0: the application is to one vector
	dsts   [sideBySide][]float64
	srcs   [sideBySide][]float64
	behind []float64 // as incomplete.work, element i of vector v is number sideBySide*i+v
}

// ApplyMany implements krylov.SeveralPreconditioner.
func (a *incomplete) ApplyMany(dst, src [][]float64) {
	for len(dst) > 1 {
		if a.behind == nil {
			a.behind = make([]float64, sideBySide*a.n)
		}
		a.count = min(len(dst), sideBySide)
		copy(a.dsts[:], dst[:a.count])
		copy(a.srcs[:], src[:a.count])
		a.run()
		dst, src = dst[a.count:], src[a.count:]
		a.together = together{behind: a.behind}
	}
	for k := range dst {
		a.Apply(dst[k], src[k])
	}
}

// forwardFour is forward for several vectors.
func (p *pair[T, S]) forwardFour(a *incomplete, lo, hi int) {
	z, l := a.behind, &p.l
	for k := lo; k < hi; k++ {
		i := k
		if a.row != nil {
			i = int(a.row[k])
		}
		begin, end := l.ptr[k], l.ptr[k+1]
		sums := dotFour(l.col[begin:end], l.val[begin:end], z)
		d, s := float64(l.diag[k].d), float64(l.diag[k].s)
		to := z[sideBySide*k:][:sideBySide]
		for v, src := range a.srcs[:a.count] {
			b := d * src[i]
			to[v] = float64(b) - float64(s*sums[v])
		}
	}
}

// backwardFour is backward for several vectors.
func (p *pair[T, S]) backwardFour(a *incomplete, lo, hi int) {
	z, u := a.behind, &p.u
	for k := hi - 1; k >= lo; k-- {
		i := k
		if a.col != nil {
			i = int(a.col[k])
		}
		begin, end := u.ptr[k], u.ptr[k+1]
		sums := dotFour(u.col[begin:end], u.val[begin:end], z)
		d, s := float64(u.diag[k].d), float64(u.diag[k].s)
		to := z[sideBySide*k:][:sideBySide]
		for v, dst := range a.dsts[:a.count] {
			x := to[v] - sums[v]
			to[v] = s * x
			dst[i] = d * x
		}
	}
}

// dotFour is dot for vectors side by side.
func dotFour[T value](cols []int32, vals []T, x []float64) [sideBySide]float64 {
	var s0, s1, s2, s3 float64
	vals = vals[:len(cols)]
	for k, j := range cols {
		v, e := float64(vals[k]), x[sideBySide*int(j):][:sideBySide]
		s0 += float64(v * e[0])
		s1 += float64(v * e[1])
		s2 += float64(v * e[2])
		s3 += float64(v * e[3])
	}
	return [sideBySide]float64{s0, s1, s2, s3}
}
