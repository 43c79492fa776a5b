package solve

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

type (
	vector = []float64
	scalar = linop.Float64
)

// host is the place of vectors in memory.
type host struct {
	*linop.Host
	kernels *kernels.Set
	m       *csr.Matrix // A
	pool    *parallel.Pool
	layouts map[storedAs]adaptive.Layout // chosen for other values of the same pattern; nil: none are kept
	room    int64                        // bytes that the method's matrix may take, if it is filled up with zeros; 0: no limit
}

var _ place[vector, scalar] = (*host)(nil)

func newHost(m *csr.Matrix, pool *parallel.Pool) *host {
	return &host{Host: linop.NewHost(m.Rows, pool), kernels: kernels.Default(), m: m, pool: pool}
}

// with is the place with other kernels, nil for the default ones.
func (h *host) with(k *kernels.Set) *host {
	h.kernels = k.Or()
	h.Use(k)
	return h
}

// csr returns m as it is as an operator.
func (h *host) csr(m *csr.Matrix) *linop.CSR {
	a := linop.NewCSR(m, h.pool)
	a.Use(h.kernels)
	return a
}

func (h *host) agree() func(krylov.Reason) krylov.Reason { return nil }

func (h *host) err() error { return nil }

func (h *host) close() {}

func (h *host) upload(x []float64) vector { return x }

func (h *host) download(x []float64, v vector) { copy(x, v) }

func (h *host) free(...vector) {}

// RowError returns the largest |r_i| / (t_i normX + |b_i|).
func (h *host) RowError(r, t vector, normX float64, b vector) float64 {
	return h.Max(func(lo, hi int) (worst float64) {
		for i := lo; i < hi; i++ {
			worst = worse(worst, math.Abs(r[i]), t[i], normX, math.Abs(b[i]))
		}
		return worst
	})
}

func (h *host) exact() linop.Operator[vector, scalar] {
	return linop.Accurate{CSR: h.csr(h.m)}
}

func (h *host) absApply(dst, x vector) {
	h.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, vals := h.m.Row(i)
			var s float64
			for k, j := range cols {
				s += math.Abs(vals[k] * x[j])
			}
			dst[i] = s
		}
	})
}

// hostMatrix is a stored matrix in memory.
type hostMatrix struct {
	linop.Relaxer[vector, scalar]
	stored
	at      *host
	reduced *adaptive.Matrix // the same; nil: plain
}

func (h *host) store(scaled *csr.Matrix, t Storage) (matrix[vector, scalar], error) {
	return h.stored(scaled, t)
}

func (h *host) stored(scaled *csr.Matrix, t Storage) (hostMatrix, error) {
	if t.plain() && !t.DD && (t.Layout == adaptive.CSR || !t.Layout.FP64()) {
		a := h.csr(scaled)
		return hostMatrix{Relaxer: a, at: h, stored: stored{storage: t, bytes: scaled.Bytes(), kind: adaptive.CSR, relaxer: a, source: scaled}}, nil
	}
	spec := t.spec()
	spec.Kernels, spec.MaxBytes = h.kernels, h.room
	if t.plain() && !t.Layout.FP64() { // one for AFX
		spec.Layout = adaptive.LayoutAuto
	}
	as := storedAs{set: t.Set.Name, epsilon: t.Epsilon, dd: t.DD}
	if l, ok := h.layouts[as]; ok {
		spec.Layout = l
	}
	made, err := adaptive.Build(scaled, spec, h.pool)
	if err != nil {
		return hostMatrix{}, err
	}
	if h.layouts != nil {
		h.layouts[as] = made.Layout()
	}
	s := stored{storage: t, bytes: made.Bytes(), stats: made.Stats(), layout: made.LayoutText(), kind: made.Layout(), rows: scaled.Rows, relaxer: made}
	switch l := made.Layout(); {
	case l.FP64(): // nothing to escalate
		s.storage, s.stats = t.fp64(), adaptive.Stats{}
		if l == adaptive.CSR {
			s.source = scaled
		}
	case l == adaptive.Bucketed:
		s.slow = true
	}
	return hostMatrix{made, s, h, made}, nil
}

func (a hostMatrix) about() stored { return a.stored }

// tolerances sets r_i = theta_i, see storageError.
func (a hostMatrix) tolerances(r vector) {
	a.at.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			r[i] = a.reduced.Tolerance(i)
		}
	})
}

func (a hostMatrix) storageError(r vector, norm float64, d powers[vector], e int) {
	a.tolerances(r)
	d.ldexp(r, r, norm, e)
}

func (a hostMatrix) upload(made precond.Preconditioner) (krylov.Preconditioner[vector], error) {
	return made, nil
}

func (a hostMatrix) release() {}
