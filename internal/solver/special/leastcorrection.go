package special

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// columnScaling is a diagonal matrix D of powers of two.
type columnScaling struct {
	exponent []int     // of 1/D
	norm     []float64 // of the columns of A D
}

// scaleColumns returns the scaling that makes the norms of columns at least 1/2 and less than 1 or, with ScaleNone, one power for all
// columns that makes the elements at most 1.
func scaleColumns(m *csr.Matrix, scale solve.Scale) columnScaling {
	c := columnScaling{make([]int, m.Cols), make([]float64, m.Cols)}
	for j := range c.exponent {
		c.exponent[j] = backend.LeastExponent
	}
	most := backend.LeastExponent
	for k, j := range m.Col {
		if v := m.Val[k]; v != 0 {
			c.exponent[j] = max(c.exponent[j], csr.Exponent(v))
			most = max(most, c.exponent[j])
		}
	}
	for j, e := range c.exponent {
		if e == backend.LeastExponent || scale == solve.ScaleNone {
			c.exponent[j] = max(most, -math.MaxInt16)
		}
	}
	squares := func() {
		clear(c.norm)
		for k, j := range m.Col {
			v := csr.Ldexp(m.Val[k], -c.exponent[j])
			c.norm[j] += v * v
		}
	}
	if squares(); scale != solve.ScaleNone {
		for j, v := range c.norm {
			c.exponent[j] += csr.Exponent(math.Sqrt(v))
		}
		squares()
	}
	for j, v := range c.norm {
		c.norm[j] = math.Sqrt(v)
	}
	return c
}

// apply returns A D.
func (c columnScaling) apply(m *csr.Matrix) *csr.Matrix {
	scaled := &csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: m.RowPtr, Col: m.Col, Val: make([]float64, len(m.Val))}
	for k, j := range m.Col {
		scaled.Val[k] = csr.Ldexp(m.Val[k], -c.exponent[j])
	}
	return scaled
}

// leastCorrection solves min ||r - A d||_2 by LSQR, as the krylov.Corrector of refinement.
type leastCorrection struct {
	*leastSquares
	tighten float64 // factor of the goal: LSQR knows the norm of A only roughly, and no norms of columns
}

// Correct implements krylov.Corrector.
func (c *leastCorrection) Correct(ctx context.Context, d, r, _ vector, goal krylov.Goal) krylov.Result {
	e := csr.Exponent(c.at.AbsMax(r))
	scaleTo(c.at, c.rhs, r, -e)
	result := c.method.Solve(ctx, c.scaled, c.z, c.rhs, krylov.Options[vector]{
		Tol: min(0.5, c.tighten*goal.To/min(1, goal.From)), LeastSquares: c.tighten * goal.To,
		MaxIter: goal.MaxIter, Monitor: goal.Monitor, Agree: goal.Agree, Unconfirmed: true,
	})
	c.at.Ranges(func(lo, hi int) {
		for j := lo; j < hi; j++ {
			d[j] = csr.Ldexp(c.z[j], e-c.columns.exponent[j])
		}
	})
	return result
}

const (
	tightenBy = 1. / 16
	mostTight = 1e-6
)

// Escalate implements krylov.Corrector: it makes LSQR go on for longer.
func (c *leastCorrection) Escalate(reason krylov.Reason) bool {
	if reason != krylov.Slow {
		return false
	}
	c.tighten *= tightenBy
	return c.tighten >= mostTight
}

// Patience implements krylov.Corrector.
func (c *leastCorrection) Patience(reduction float64) int { return krylov.DefaultPatience(reduction) }

// measure returns the lesser of ||r||_2/||b||_2 and the error of verify.LeastSquares.
func (l *leastSquares) measure(r, b vector) float64 {
	rnorm, re := l.at.Norm2(r)
	bnorm, be := l.at.Norm2(b)
	if rnorm == 0 {
		return 0
	}
	system := csr.Ldexp(rnorm/bnorm, re-be)
	scaleTo(l.at, l.r, r, -re)
	l.scaled.ApplyT(l.g, l.r)
	if l.s.Opt.Stop == solve.StopNW {
		return min(system, l.normal()/rnorm)
	}
	return min(system, l.at.Max(func(lo, hi int) (worst float64) {
		for j := lo; j < hi; j++ {
			if g := math.Abs(l.g[j]); g != 0 {
				worst = max(worst, g/l.columns.norm[j]/rnorm)
			}
		}
		return worst
	}))
}

// normal returns ||A^T r||_2 / ||A||_F of A as given, from g = (A D)^T r.
func (l *leastSquares) normal() float64 {
	most := backend.LeastExponent
	for j, e := range l.columns.exponent {
		if l.columns.norm[j] != 0 {
			most = max(most, e)
		}
	}
	var gg, aa float64
	for j, e := range l.columns.exponent {
		g, a := csr.Ldexp(l.g[j], e-most), csr.Ldexp(l.columns.norm[j], e-most)
		gg += g * g
		aa += a * a
	}
	return math.Sqrt(gg / aa)
}

// scaleTo sets dst = 2^shift src.
func scaleTo(at *backend.Host, dst, src vector, shift int) {
	at.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = csr.Ldexp(src[i], shift)
		}
	})
}
