package factor

import (
	"cmp"
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// staticPivots returns the elimination with the largest pivot of each column among the rows of the pivots of
// its front, which replaces those that vanish ([LiDemmel98], [SchenkGaertner06]): which rows are
// in which front does not depend on values. Columns are eliminated one after the other in blocks, and blocks in panels, which then are
// subtracted from what is right of and below them.
func staticPivots[T kernels.Value](r *Rule) pivoting[T] {
	return func(t *frontal[T], j, m int, rest kernels.Dense[T]) error {
		k, u, least := t.pivots(j), t.upper(j), negligible[T]()
		t.lu = luFront[T]{dense: &t.dense, u: u, l: t.lower(j), rest: rest, k: k, m: m}
		for lo := 0; lo < k; lo += panel {
			hi := min(lo+panel, k)
			for at := lo; at < hi; at += pivotBlock {
				end := min(at+pivotBlock, hi)
				for q := at; q < end; q++ {
					t.pivot(j, q, r)
					scale := 1 / u.Val[q*u.Stride+q]
					for i := q + 1; i < k; i++ {
						u.Val[i*u.Stride+q] = flushed(u.Val[i*u.Stride+q]*scale, least)
					}
					flush(u, q, q+1, q+1, end)
					t.dense.MulSub(u.At(q+1, q+1), u.At(q+1, q), u.At(q, q+1), k-q-1, end-q-1, 1)
				}
				for q := at + 1; q < end; q++ {
					t.dense.MulSub(u.At(q, end), u.At(q, at), u.At(at, end), 1, hi-end, q-at)
				}
				flush(u, at, end, end, hi)
				t.dense.MulSub(u.At(end, end), u.At(end, at), u.At(at, end), k-end, hi-end, end-at)
			}
			if err := cmp.Or(r.fault(precisionOf[T]()), t.watch((hi-lo)*(k+m)*(k-lo))); err != nil {
				return err
			}
			t.lu.lo, t.lu.hi = lo, hi
			t.share((k+m-hi+columnBlock-1)/columnBlock, besidePanel[T]{&t.dense, u, u, lo, hi, hi, k + m, 0})
			t.share((k-hi+restBlock-1)/restBlock, &t.lu)
		}
		t.share((m+restBlock-1)/restBlock, belowPivots[T]{&t.lu})
		return nil
	}
}

// besidePanel are the rows lo to hi-1 of U right of the columns that are finished, before the rows above them in the panel are subtracted.
// L has the factors.
type besidePanel[T kernels.Value] struct {
	dense  *kernels.DenseKernels[T]
	u, l   kernels.Dense[T]
	lo, hi int
	done   int // columns that are finished
	end    int // of the columns
	before int // columns that l is without
}

// Do subtracts in a part of the columns.
func (b besidePanel[T]) Do(part int) {
	column := b.done + part*columnBlock
	columns := min(columnBlock, b.end-column)
	for at := b.lo; at < b.hi; at += pivotBlock {
		end := min(at+pivotBlock, b.hi)
		b.dense.MulSub(b.u.At(at, column), b.l.At(at, b.lo-b.before), b.u.At(b.lo, column), end-at, columns, at-b.lo)
		for q := at + 1; q < end; q++ {
			b.dense.MulSub(b.u.At(q, column), b.l.At(q, at-b.before), b.u.At(at, column), 1, columns, q-at)
		}
		flush(b.u, at, end, column, column+columns)
	}
}

// luFront is a front of k pivots and m other rows while its pivots are eliminated.
type luFront[T kernels.Value] struct {
	dense      *kernels.DenseKernels[T]
	u, l, rest kernels.Dense[T]
	k, m       int
	lo, hi     int // the panel
}

// Do subtracts what a panel contributes to a part of the rows of the pivots that follow.
func (f *luFront[T]) Do(part int) {
	lo := f.hi + part*restBlock
	hi := min(lo+restBlock, f.k)
	f.dense.MulSub(f.u.At(lo, f.hi), f.u.At(lo, f.lo), f.u.At(f.lo, f.hi), hi-lo, f.k+f.m-f.hi, f.hi-f.lo)
}

// belowPivots are the rows of a front that remain when the pivots have been eliminated among their own rows.
type belowPivots[T kernels.Value] struct{ *luFront[T] }

// Do makes a part of the rows of L, and subtracts what they contribute to the rest.
func (f belowPivots[T]) Do(part int) {
	from, to, least := part*restBlock, min((part+1)*restBlock, f.m), negligible[T]()
	for lo := 0; lo < f.k; lo += pivotBlock {
		hi := min(lo+pivotBlock, f.k)
		f.dense.MulSub(f.l.At(from, lo), f.l.At(from, 0), f.u.At(0, lo), to-from, hi-lo, lo)
		for q := lo; q < hi; q++ {
			scale := 1 / f.u.Val[q*f.u.Stride+q]
			for i := from; i < to; i++ {
				f.l.Val[i*f.k+q] = flushed(f.l.Val[i*f.k+q]*scale, least)
			}
			f.dense.MulSub(f.l.At(from, q+1), f.l.At(from, q), f.u.At(q, q+1), to-from, hi-q-1, 1)
		}
	}
	f.dense.MulSub(f.rest.At(from, 0), f.l.At(from, 0), f.u.At(0, f.k), to-from, f.m, f.k)
}

// pivot brings the largest pivot of column q of node j into row q.
func (t *frontal[T]) pivot(j, q int, r *Rule) {
	k, u := t.pivots(j), t.upper(j)
	best, most := q, abs(u.Val[q*u.Stride+q])
	for i := q + 1; i < k; i++ {
		if v := abs(u.Val[i*u.Stride+q]); v > most {
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
	if pivot := &u.Val[q*u.Stride+q]; !(most > smallest[T](Replacement)) || !finite(*pivot) {
		*pivot = T(math.Copysign(float64(smallest[T](Replacement)), float64(*pivot)))
		r.Replaced.Add(1)
	}
}

// abs returns |v|.
func abs[T kernels.Value](v T) T { return max(v, -v) }

// smallest is a size of pivots in FP64; in FP32 it is half the digits, for a matrix whose rows have elements of about 1.
func smallest[T kernels.Value](inFP64 float64) T {
	if precisionOf[T]() == FP32 {
		return 0x1p-12
	}
	return T(inFP64)
}

// negligible is the magnitude below which elements of factors in FP32 become zero: products of others are no subnormal numbers, with which
// many processors compute a hundred times as slowly. Rows have elements of about 1. In FP64 no element is so small that it matters.
func negligible[T kernels.Value]() T {
	if precisionOf[T]() == FP32 {
		return 0x1p-60
	}
	return 0
}

// flushed returns v, or zero if it is negligible.
func flushed[T kernels.Value](v, least T) T {
	if abs(v) < least {
		return 0
	}
	return v
}

// flush replaces negligible elements in the rows lo to hi-1 of u, in the columns from to to-1.
func flush[T kernels.Value](u kernels.Dense[T], lo, hi, from, to int) {
	least := negligible[T]()
	if least == 0 || from >= to {
		return
	}
	for i := lo; i < hi; i++ {
		row := u.Row(i, from, to)
		for q, v := range row {
			row[q] = flushed(v, least)
		}
	}
}

func finite[T kernels.Value](v T) bool { return v-v == 0 }

// Replacement is what a pivot that vanishes becomes in FP64, where a row has elements of about 1: half the digits [LiDemmel98].
const Replacement = 0x1p-26

const (
	pivotBlock = 16  // rows that are eliminated before they are subtracted from others of their panel
	panel      = 256 // rows that are eliminated before they are subtracted from the rows that follow
	restBlock  = 48  // rows of a front that a thread takes at a time

	columnBlock = 240 // columns of a panel that a thread takes at a time
)
