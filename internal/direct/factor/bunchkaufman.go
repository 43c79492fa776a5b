package factor

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// pairPanel is the number of pivots, or one less, that are eliminated by pairs before they are subtracted from the rows that follow.
const pairPanel = 64

// growth bounds the elements of factors by Bunch and Kaufman's choice of pivots [BunchKaufman77]: (1 + sqrt(17)) / 8.
const growth = 0.6403882032022076

// Vanishing is the largest pivot of a symmetric front that is replaced in FP64, where a row has elements of about 1. Smaller ones than [Replacement] are
// often as accurate as others, such as the regularisation of a quadratic program; rounding errors are smaller than Vanishing.
const Vanishing = 0x1p-38

// bunchKaufman returns the elimination of the pivots of a symmetric front by the partial pivoting of Bunch and Kaufman among the rows of
// its pivots [BunchKaufman77]: D has blocks of 1 x 1 and of 2 x 2. Pivots that vanish are replaced.
func bunchKaufman[T kernels.Value](r *Rule) pivoting[T] {
	return func(t *frontal[T], j, m int, rest kernels.Dense[T]) error {
		k := t.pivots(j)
		f := t.symmetricFront(j, m, pairPanel)
		lo, hi := t.first[j], t.first[j+1]
		b := pivotSearch[T]{f, r, t.row[lo:hi], t.paired[lo:hi], k, t.rows[:2*k]}
		for lo := 0; lo < k; lo = f.hi {
			f.lo, f.hi = lo, lo
			clear(f.across)
			for f.hi < min(lo+pairPanel, k) {
				b.choose()
			}
			if err := b.fault(precisionOf[T]()); err != nil {
				return err
			}
			if err := f.finish(t, m, k, rest); err != nil {
				return err
			}
		}
		return nil
	}
}

// pivotSearch is a symmetric front whose pivots are being chosen; those before hi are.
type pivotSearch[T kernels.Value] struct {
	*ldlFront[T]
	*Rule
	row    []int32 // the place of each pivot at first
	paired []bool  // whether a pivot is the first of a pair
	k      int     // pivots
	work   []T     // two rows
}

// choose chooses the next pivot or pair, and finishes its rows of U up to column k.
func (b *pivotSearch[T]) choose() {
	q, k := b.hi, b.k
	first := b.candidate(q, b.work[:k-q])
	r, largest := argmax(first, 0)
	own := abs(first[0])
	if own >= growth*largest || !(largest > smallest[T](Vanishing)) {
		b.single(first)
		return
	}
	second := b.candidate(q+r, b.work[k:k+k-q])
	_, beside := argmax(second, r)
	switch {
	case own*beside >= growth*largest*largest:
		b.single(first)
	case abs(second[r]) >= growth*beside:
		b.swap(q, q+r)
		second[0], second[r] = second[r], second[0]
		b.single(second)
	default:
		b.swap(q+1, q+r)
		first[1], first[r] = first[r], first[1]
		second[1], second[r] = second[r], second[1]
		b.pair(first, second)
	}
}

// argmax returns the place of the largest element but one, -1 if all others are zero, and its size.
func argmax[T kernels.Value](v []T, but int) (at int, largest T) {
	at = -1
	for i, x := range v {
		if x = abs(x); x > largest && i != but {
			at, largest = i, x
		}
	}
	return at, largest
}

// candidate sets row to row i of what remains of the front, from column hi on, before which the pivots have been eliminated.
func (b *pivotSearch[T]) candidate(i int, row []T) []T {
	q, u := b.hi, b.u
	for p := q; p < i; p++ {
		row[p-q] = u.Val[p*u.Stride+i]
	}
	copy(row[i-q:], u.Row(i, i, b.k))
	b.transpose(i, i+1, b.lo, q)
	b.dense.MulSub(kernels.Dense[T]{Val: row, Stride: len(row)}, b.l.At(i, 0), u.At(b.lo, q), 1, len(row), q-b.lo)
	return row
}

// single makes a pivot of the row, replaced if it vanishes.
func (b *pivotSearch[T]) single(row []T) {
	q := b.hi
	if !(abs(row[0]) > smallest[T](Vanishing)) || !finite(row[0]) {
		row[0] = T(math.Copysign(float64(smallest[T](Replacement)), float64(row[0])))
		b.Replaced.Add(1)
	}
	if row[0] < 0 {
		b.Negative.Add(1)
	}
	copy(b.u.Row(q, q, b.k), row)
	flush(b.u, q, q+1, q+1, b.k)
	b.inverse[q-b.lo] = 1 / row[0]
	b.hi++
}

// pair makes pivots of two rows.
func (b *pivotSearch[T]) pair(first, second []T) {
	q := b.hi
	copy(b.u.Row(q, q, b.k), first)
	copy(b.u.Row(q+1, q+1, b.k), second[1:])
	flush(b.u, q, q+2, q+2, b.k)
	d := symmetricPair{float64(first[0]), float64(first[1]), float64(second[1])}.inverse()
	b.inverse[q-b.lo], b.across[q-b.lo], b.inverse[q-b.lo+1] = T(d.a), T(d.b), T(d.c)
	b.Negative.Add(1)
	b.l.Val[(q+1)*b.l.Stride+q-b.lo] = 0
	b.paired[q] = true
	b.hi += 2
}

// swap exchanges pivots s < r that have not been chosen, or are one pivot.
func (b *pivotSearch[T]) swap(s, r int) {
	if s == r {
		return
	}
	u := b.u
	for p := range s {
		row := u.Row(p, 0, u.Stride)
		row[s], row[r] = row[r], row[s]
	}
	above, below := u.Row(s, 0, u.Stride), u.Row(r, 0, u.Stride)
	for i := s + 1; i < r; i++ {
		at := &u.Val[i*u.Stride+r]
		above[i], *at = *at, above[i]
	}
	for i := r + 1; i < len(above); i++ {
		above[i], below[i] = below[i], above[i]
	}
	above[s], below[r] = below[r], above[s]
	l, e := b.l.Row(s, 0, b.hi-b.lo), b.l.Row(r, 0, b.hi-b.lo)
	for p, v := range l {
		l[p], e[p] = e[p], v
	}
	b.row[s], b.row[r] = b.row[r], b.row[s]
}

// symmetricPair is a block of D, or its inverse: the symmetric matrix of a, b; b, c.
type symmetricPair struct{ a, b, c float64 }

// inverse returns D^-1, where |a c| < b^2.
func (d symmetricPair) inverse() symmetricPair {
	a, c := d.a/d.b, d.c/d.b
	across := 1 / (d.b - float64(a*c)*d.b)
	return symmetricPair{-c * across, across, -a * across}
}

// inverseModulus returns the inverse of |D| = (D^2)^(1/2), which is positive definite.
func (d symmetricPair) inverseModulus() symmetricPair {
	det := math.Abs(math.FMA(d.a, d.c, -d.b*d.b))
	a, b, c := math.FMA(d.a, d.a, d.b*d.b)+det, d.b*(d.a+d.c), math.FMA(d.c, d.c, d.b*d.b)+det // D^2 + |det D| I = (a + c)^(1/2) |D|
	scale := 1 / (det * math.Sqrt(a+c))
	return symmetricPair{c * scale, -b * scale, a * scale}
}

// times returns the product with a vector.
func (d symmetricPair) times(x, y float64) (float64, float64) {
	return float64(d.a*x) + float64(d.b*y), float64(d.b*x) + float64(d.c*y)
}
