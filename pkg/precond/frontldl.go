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
