package backend

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

type (
	vector = []float64
	scalar = linop.Float64
)

// Host is the backend with vectors in memory.
type Host struct {
	linop.Host
	kernels *kernels.Set
	m       *csr.Matrix // A
	pool    *parallel.Pool
	Layouts map[StoredAs]adaptive.Layout // chosen for earlier values of the same pattern; nil: layouts are not kept
	Room    int64                        // most bytes of the method's matrix, if rows are filled up with zeros; 0: no limit
}

var _ Backend[vector, scalar] = (*Host)(nil)

// NewHost returns the backend of a matrix, with the default kernels.
func NewHost(m *csr.Matrix, pool *parallel.Pool) *Host {
	return &Host{Host: linop.NewHost(m.Rows, pool), kernels: kernels.Default(), m: m, pool: pool}
}

// New returns a zero vector, in large pages where the system has some: products and passes over long vectors then wait less for the addresses of pages.
func (h *Host) New() vector {
	x := h.Host.New()
	host.LargePages(x)
	return x
}

// With makes h use the kernels of a name, or the default kernels for "", and returns h.
func (h *Host) With(name string) *Host {
	h.kernels = kernels.Find(name).Or()
	kernels.Use(h.Host, h.kernels)
	return h
}

// CSR returns the operator of m in FP64.
func (h *Host) CSR(m *csr.Matrix) linop.CSR {
	a := linop.NewCSR(m, h.pool)
	kernels.Use(a, h.kernels)
	return a
}

func (h *Host) Agree() func(krylov.Reason) krylov.Reason { return nil }

func (h *Host) Fault() error { return nil }

func (h *Host) Close() {}

func (h *Host) FromHost(x []float64) vector { return x }

func (h *Host) ToHost(x []float64, v vector) { copy(x, v) }

func (h *Host) GiveBack(...vector) {}

// RowError returns the largest |r_i| / (t_i normX + |b_i|).
func (h *Host) RowError(r, t vector, normX float64, b vector) float64 {
	return h.Max(func(lo, hi int) (worst float64) {
		for i := lo; i < hi; i++ {
			worst = Worse(worst, math.Abs(r[i]), t[i], normX, math.Abs(b[i]))
		}
		return worst
	})
}

func (h *Host) Exact() linop.Operator[vector, scalar] {
	return linop.Accurate{CSR: h.CSR(h.m)}
}

func (h *Host) AbsApply(dst, x vector) {
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

// HostMatrix is a stored matrix in memory.
type HostMatrix struct {
	linop.Relaxer[vector, scalar]
	Stored
	at      *Host
	reduced adaptive.Matrix // the same matrix in its layout; nil: FP64 CSR
}

func (h *Host) Store(scaled *csr.Matrix, t solve.Storage) (Matrix[vector, scalar], error) {
	return h.stored(scaled, t)
}

func (h *Host) stored(scaled *csr.Matrix, t solve.Storage) (HostMatrix, error) {
	if rules.Plain(t) && !t.DD && (t.Layout == adaptive.CSR || !t.Layout.FP64()) {
		a := h.CSR(scaled)
		return HostMatrix{Relaxer: a, at: h, Stored: Stored{Storage: t, Bytes: scaled.Bytes(), Kind: adaptive.CSR, Relaxer: a, Source: scaled}}, nil
	}
	spec := rules.Spec(t, false)
	spec.Kernels, spec.MaxBytes = h.kernels.String(), h.Room
	if rules.Plain(t) && !t.Layout.FP64() { // one for AFX
		spec.Layout = adaptive.LayoutAuto
	}
	as := StoredAs{set: t.Set.Name, epsilon: t.Epsilon, dd: t.DD}
	if l, ok := h.Layouts[as]; ok {
		spec.Layout = l
	}
	made, err := adaptive.Build(scaled, spec, h.pool)
	if err != nil {
		return HostMatrix{}, err
	}
	if h.Layouts != nil {
		h.Layouts[as] = made.Layout()
	}
	s := Stored{Storage: t, Bytes: made.Bytes(), Stats: made.Stats(), Layout: made.LayoutText(), Kind: made.Layout(), Rows: scaled.Rows, Relaxer: made}
	switch l := made.Layout(); {
	case l.FP64(): // nothing to escalate
		s.Storage, s.Stats = rules.FP64(t), adaptive.Stats{}
		if l == adaptive.CSR {
			s.Source = scaled
		} else if !t.DD {
			s.Storage.Layout = l // which a checkpoint keeps
		}
	case l == adaptive.Bucketed:
		s.slow = true
	}
	return HostMatrix{made, s, h, made}, nil
}

func (a HostMatrix) About() Stored { return a.Stored }

// tolerances sets r_i = theta_i, see StorageError.
func (a HostMatrix) tolerances(r vector) {
	a.at.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			r[i] = a.reduced.Tolerance(i)
		}
	})
}

func (a HostMatrix) StorageError(r vector, norm float64, d Powers[vector], e int) {
	a.tolerances(r)
	d.Ldexp(r, r, norm, e)
}

func (a HostMatrix) Ready(made precond.Preconditioner) (krylov.Preconditioner[vector], error) {
	return made, nil
}

func (a HostMatrix) Release() {}

