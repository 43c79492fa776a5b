package precond

import (
	"math"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// staticPivots eliminates with the largest pivot of each column among the rows of the pivots of
// its front, and replaces those that vanish ([LiDemmel98], [SchenkGaertner06]): which rows are
// in which front does not depend on values.
type staticPivots struct {
	replaced atomic.Int64
}

// eliminate is pivoting: column after column in blocks, which then are subtracted from what
// is right of and below them.
func (s *staticPivots) eliminate(t *frontal, j, m int, rest kernels.Dense) error {
	k, u, l := t.pivots(j), t.upper(j), t.lower(j)
	for lo := 0; lo < k; lo += pivotBlock {
		hi := min(lo+pivotBlock, k)
		for q := lo; q < hi; q++ {
			s.pivot(t, j, q)
			scale := 1 / u.Val[q*u.Stride+q]
			for i := q + 1; i < k; i++ {
				u.Val[i*u.Stride+q] *= scale
			}
			for i := range m {
				l.Val[i*k+q] *= scale
			}
			kernels.Default().MulSub(u.At(q+1, q+1), u.At(q+1, q), u.At(q, q+1), k-q-1, hi-q-1, 1)
			kernels.Default().MulSub(l.At(0, q+1), l.At(0, q), u.At(q, q+1), m, hi-q-1, 1)
		}
		for q := lo + 1; q < hi; q++ {
			kernels.Default().MulSub(u.At(q, hi), u.At(q, lo), u.At(lo, hi), 1, k+m-hi, q-lo)
		}
		kernels.Default().MulSub(u.At(hi, hi), u.At(hi, lo), u.At(lo, hi), k-hi, k+m-hi, hi-lo)
		kernels.Default().MulSub(l.At(0, hi), l.At(0, lo), u.At(lo, hi), m, k-hi, hi-lo)
		if err := t.watch.spend((hi - lo) * (k + m) * (k - lo)); err != nil {
			return err
		}
	}
	t.lu = luFront{u: u, l: l, rest: rest, k: k, m: m}
	t.share((m+restBlock-1)/restBlock, &t.lu)
	return nil
}

// luFront is a front of k pivots and m other rows whose pivots have been eliminated.
type luFront struct {
	u, l, rest kernels.Dense
	k, m       int
}

// Do subtracts what the pivots contribute to a part of the rest.
func (f *luFront) Do(part int) {
	lo, hi := part*restBlock, min((part+1)*restBlock, f.m)
	kernels.Default().MulSub(f.rest.At(lo, 0), f.l.At(lo, 0), f.u.At(0, f.k), hi-lo, f.m, f.k)
}

// pivot brings the largest pivot of column q of node j into row q.
func (s *staticPivots) pivot(t *frontal, j, q int) {
	k, u := t.pivots(j), t.upper(j)
	best, most := q, math.Abs(u.Val[q*u.Stride+q])
	for i := q + 1; i < k; i++ {
		if v := math.Abs(u.Val[i*u.Stride+q]); v > most {
			best, most = i, v
		}
	}
	if best != q {
		a, b := u.Row(q, 0, u.Stride), u.Row(best, 0, u.Stride)
		for e, v := range a {
			a[e], b[e] = b[e], v
		}
		lo := int(t.first[j])
		t.row[lo+q], t.row[lo+best] = t.row[lo+best], t.row[lo+q]
	}
	if pivot := &u.Val[q*u.Stride+q]; !(most > replacement) || !finite(*pivot) {
		*pivot = math.Copysign(replacement, *pivot)
		s.replaced.Add(1)
	}
}

const (
	pivotBlock = 16 // rows that are eliminated before they are subtracted from others
	restBlock  = 48 // rows of the rest of a front that a thread takes at a time
)

// acceptance returns what a pivot is to be, by its number.
type acceptance func(k int, pivot float64) (float64, error)

// ldl eliminates the pivots of a symmetric front in their order, of which it has the upper
// triangle: rows of U = D L^T, blocks of them from those above.
func (accept acceptance) ldl(t *frontal, j, m int, rest kernels.Dense) error {
	k := t.pivots(j)
	room := t.room((k + m + 1) * k)
	t.ldl = ldlFront{u: t.upper(j), l: kernels.Dense{Val: room[k:], Stride: k}, inverse: room[:k], rest: rest, k: k, m: m}
	f := &t.ldl
	u, l := f.u, f.l
	for lo := 0; lo < k; lo += pivotBlock {
		hi := min(lo+pivotBlock, k)
		f.transpose(lo, hi, 0, lo)
		kernels.Default().MulSub(u.At(lo, lo), l.At(lo, 0), u.At(0, lo), hi-lo, k+m-lo, lo)
		for q := lo; q < hi; q++ {
			kernels.Default().MulSub(u.At(q, q), l.At(q, lo), u.At(lo, q), 1, k+m-q, q-lo)
			pivot, err := accept(int(t.first[j])+q, u.Val[q*u.Stride+q])
			if err != nil {
				return err
			}
			u.Val[q*u.Stride+q], f.inverse[q] = pivot, 1/pivot
			f.transpose(q+1, hi, q, q+1)
		}
		if err := t.watch.spend((hi - lo) * (hi + m) * hi); err != nil {
			return err
		}
	}
	t.share((m+restBlock-1)/restBlock, f)
	return nil
}

// ldlFront is a symmetric front of k pivots and m other rows while its pivots are eliminated.
type ldlFront struct {
	u, l, rest kernels.Dense // the unit diagonal of L is left out
	inverse    []float64     // of pivots
	k, m       int
}

// transpose makes columns lo to hi-1 of the rows from to to-1 of L.
func (f *ldlFront) transpose(from, to, lo, hi int) {
	for p := lo; p < hi; p++ {
		row := f.u.Row(p, from, to)
		for q, v := range row {
			f.l.Val[(from+q)*f.k+p] = v * f.inverse[p]
		}
	}
}

// Do subtracts what the pivots contribute to a part of the rest.
func (f *ldlFront) Do(part int) {
	lo, hi := part*restBlock, min((part+1)*restBlock, f.m)
	f.transpose(f.k+lo, f.k+hi, 0, f.k)
	kernels.Default().MulSub(f.rest.At(lo, lo), f.l.At(f.k+lo, 0), f.u.At(0, f.k+lo), hi-lo, f.m-lo, f.k)
}
