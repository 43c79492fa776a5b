package precond

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
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
