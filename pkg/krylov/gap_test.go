package krylov

import (
	"testing"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// drifting is an operator whose residuals are off by a multiple of b.
type drifting struct {
	linop.CSR
	space linop.Host
	off   linop.Float64
	looks int
}

func (d *drifting) Residual(r, b, x []float64) {
	d.looks++
	d.CSR.Residual(r, b, x)
	d.space.Axpy(d.off, b, r)
}

// A residual that is not the one of the recurrence ends a solve, where it is looked at; looking changes nothing else.
func TestGap(t *testing.T) {
	m, b := grid(20, 0), random(1, 400)
	for _, name := range updating {
		pool := newPool(t, 1)
		solve := func(opt hostOptions, off linop.Float64) (Result, []float64, *drifting) {
			space := linop.NewHost(m.Rows, pool)
			a, x := &drifting{CSR: linop.NewCSR(m, pool), space: space, off: off}, make([]float64, len(b))
			opt.Tol, opt.Unconfirmed = 1e-9, true
			return onHost(t, name, space).Solve(t.Context(), a, x, b, opt), x, a
		}
		const every = 4
		want, x, unseen := solve(hostOptions{}, 1)
		if want.Reason != Converged || unseen.looks != 0 {
			t.Errorf("%s: %v with %d looks that were not asked for", name, want.Reason, unseen.looks)
		}
		r, y, a := solve(hostOptions{Gap: every}, 0)
		if last := (want.Iterations - 1) / every; r != want || !sameBits(x, y) || a.looks != last {
			t.Errorf("%s: %+v, without looking %+v; %d looks, want %d", name, r, want, a.looks, last)
		}
		if r, _, a := solve(hostOptions{Gap: every}, 1); r.Reason != Drift || r.Iterations != every || a.looks != 1 {
			t.Errorf("%s: %v after %d iterations and %d looks", name, r.Reason, r.Iterations, a.looks)
		}
	}
}
