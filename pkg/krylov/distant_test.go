package krylov

import (
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// distant is a linop.Async on the host: Float of a scalar that has not been fetched is
// counted.
type distant struct {
	host          *linop.Host
	stride        int
	made          int // scalars so far
	sent, arrived int // of them
	waits         int
	looks         int
	fault, found  bool
	trouble       func(look int) bool // injects faults
}

// late is a scalar of it.
type late struct {
	space *distant // nil: known
	v     float64
	made  int
	bad   bool // was to be positive, and is not
}

var _ linop.Async[[]float64, late] = (*distant)(nil)

func newDistant(t testing.TB, n int) *distant {
	return &distant{host: linop.NewHost(n, newPool(t, 1)), stride: 8}
}

func (a late) with(b late, v float64) late {
	if a.space == nil {
		a.space = b.space
	}
	return late{a.space, v, max(a.made, b.made), a.bad || b.bad}
}

func (a late) Mul(b late) late { return a.with(b, a.v*b.v) }
func (a late) Div(b late) late { return a.with(b, a.v/b.v) }
func (a late) Add(b late) late { return late{v: a.Float() + b.Float()} }
func (a late) Sub(b late) late { return late{v: a.Float() - b.Float()} }
func (a late) Neg() late       { return a.with(a, -a.v) }
func (a late) Sqrt() late      { return a.with(a, math.Sqrt(a.v)) }

func (a late) Float() float64 {
	if a.space != nil && a.made > a.space.arrived {
		a.space.waits++
		a.space.arrived = a.space.made
	}
	return a.v
}

// use is a as it counts in a step.
func (s *distant) use(a late) linop.Float64 {
	if a.space == nil {
		return linop.Float64(a.v)
	}
	if a.bad || !finite(a.v) {
		s.fault = true
	}
	if !finite(a.v) {
		return 0
	}
	return linop.Float64(a.v)
}

func (s *distant) uses(a []late) []linop.Float64 {
	u := make([]linop.Float64, len(a))
	for k := range a {
		u[k] = s.use(a[k])
	}
	return u
}

func (s *distant) sum(v linop.Float64) late {
	s.made++
	return late{space: s, v: float64(v), made: s.made}
}

func (s *distant) Dim() int                              { return s.host.Dim() }
func (s *distant) New() []float64                        { return s.host.New() }
func (s *distant) Scalar(a float64) late                 { return late{v: a} }
func (s *distant) Zero(x []float64)                      { s.host.Zero(x) }
func (s *distant) Copy(dst, src []float64)               { s.host.Copy(dst, src) }
func (s *distant) Scale(a late, x []float64)             { s.host.Scale(s.use(a), x) }
func (s *distant) Axpy(a late, x, y []float64)           { s.host.Axpy(s.use(a), x, y) }
func (s *distant) Xpay(x []float64, a late, y []float64) { s.host.Xpay(x, s.use(a), y) }
func (s *distant) Dot(x, y []float64) late               { return s.sum(s.host.Dot(x, y)) }

func (s *distant) AxpyDot(a late, x, y, z []float64) late {
	return s.sum(s.host.AxpyDot(s.use(a), x, y, z))
}

func (s *distant) Step(a late, p, x, q, r []float64) late {
	return s.sum(s.host.Step(s.use(a), p, x, q, r))
}

func (s *distant) DoubleStep(a late, p []float64, o late, t, x, q, r, w []float64) (rr, rw late) {
	v, u := s.host.DoubleStep(s.use(a), p, s.use(o), t, x, q, r, w)
	return s.sum(v), s.sum(u)
}

func (s *distant) Direction(r []float64, b, o late, q, p []float64) {
	s.host.Direction(r, s.use(b), s.use(o), q, p)
}

func (s *distant) MultiDot(h []late, vs [][]float64, w []float64) {
	for k, v := range vs {
		h[k] = s.Dot(v, w)
	}
}

func (s *distant) MultiAxpy(a []late, vs [][]float64, w []float64) {
	s.host.MultiAxpy(s.uses(a), vs, w)
}

func (s *distant) MultiAxpyDot(a []late, vs [][]float64, w []float64) late {
	return s.sum(s.host.MultiAxpyDot(s.uses(a), vs, w))
}

func (s *distant) Stride() int       { return s.stride }
func (s *distant) Forget(late)       {}
func (s *distant) ClearFault()       { s.fault = false }
func (s *distant) Known(a late) late { return late{v: a.Float()} }
func (s *distant) Roundoff() float64 { return s.host.Roundoff() }

func (s *distant) Fetch() {
	if s.looks++; s.trouble != nil && s.trouble(s.looks) {
		s.fault = true
	}
	s.sent, s.found = s.made, s.fault
}

func (s *distant) Await() (sound bool) {
	s.arrived = max(s.arrived, s.sent)
	return !s.found
}

func (s *distant) Positive(a late) late {
	a.bad = a.bad || !(a.v > 0)
	return a
}

func (s *distant) Checkpoint(dst, src []float64) {
	if !s.fault {
		copy(dst, src)
	}
}

// far is an operator on the vectors of a distant space.
type far struct {
	*linop.CSR
	space *distant
}

func (a far) ApplyDot(dst, src, w []float64) late {
	return a.space.sum(a.CSR.ApplyDot(dst, src, w))
}

func (a far) ApplyDots(dst, src, w []float64) (dw, dd late) {
	v, u := a.CSR.ApplyDots(dst, src, w)
	return a.space.sum(v), a.space.sum(u)
}

// remoteMethods are the methods on such a space, by the names of those on the host that
// do the same.
var remoteMethods = map[string]func(*distant) Method[[]float64, late]{
	"cg":       func(s *distant) Method[[]float64, late] { return NewCG[[]float64, late](s) },
	"bicgstab": func(s *distant) Method[[]float64, late] { return NewBiCGStab[[]float64, late](s) },
	"minres":   func(s *distant) Method[[]float64, late] { return NewMINRES[[]float64, late](s) },
	"gmres 5 cgs2": func(s *distant) Method[[]float64, late] {
		return NewGMRES[[]float64, late](s, GMRESOptions{Restart: 5})
	},
	"gmres full cgs2": func(s *distant) Method[[]float64, late] {
		return NewGMRES[[]float64, late](s, GMRESOptions{Restart: math.MaxInt})
	},
}

func farFrom(s *distant, m *csr.Matrix) linop.Operator[[]float64, late] {
	pool := linop.NewPool(1) // one thread has nothing to close
	return far{linop.NewCSR(m, pool), s}
}
