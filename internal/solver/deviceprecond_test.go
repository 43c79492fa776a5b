package solver

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Preconditioners give the same results on a device and on the host, and methods converge alike.
func TestPrecondOnDevice(t *testing.T) {
	d, err := gpu.Open(gpu.Emulate, 0)
	if err != nil {
		t.Skip(err)
	}
	defer d.Close()
	for _, name := range []string{"bcsstk08", "1138_bus", "nos4", "beam_tet_dof2475", "pde900", "jpwh_991", "steam1"} {
		t.Run(name, func(t *testing.T) {
			m := testsupport.Matrix(t, name)
			scaling, err := csr.SymmetricScaling(m, false, nil)
			if err != nil {
				t.Fatal(err)
			}
			symmetric := csr.Examine(m, nil).Symmetric
			m = scaling.Apply(m, nil)
			for _, kind := range rules.DevicePreconds[2:] {
				opt := precond.Options{Symmetric: symmetric, Operator: linop.NewCSR(m, nil), Portable: true}
				made, err := precond.New(t.Context(), kind, m, opt, nil)
				if err != nil {
					if d, _ := precond.Lookup(kind); (symmetric || !d.Definite) && !(kind == precond.ISAI && errors.Is(err, precond.ErrNotDefinite)) {
						t.Error(err) // incomplete factors need not be definite
					}
					continue
				}
				at, err := backend.NewDevice(m, d, nil)
				if err != nil {
					t.Fatal(err)
				}
				want, near := applied(t, backend.NewHost(m, nil), m, made, symmetric)
				got, there := applied(t, at, m, made, symmetric)
				late := at.Stride() + 1 // convergence is seen late
				at.Close()
				space := linop.NewHost(m.Rows, nil)
				space.Axpy(-1, want, got)
				tol, few := 1e-13, 5+0.02*float64(near.Iterations) // which rounding costs, or saves
				if kind == precond.AMG || kind == precond.ISAI {   // in 16 bits there, and in FP64 on the host
					tol = 1e-2
				}
				if r := space.Dot(got, got).Sqrt() / space.Dot(want, want).Sqrt(); !(r.Float() <= tol) {
					t.Errorf("%v: differs by %g from the host's", made, r)
				}
				more := float64(there.Iterations - near.Iterations)
				if near.Reason != krylov.Converged || there.Reason != krylov.Converged || more < -few || more > few+float64(late) {
					t.Errorf("%v: %+v, on the host %+v", made, there, near)
				}
			}
		})
	}
}

// applied applies a preconditioner of m on a backend, and solves with it by CG or GMRES.
func applied[V any, S linop.Scalar[S]](
	t *testing.T, at backend.Backend[V, S], m *csr.Matrix, made precond.Preconditioner, symmetric bool,
) (z []float64, r krylov.Result) {
	t.Helper()
	a, err := at.Store(m, storageOf("FP64", 0))
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.Ready(made)
	if err != nil {
		t.Fatal(err)
	}
	z = make([]float64, m.Rows)
	for i := range z {
		z[i] = math.Sin(float64(i + 1))
	}
	b, x := at.FromHost(append([]float64(nil), z...)), at.New()
	p.Apply(x, b)
	at.ToHost(z, x)
	name := solve.GMRES
	if symmetric {
		name = solve.CG
	}
	method, err := krylov.New[V, S](string(name), at, krylov.MethodOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return z, method.Solve(t.Context(), a, x, b, krylov.Options[V]{Tol: 1e-8, Precond: p})
}

// A kind that does not run on devices is named.
func TestPrecondNotForDevices(t *testing.T) {
	made, err := precond.New(t.Context(), precond.ILU0, grid(5, 0, 0), precond.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&backend.DeviceMatrix{}).Ready(made); err == nil || !strings.Contains(err.Error(), "ilu0") {
		t.Errorf("error %v", err)
	}
}

// What goes to a device takes no more memory than is counted before, and is named by reports with its bytes and launches.
func TestDevicePrecondMemory(t *testing.T) {
	d := devices(t)[0]
	for _, kind := range []precond.Kind{precond.AMG, precond.FSAI} {
		m := grid(40, 0, 0)
		made, err := precond.New(t.Context(), kind, m, precond.Options{Symmetric: true, Portable: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		most := int64(0)
		switch data := made.Data().(type) {
		case precond.Hierarchy:
			most = backend.SpaceFor(backend.HierarchyParts(data)) + 4*int64(data.Coarsest)
		case precond.Sequence:
			most = backend.SpaceFor(data.Factors, int64(m.Rows))
		}
		r := solved(t, m, rhs(m, 1), nil, solve.Options{Placement: solve.Placement{Device: d}, Precond: solve.Precond{Kind: kind}})
		p := r.Precond
		if p.Kind != kind || p.Launches == 0 || p.Cost.Bytes == 0 || p.Cost.Bytes > most || p.Cost.ValueBytes > p.Cost.Bytes {
			t.Errorf("%s: %+v, at most %d bytes", kind, p, most)
		}
	}
	for _, d := range devices(t) {
		p := backend.DevicePrecond{On: d}
		has, known := d.Room()
		if err := p.Room(nil, has/8+1); known != errors.Is(err, precond.ErrMemory) {
			t.Errorf("%v: error %v", d.Info(), err)
		}
	}
}