// Weighted returns max |r_i| / w_i.
func Weighted(space linop.Host, r, w []float64) float64 {
	return space.Max(func(lo, hi int) (worst float64) {
		for i, v := range r[lo:hi] {
			if v = math.Abs(v); !(v <= worst*w[lo+i]) { // faster than to divide each
				worst = max(worst, v/w[lo+i])
			}
		}
		return worst
	})
}

func Finite(v float64) bool { return v-v == 0 }

// RelativeTo returns v u 2^e / x.
func RelativeTo(v, u, x float64, e int) float64 {
	ev, ex := dd.Exponent(v), dd.Exponent(x)
	return dd.Ldexp(u*dd.Ldexp(v, -ev)/dd.Ldexp(x, -ex), ev-ex+e)
}

// hostPowers is diag(2^(sign e_i)). Where all exponents are ordinary it multiplies by the powers. This gives the bits of dd.Ldexp:
// with every shift that factor allows a power is a normal number, so that the product is rounded once.
type hostPowers struct {
	*Host
	e     []int
	sign  int
	power []float32 // 2^(sign e_i); nil: some exponents are beyond ordinaryExponent
}

const (
	ordinaryExponent = 100 // of a power, which float32 has
	ordinaryShift    = 900
)

func (h *Host) Powers(e []int, sign int) Powers[vector] {
	d := hostPowers{Host: h, e: e, sign: sign}
	if h.Max(func(lo, hi int) (most float64) {
		for _, v := range e[lo:hi] {
			most = max(most, math.Abs(float64(v)))
		}
		return most
	}) > ordinaryExponent {
		return d
	}
	d.power = make([]float32, len(e))
	h.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			d.power[i] = float32(dd.Ldexp(1, sign*e[i]))
		}
	})
	return d
}

// factor returns 2^shift for products with powers; ok is false where these products are not exact.
func (d hostPowers) factor(shift int) (factor float64, ok bool) {
	return dd.Ldexp(1, shift), d.power != nil && -ordinaryShift <= shift && shift <= ordinaryShift
}

func (d hostPowers) Ldexp(dst, src vector, a float64, shift int) {
	factor, ok := d.factor(shift)
	d.Ranges(func(lo, hi int) {
		if !ok {
			for i := lo; i < hi; i++ {
				dst[i] = dd.Ldexp(a*src[i], d.sign*d.e[i]+shift)
			}
			return
		}
		dst, src := dst[lo:hi], src[lo:hi]
		for i, p := range d.power[lo:hi] {
			dst[i] = a * src[i] * (float64(p) * factor)
		}
	})
}

func (d hostPowers) AddLdexp(dst, x, z vector, shift int) {
	factor, ok := d.factor(shift)
	d.Ranges(func(lo, hi int) {
		if !ok {
			for i := lo; i < hi; i++ {
				dst[i] = x[i] + dd.Ldexp(z[i], d.sign*d.e[i]+shift)
			}
			return
		}
		dst, x, z := dst[lo:hi], x[lo:hi], z[lo:hi]
		for i, p := range d.power[lo:hi] {
			dst[i] = x[i] + float64(z[i]*(float64(p)*factor))
		}
	})
}

func (d hostPowers) MaxExponent(x vector) int {
	return int(d.Max(func(lo, hi int) float64 {
		top := LeastExponent
		for i := lo; i < hi; i++ {
			if x[i] != 0 {
				top = max(top, dd.Exponent(x[i])+d.sign*d.e[i])
			}
		}
		return float64(top)
	}))
}

// sumNorms returns max |x_i + 2^shift d_i z_i| and max |z_i|, or NaN if an element is NaN. ok is false where the powers are not
// ordinary.
func (d hostPowers) sumNorms(x, z vector, shift int) (sum, largest float64, ok bool) {
	factor, ok := d.factor(shift)
	if !ok {
		return 0, 0, false
	}
	sum, largest = d.Max2(func(lo, hi int) (sum, largest float64) {
		x, z := x[lo:hi], z[lo:hi]
		for i, p := range d.power[lo:hi] {
			v := z[i]
			if s := math.Abs(x[i] + float64(v*(float64(p)*factor))); !(s <= sum) {
				sum = max(sum, s)
			}
			if v = math.Abs(v); !(v <= largest) {
				largest = max(largest, v)
			}
		}
		return sum, largest
	})
	return sum, largest, true
}

// rowError returns RowError of 2^shift D r. ok is false where the powers are not ordinary.
func (d hostPowers) rowError(r vector, shift int, t vector, normX float64, b vector) (e float64, ok bool) {
	factor, ok := d.factor(shift)
	if !ok {
		return 0, false
	}
	return d.Max(func(lo, hi int) (worst float64) {
		r := r[lo:hi]
		for i, p := range d.power[lo:hi] {
			worst = Worse(worst, math.Abs(r[i]*(float64(p)*factor)), t[lo+i], normX, math.Abs(b[lo+i]))
		}
		return worst
	}), true
}

// Worse returns the larger of worst and Quotient(r, t, x, b), and divides only where the quotient is the larger one.
func Worse(worst, r, t, x, b float64) float64 {
	if d := float64(t*x) + b; r <= worst*d && d <= math.MaxFloat64 {
		return worst
	}
	return max(worst, Quotient(r, t, x, b))
}
