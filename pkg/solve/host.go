package solve

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

type (
	vector = []float64
	scalar = linop.Float64
)

// host is the place of vectors in memory.
type host struct {
	system
	of   *linop.Host
	by   *measure
	loop loop   // over the unknowns
	x, r vector // x + d and its residual, for the measure
}

var _ place[vector, scalar] = (*host)(nil)

func newHost(s system) *host {
	space := linop.NewHost(s.m.Rows, s.pool)
	return &host{
		system: s, of: space, by: newMeasure(s.m, s.stop, s.pool),
		loop: newLoop(s.m.Rows, s.pool), x: space.New(), r: space.New(),
	}
}

func (h *host) space() linop.Space[vector, scalar] { return h.of }

func (h *host) exact() linop.Operator[vector, scalar] {
	return linop.Accurate{CSR: linop.NewCSR(h.m, h.pool)}
}

// store makes the method's matrix from the scaled one.
func (h *host) store(m *csr.Matrix, t Storage) (a matrix[vector, scalar], err error) {
	if t.plain() {
		a.Operator, a.stored = linop.NewCSR(m, h.pool), stored{storage: t, bytes: m.Bytes()}
		return a, nil
	}
	made, err := adaptive.Build(m, t.spec(), h.pool)
	if err != nil {
		return a, err
	}
	a.Operator = made
	a.stored = stored{storage: t, bytes: made.Bytes(), stats: made.Stats(), layout: made.LayoutText(), rows: m.Rows}
	switch made.Layout() {
	case adaptive.CSR: // nothing to escalate
		a.storage, a.stats = t.fp64(), adaptive.Stats{}
		return a, nil
	case adaptive.Bucketed:
		a.slow = true
	}
	a.storageError = func(z vector, e int) float64 {
		norm := h.loop.absMax(z)
		h.loop.each(func(i int) { h.r[i] = csr.Ldexp(made.Tolerance(i)*norm, e-h.scaling.Row[i]) })
		return h.by.of(h.x, h.r)
	}
	return a, nil
}

func (h *host) release(matrix[vector, scalar]) {}

func (h *host) carry(made precond.Preconditioner, _ matrix[vector, scalar]) (krylov.Preconditioner[vector], error) {
	return made, nil
}

func (h *host) begin(x, b []float64) (vector, vector) {
	h.by.begin(b)
	return x, b
}

func (h *host) end([]float64, vector) error { return nil }

func (h *host) close() {}

func (h *host) measure(x, r vector) float64 { return h.by.of(x, r) }

// scale joins the exponents before it applies them, so that nothing over- or underflows
// on the way.
func (h *host) scale(rhs, r vector) (e int) {
	e = math.MinInt32 // for r = 0, which stays 0
	for _, top := range h.loop.parts(func(lo, hi int) float64 {
		top := math.MinInt32
		for i := lo; i < hi; i++ {
			if v := r[i]; v != 0 {
				top = max(top, csr.Exponent(v)+h.scaling.Row[i])
			}
		}
		return float64(top)
	}) {
		e = max(e, int(top))
	}
	h.loop.each(func(i int) { rhs[i] = h.sign * csr.Ldexp(r[i], h.scaling.Row[i]-e) })
	return e
}

func (h *host) unscale(d, z vector, e int) {
	h.loop.each(func(j int) { d[j] = csr.Ldexp(z[j], e+h.scaling.Col[j]) })
}

func (h *host) corrected(x, z, rhs vector, e int) float64 {
	h.loop.each(func(j int) {
		h.x[j] = x[j] + csr.Ldexp(z[j], e+h.scaling.Col[j])
		h.r[j] = csr.Ldexp(rhs[j], e-h.scaling.Row[j])
	})
	return h.by.of(h.x, h.r)
}
