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

// eliminate is pivoting: column after column in blocks, and blocks in panels, which then are subtracted from what is right of
// and below them.
func (s *staticPivots) eliminate(t *frontal, j, m int, rest kernels.Dense) error {
	k, u := t.pivots(j), t.upper(j)
	t.lu = luFront{u: u, l: t.lower(j), rest: rest, k: k, m: m}
	for lo := 0; lo < k; lo += panel {
		hi := min(lo+panel, k)
		for at := lo; at < hi; at += pivotBlock {
			end := min(at+pivotBlock, hi)
			for q := at; q < end; q++ {
				s.pivot(t, j, q)
				scale := 1 / u.Val[q*u.Stride+q]
				for i := q + 1; i < k; i++ {
					u.Val[i*u.Stride+q] *= scale
				}
				kernels.Default().MulSub(u.At(q+1, q+1), u.At(q+1, q), u.At(q, q+1), k-q-1, end-q-1, 1)
			}
			for q := at + 1; q < end; q++ {
				kernels.Default().MulSub(u.At(q, end), u.At(q, at), u.At(at, end), 1, hi-end, q-at)
			}
			kernels.Default().MulSub(u.At(end, end), u.At(end, at), u.At(at, end), k-end, hi-end, end-at)
		}
		if err := t.watch.spend((hi - lo) * (k + m) * (k - lo)); err != nil {
			return err
		}
		t.lu.lo, t.lu.hi = lo, hi
		t.share((k+m-hi+columnBlock-1)/columnBlock, besidePanel{u: u, l: u, lo: lo, hi: hi, end: k + m})
		t.share((k-hi+restBlock-1)/restBlock, &t.lu)
	}
	below := belowPivots{&t.lu}
	t.share((m+restBlock-1)/restBlock, below)
	return nil
}

// besidePanel are the rows lo to hi-1 of U right of column hi, before the rows above them in the panel are subtracted. L has the factors.
type besidePanel struct {
	u, l   kernels.Dense
	lo, hi int
	end    int // of the columns
	before int // columns that l is without
}

// Do subtracts in a part of the columns.
func (b besidePanel) Do(part int) {
	column := b.hi + part*columnBlock
	columns := min(columnBlock, b.end-column)
	for at := b.lo; at < b.hi; at += pivotBlock {
		end := min(at+pivotBlock, b.hi)
		kernels.Default().MulSub(b.u.At(at, column), b.l.At(at, b.lo-b.before), b.u.At(b.lo, column), end-at, columns, at-b.lo)
		for q := at + 1; q < end; q++ {
			kernels.Default().MulSub(b.u.At(q, column), b.l.At(q, at-b.before), b.u.At(at, column), 1, columns, q-at)
		}
	}
}

// luFront is a front of k pivots and m other rows while its pivots are eliminated.
type luFront struct {
	u, l, rest kernels.Dense
	k, m       int
	lo, hi     int // the panel
}

// Do subtracts what a panel contributes to a part of the rows of the pivots that follow.
func (f *luFront) Do(part int) {
	lo := f.hi + part*restBlock
	hi := min(lo+restBlock, f.k)
	kernels.Default().MulSub(f.u.At(lo, f.hi), f.u.At(lo, f.lo), f.u.At(f.lo, f.hi), hi-lo, f.k+f.m-f.hi, f.hi-f.lo)
}

// belowPivots are the rows of a front that remain when the pivots have been eliminated among their own rows.
type belowPivots struct{ *luFront }

// Do makes a part of the rows of L, and subtracts what they contribute to the rest.
func (f belowPivots) Do(part int) {
	from, to := part*restBlock, min((part+1)*restBlock, f.m)
	for lo := 0; lo < f.k; lo += pivotBlock {
		hi := min(lo+pivotBlock, f.k)
		kernels.Default().MulSub(f.l.At(from, lo), f.l.At(from, 0), f.u.At(0, lo), to-from, hi-lo, lo)
		for q := lo; q < hi; q++ {
			scale := 1 / f.u.Val[q*f.u.Stride+q]
			for i := from; i < to; i++ {
				f.l.Val[i*f.k+q] *= scale
			}
			kernels.Default().MulSub(f.l.At(from, q+1), f.l.At(from, q), f.u.At(q, q+1), to-from, hi-q-1, 1)
		}
	}
	kernels.Default().MulSub(f.rest.At(from, 0), f.l.At(from, 0), f.u.At(0, f.k), to-from, f.m, f.k)
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
	pivotBlock = 16  // rows that are eliminated before they are subtracted from others of their panel
	panel      = 256 // rows that are eliminated before they are subtracted from the rows that follow
	restBlock  = 48  // rows of a front that a thread takes at a time

	columnBlock = 240 // columns of a panel that a thread takes at a time
)

