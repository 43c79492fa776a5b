package factor

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
)

// acceptance returns what a pivot is to be, by its number.
type acceptance func(k int, pivot float64) (float64, error)

// ldl returns the elimination of the pivots of a symmetric front in their order, of which it has the upper
// triangle: rows of U = D L^T, blocks of them from those above in their panel. Panels are subtracted from all that follows.
func ldl[T kernels.Value](accept acceptance) pivoting[T] {
	return func(t *frontal[T], j, m int, rest kernels.Dense[T]) error {
		f, k := t.symmetricFront(j, m, panel), t.pivots(j)
		u, l := f.u, f.l
		for lo := 0; lo < k; lo += panel {
			hi := min(lo+panel, k)
			f.lo, f.hi = lo, hi
			for at := lo; at < hi; at += pivotBlock {
				end := min(at+pivotBlock, hi)
				f.transpose(at, end, lo, at)
				t.dense.MulSub(u.At(at, at), l.At(at, 0), u.At(lo, at), end-at, hi-at, at-lo)
				for q := at; q < end; q++ {
					t.dense.MulSub(u.At(q, q), l.At(q, at-lo), u.At(at, q), 1, hi-q, q-at)
					flush(u, q, q+1, q+1, hi)
					pivot, err := accept(int(t.first[j])+q, float64(u.Val[q*u.Stride+q]))
					if err != nil {
						return err
					}
					u.Val[q*u.Stride+q] = T(pivot)
					f.inverse[q-lo] = 1 / u.Val[q*u.Stride+q]
					f.transpose(q+1, end, q, q+1)
				}
			}
			if err := f.finish(t, m, hi, rest); err != nil {
				return err
			}
		}
		return nil
	}
}

// ldlFront is a symmetric front while its pivots are eliminated.
type ldlFront[T kernels.Value] struct {
	u       kernels.Dense[T]
	l       kernels.Dense[T] // columns lo to hi-1, without the unit diagonal
	inverse []T              // of the pivots of the panel: the diagonal of D^-1
	across  []T              // the element of D^-1 beside a diagonal one, that of the second of a pair of pivots; 0: single
	size    int              // of the front
	lo, hi  int              // the panel
	dense   *kernels.DenseKernels[T]

	from, to int              // the rows of the front that it is being subtracted from
	c        kernels.Dense[T] // the part of the front from row and column from on
}

// symmetricFront is the front of node j, whose panels have that many pivots, or one more.
func (t *frontal[T]) symmetricFront(j, m, most int) *ldlFront[T] {
	k := t.pivots(j)
	wide := min(k, most+1)
	room := t.room((k+m+2)*wide + 2*k)
	t.rows, room = room[:2*k], room[2*k:]
	t.ldl = ldlFront[T]{
		u: t.upper(j), l: kernels.Dense[T]{Val: room[2*wide:], Stride: wide}, inverse: room[:wide], across: room[wide : 2*wide],
		size: k + m, dense: &t.dense,
	}
	clear(t.ldl.across)
	return &t.ldl
}

// finish subtracts a panel, whose rows are finished up to column done, from what is right of it and from all that follows.
func (f *ldlFront[T]) finish(t *frontal[T], m, done int, rest kernels.Dense[T]) error {
	k := f.size - m
	if err := t.watch((f.hi - f.lo) * (f.size - f.lo) * (f.size - f.lo) / 2); err != nil {
		return err
	}
	t.share((f.size-done+columnBlock-1)/columnBlock, besidePanel[T]{f.dense, f.u, f.l, f.lo, f.hi, done, f.size, f.lo})
	f.subtract(t, f.hi, k, f.u.At(f.hi, f.hi))
	f.subtract(t, k, f.size, rest)
	return nil
}

// subtract subtracts what a panel contributes to the rows from to to-1 of the front.
func (f *ldlFront[T]) subtract(t *frontal[T], from, to int, c kernels.Dense[T]) {
	f.from, f.to, f.c = from, to, c
	t.share((to-from+restBlock-1)/restBlock, f)
}

// transpose makes columns lo to hi-1 of the rows from to to-1 of L = U^T D^-1.
func (f *ldlFront[T]) transpose(from, to, lo, hi int) {
	if from >= to {
		return
	}
	for p := lo; p < hi; p++ {
		row, inverse, l := f.u.Row(p, from, to), f.inverse[p-f.lo], f.l.Val[from*f.l.Stride+p-f.lo:]
		if across := f.across[p-f.lo]; across != 0 {
			second, last := f.u.Row(p+1, from, to), f.inverse[p+1-f.lo]
			for q, v := range row {
				w := second[q]
				l[q*f.l.Stride], l[q*f.l.Stride+1] = T(v*inverse)+T(w*across), T(v*across)+T(w*last)
			}
			p++
			continue
		}
		for q, v := range row {
			l[q*f.l.Stride] = v * inverse
		}
	}
}

// Do implements parallel.Job: it subtracts from some of the rows.
func (f *ldlFront[T]) Do(part int) {
	lo := part * restBlock
	hi := min(lo+restBlock, f.to-f.from)
	f.transpose(f.from+lo, f.from+hi, f.lo, f.hi)
	f.dense.MulSub(f.c.At(lo, lo), f.l.At(f.from+lo, 0), f.u.At(f.lo, f.from+lo), hi-lo, f.size-f.from-lo, f.hi-f.lo)
}
