package lab

import (
	"context"
	"math/big"

	"github.com/mpsolve/mpsolve/internal/mp/rns"
	"github.com/mpsolve/mpsolve/internal/parallel"
)

// MPSteps returns, for each round, the times of the steps of Algorithm 1 of [Isupov20]: y = alpha A x + beta y, where
// A has the given number of rows of n random elements with significands of so many bits.
func MPSteps(ctx context.Context, rows, n, bits, significand int, pool *parallel.Pool, timing Timing) (list []rns.Steps, err error) {
	b, err := rns.BaseFor(bits)
	if err != nil {
		return nil, err
	}
	d := newMPData(n, significand)
	array := func(v []big.Float) *rns.Array {
		w := b.NewArray(len(v))
		for i := range v {
			w.Set(i, &v[i])
		}
		return w
	}
	a := b.NewMatrix(rows, n)
	for i := range rows {
		for j, v := range d.row(i) {
			a.Set(i, j, &v)
		}
	}
	alpha, x, y, first := b.NewNumber().Set(d.scale), array(d.x), array(d.y[:rows]), array(d.y[:rows])
	_, err = timing.Measure(ctx, Case{
		Prepare: func() { y.Copy(first) },
		Run:     func() { list = append(list, a.GEMV(rns.Rearranged, alpha, x, alpha, y, pool)) },
	})
	return list, err
}
