package precond

import "github.com/mpsolve/mpsolve/internal/kernels"

const (
	pivotBlock = 16 // rows that are eliminated before they are subtracted from others
	restBlock  = 48 // rows of the rest of a front that a thread takes at a time
)

// acceptance returns what a pivot is to be, by its number.
type acceptance func(k int, pivot float64) (float64, error)

// ldl eliminates the pivots of a symmetric front in their order, of which it has the upper
// triangle: rows of U = D L^T, blocks of them from those above.
func (accept acceptance) ldl(t *frontal, j, m int, rest kernels.Dense) error {
	k, u := t.pivots(j), t.upper(j)
	room := t.room((k + m + 1) * k)
	l, inverse := kernels.Dense{Val: room[k:], Stride: k}, room[:k] // L, unit diagonal left out
	transpose := func(from, to, lo, hi int) {                       // rows from to to-1 of L, columns lo to hi-1
		for p := lo; p < hi; p++ {
			row := u.Row(p, from, to)
			for q, v := range row {
				l.Val[(from+q)*k+p] = v * inverse[p]
			}
		}
	}
	for lo := 0; lo < k; lo += pivotBlock {
		hi := min(lo+pivotBlock, k)
		transpose(lo, hi, 0, lo)
		kernels.MulSub(u.At(lo, lo), l.At(lo, 0), u.At(0, lo), hi-lo, k+m-lo, lo)
		for q := lo; q < hi; q++ {
			kernels.MulSub(u.At(q, q), l.At(q, lo), u.At(lo, q), 1, k+m-q, q-lo)
			pivot, err := accept(int(t.first[j])+q, u.Val[q*u.Stride+q])
			if err != nil {
				return err
			}
			u.Val[q*u.Stride+q], inverse[q] = pivot, 1/pivot
			transpose(q+1, hi, q, q+1)
		}
		if err := t.watch.spend((hi - lo) * (hi + m) * hi); err != nil {
			return err
		}
	}
	t.share((m+restBlock-1)/restBlock, func(part int) {
		lo, hi := part*restBlock, min((part+1)*restBlock, m)
		transpose(k+lo, k+hi, 0, k)
		kernels.MulSub(rest.At(lo, lo), l.At(k+lo, 0), u.At(0, k+lo), hi-lo, m-lo, k)
	})
	return nil
}
