package main

import (
	"context"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

const (
	tolerance = 1e-10 // row-wise backward error
)

// solve solves A x = A 1 and returns the iterations and the row-wise backward error.
func (p *multigridProblem) solve(g precond.Preconditioner, most int) (k int, row float64) {
	ones := make([]float64, p.a.Rows)
	for i := range ones {
		ones[i] = 1
	}
	b := make([]float64, p.a.Rows)
	p.given.MulVec(b, ones)
	if slices.Max(b) == 0 && slices.Min(b) == 0 { // A 1 = 0
		for i := range ones {
			ones[i] = math.Sin(float64(i))
		}
		p.given.MulVec(b, ones)
	}
	e := backwardError{p, p.given.RowSums(p.pool), slices.Clone(b)}
	for i := range b {
		b[i] = dd.Ldexp(b[i], p.scaling.Row[i])
	}
	if !p.facts.Symmetric {
		return p.bicgstab(g, b, e, most)
	}
	return p.conjugateGradients(g, b, e, most)
}

// backwardError computes max |r_i| / (sum_j |a_ij| max_j |x_j| + |b_i|) with A as given.
type backwardError struct {
	*multigridProblem
	sums, b []float64
}

func (e backwardError) of(r, x []float64) (worst float64) {
	size := 0.0
	for i, v := range x {
		size = max(size, math.Abs(dd.Ldexp(v, e.scaling.Col[i])))
	}
	for i, v := range r {
		if s := e.sums[i]*size + math.Abs(e.b[i]); s > 0 {
			worst = max(worst, math.Abs(dd.Ldexp(v, -e.scaling.Row[i]))/s)
		}
	}
	return worst
}

// conjugateGradients is flexible conjugate gradients, stopped by the error of its residual.
func (p *multigridProblem) conjugateGradients(g precond.Preconditioner, b []float64, e backwardError, most int) (k int, row float64) {
	a, h := linop.NewCSR(p.a, p.pool), linop.NewHost(p.a.Rows, p.pool)
	x, r, z, d, q, before := h.New(), slices.Clone(b), h.New(), h.New(), h.New(), h.New()
	rho := linop.Float64(1)
	for k = 1; k <= most; k++ {
		g.Apply(z, r)
		now := h.Dot(r, z)
		beta := now / rho
		if precond.Varies(g) {
			beta = (now - h.Dot(before, z)) / rho
			h.Copy(before, r)
		}
		if rho = now; k == 1 {
			beta = 0
		}
		h.Xpay(z, beta, d)
		alpha := rho / a.ApplyDot(q, d, d)
		if !(rho > 0) || !(alpha > 0) {
			return k, math.NaN()
		}
		h.Axpy(alpha, d, x)
		h.Axpy(-alpha, q, r)
		if row = e.of(r, x); row <= tolerance {
			break
		}
	}
	return k, row
}

// bicgstab runs BiCGStab until the error is small.
func (p *multigridProblem) bicgstab(g precond.Preconditioner, b []float64, e backwardError, most int) (k int, row float64) {
	a, h := linop.NewCSR(p.a, p.pool), linop.NewHost(p.a.Rows, p.pool)
	x, r := h.New(), h.New()
	for tol := 1e-8; ; tol /= 10 {
		clear(x)
		result := krylov.NewBiCGStab(h).Solve(context.Background(), a, x, b, krylov.Options[[]float64]{
			Tol: tol, MaxIter: most, Precond: g, Unconfirmed: true,
		})
		k = result.Iterations
		a.Residual(r, b, x)
		if row = e.of(r, x); row <= tolerance || !result.Reason.Converged() {
			return k, row
		}
	}
}
