package gpu

import (
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// testBackend is where tests put preconditioners.
type testBackend struct {
	t     testing.TB
	d     *Device
	owned *[]interface{ Close() }
}

func newTestBackend(t testing.TB, d *Device) testBackend {
	p := testBackend{t, d, new([]interface{ Close() })}
	t.Cleanup(func() {
		for _, c := range *p.owned {
			c.Close()
		}
	})
	return p
}

func (p testBackend) Space(n int) precond.MulSpace[*Vector, Scalar] {
	s := newSpace(p.d, n)
	*p.owned = append(*p.owned, s)
	return s
}

func (p testBackend) Store(m precond.Factor) (linop.Relaxer[*Vector, Scalar], error) {
	if m.Epsilon == 0 {
		return p.keep(NewCSR(p.d, m.Matrix))
	}
	set, err := adaptive.LookupSet("AFX")
	if err != nil {
		return nil, err
	}
	return p.keep(NewMatrix(p.d, m.Matrix, adaptive.Spec{Set: set, Epsilon: m.Epsilon, Criterion: m.Criterion}, nil))
}

func (p testBackend) Dense(n int, a []float64) (krylov.Preconditioner[*Vector], error) {
	return p.keep(NewDense(p.d, n, a))
}

func (p testBackend) keep(a Matrix, err error) (Matrix, error) {
	if err == nil {
		*p.owned = append(*p.owned, a)
	}
	return a, err
}

// portable sets up a preconditioner and returns it on the host, without Portable, and its data.
func portable(t testing.TB, kind precond.Kind, m *csr.Matrix, opt precond.Options) (host precond.Preconditioner, data precond.Data) {
	t.Helper()
	opt.Symmetric = csr.Examine(m, nil).Symmetric
	host, err := precond.New(t.Context(), kind, m, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	opt.Portable = true
	p, err := precond.New(t.Context(), kind, m, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	return host, p.Data()
}

// Multigrid, FSAI and ISAI on every device give the bits of the emulated one, the iterations of the host, and as many launches
// as an application is said to take.
func TestApproximateInverses(t *testing.T) {
	for _, c := range []struct {
		name   string
		kind   precond.Kind
		matrix string
		params generate.Params
		opt    precond.Options
	}{
		{"grid", precond.AMG, "poisson2d", generate.Params{"n": 20}, precond.Options{Multigrid: precond.MultigridOptions{Coarsest: 2}}},
		{"nodes", precond.AMG, "elasticity3d", generate.Params{"n": 3}, precond.Options{Multigrid: precond.MultigridOptions{Coarsest: 30}}},
		{"convection", precond.AMG, "convdiff2d", generate.Params{"n": 16}, precond.Options{Multigrid: precond.MultigridOptions{Coarsest: 20}}},
		{"FP64", precond.AMG, "poisson2d", generate.Params{"n": 12}, precond.Options{Epsilon: adaptive.MinEpsilon, Multigrid: precond.MultigridOptions{Coarsest: 20}}},
		{"FSAI", precond.FSAI, "poisson2d", generate.Params{"n": 16, "decades": 4}, precond.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := generated(t, c.matrix, c.params)
			host, data := portable(t, c.kind, m, c.opt)
			method := "cg"
			if !csr.Examine(m, nil).Symmetric {
				method = "bicgstab"
			}
			space := linop.NewHost(m.Rows, nil)
			onHost, err := krylov.New[[]float64, linop.Float64](method, space, krylov.MethodOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want := onHost.Solve(t.Context(), linop.NewCSR(m, nil), space.New(), product1(m), krylov.Options[[]float64]{Tol: 1e-8, Precond: host})
			var first []float64
			eachDevice(t, func(t *testing.T, d *Device) {
				p := placed(t, d, data)
				s := newSpace(d, m.Rows)
				defer s.Close()
				before := d.Launches()
				z := applied(s, p, nasty(m.Rows, 3, false))
				if n := d.Launches() - before; n != launchesOf(data) {
					t.Errorf("%d launches, want %d", n, launchesOf(data))
				}
				if first == nil {
					first = z
				}
				sameBits(t, "M^-1 r", z, first)
				_, r, _ := solve(t, d, m, method, krylov.Options[*Vector]{Tol: 1e-8, Precond: p, Prompt: true})
				if more := r.Iterations - want.Iterations; r.Reason != krylov.Converged || more < -1 || more > 1 {
					t.Errorf("%+v, on the host %+v", r, want)
				}
			})
		})
	}
}

// placed puts what data describes on a device.
func placed(t testing.TB, d *Device, data precond.Data) interface{ Apply(dst, src *Vector) } {
	t.Helper()
	at := newTestBackend(t, d)
	switch data := data.(type) {
	case precond.Sequence:
		p, err := precond.NewSequence[*Vector, Scalar](at, data)
		if err != nil {
			t.Fatal(err)
		}
		return p
	case precond.Hierarchy:
		p, err := precond.NewCycle[*Vector, Scalar](at, data)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	t.Fatalf("data of type %T", data)
	return nil
}

// launchesOf is the number of launches of an application: one for each product, of a V-cycle so many as smoothing takes
// before and after the coarser level, but for the first step, and three for going there and back; two for scaling.
func launchesOf(data precond.Data) int {
	h, ok := data.(precond.Hierarchy)
	if q, _ := data.(precond.Sequence); !ok && q.Scale != nil {
		return len(q.Factors) + 2
	} else if !ok {
		return len(q.Factors)
	}
	var of func(k int) int
	of = func(k int) int {
		if k == len(h.Levels) {
			return 1
		}
		n := 2*len(h.Levels[k].Steps) + 2 + of(k+1)
		if k+1 < len(h.Levels) && h.Levels[k+1].Twice {
			n += of(k+1) + 2
		}
		return n
	}
	return 2 + of(0)
}
