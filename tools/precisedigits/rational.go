package main

import (
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/mpsolve/mpsolve/internal/testmatrix"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/mp"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// generated solves small systems of known solutions.
func (t *tally) generated(count int, limit time.Duration) {
	for seed := range count {
		name, m, b := testmatrix.Small(uint64(seed))
		r, _, err := solveOnce(m, b, t.digits, limit)
		if err != nil {
			continue // such as a row of zeros
		}
		t.systems++
		x := testmatrix.SolveRationally(m, b)
		switch {
		case x == nil && (r.Reason == krylov.Converged || r.Precise != nil && r.Precise.Believed > 0):
			fmt.Printf("%s: singular, and called %v WRONG\n", name, r.Reason)
			t.failed++
		case x == nil || r.Precise == nil:
		default:
			right := rightDigits(r.Precise.X, func(j int) *big.Float { return new(big.Float).SetPrec(2 * solve.MaxBits).SetRat(x[j]) })
			if said := r.Precise.Believed; right < float64(said) || right < float64(r.Precise.Proved) {
				fmt.Printf("%s: believed %d, proved %d, right %.1f WRONG\n", name, said, r.Precise.Proved, right)
				t.failed++
			}
		}
	}
}

// rightDigits is -log10 of the error of x relative to the true one, in the maximum norm.
func rightDigits(x *mp.Vec, truth func(j int) *big.Float) float64 {
	var size, wrong big.Float
	for j := range x.Len() {
		exact := truth(j)
		d := new(big.Float).SetPrec(2*solve.MaxBits).Sub(x.At(j), exact)
		if d.Abs(d).Cmp(&wrong) > 0 {
			wrong.Set(d)
		}
		if exact = new(big.Float).Abs(exact); exact.Cmp(&size) > 0 {
			size.Set(exact)
		}
	}
	if wrong.Sign() == 0 {
		return 2 * solve.MaxPreciseDigits
	}
	q := new(big.Float).Quo(&wrong, &size)
	significand := new(big.Float)
	e := q.MantExp(significand)
	v, _ := significand.Float64()
	return -(math.Log10(v) + float64(e)*math.Log10(2))
}