// acceptance returns what a pivot is to be, by its number.
type acceptance func(k int, pivot float64) (float64, error)

// ldl eliminates the pivots of a symmetric front in their order, of which it has the upper
// triangle: rows of U = D L^T, blocks of them from those above in their panel. Panels are subtracted from all that follows.
func (accept acceptance) ldl(t *frontal, j, m int, rest kernels.Dense) error {
	k := t.pivots(j)
	wide := min(k, panel)
	room := t.room((k + m + 1) * wide)
	t.ldl = ldlFront{u: t.upper(j), l: kernels.Dense{Val: room[wide:], Stride: wide}, inverse: room[:wide], size: k + m}
	f := &t.ldl
	u, l := f.u, f.l
	for lo := 0; lo < k; lo += panel {
		hi := min(lo+panel, k)
		f.lo, f.hi = lo, hi
		for at := lo; at < hi; at += pivotBlock {
			end := min(at+pivotBlock, hi)
			f.transpose(at, end, lo, at)
			kernels.Default().MulSub(u.At(at, at), l.At(at, 0), u.At(lo, at), end-at, hi-at, at-lo)
			for q := at; q < end; q++ {
				kernels.Default().MulSub(u.At(q, q), l.At(q, at-lo), u.At(at, q), 1, hi-q, q-at)
				pivot, err := accept(int(t.first[j])+q, u.Val[q*u.Stride+q])
				if err != nil {
					return err
				}
				u.Val[q*u.Stride+q], f.inverse[q-lo] = pivot, 1/pivot
				f.transpose(q+1, end, q, q+1)
			}
		}
		if err := t.watch.spend((hi - lo) * (k + m - lo) * (k + m - lo) / 2); err != nil {
			return err
		}
		t.share((k+m-hi+columnBlock-1)/columnBlock, besidePanel{u, l, lo, hi, k + m, lo})
		f.subtract(t, hi, k, u.At(hi, hi))
		f.subtract(t, k, k+m, rest)
	}
	return nil
}

// ldlFront is a symmetric front while its pivots are eliminated.
type ldlFront struct {
	u       kernels.Dense
	l       kernels.Dense // columns lo to hi-1, without the unit diagonal
	inverse []float64     // of their pivots
	size    int           // of the front
	lo, hi  int           // the panel

	from, to int           // the rows of the front that it is being subtracted from
	c        kernels.Dense // the part of the front from row and column from on
}

// subtract subtracts what a panel contributes to the rows from to to-1 of the front.
func (f *ldlFront) subtract(t *frontal, from, to int, c kernels.Dense) {
	f.from, f.to, f.c = from, to, c
	t.share((to-from+restBlock-1)/restBlock, f)
}

// transpose makes columns lo to hi-1 of the rows from to to-1 of L.
func (f *ldlFront) transpose(from, to, lo, hi int) {
	for p := lo; p < hi; p++ {
		row := f.u.Row(p, from, to)
		for q, v := range row {
			f.l.Val[(from+q)*f.l.Stride+p-f.lo] = v * f.inverse[p-f.lo]
		}
	}
}

// Do implements parallel.Job: it subtracts from some of the rows.
func (f *ldlFront) Do(part int) {
	lo := part * restBlock
	hi := min(lo+restBlock, f.to-f.from)
	f.transpose(f.from+lo, f.from+hi, f.lo, f.hi)
	kernels.Default().MulSub(f.c.At(lo, lo), f.l.At(f.from+lo, 0), f.u.At(f.lo, f.from+lo), hi-lo, f.size-f.from-lo, f.hi-f.lo)
}
