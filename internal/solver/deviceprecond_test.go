package solver

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
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

// Preconditioners on devices that share a matrix give the same bits for any number of ranks, and take about as many iterations as on
// hosts with as many domains; the rules choose the diagonal as on one device.
func TestDeviceRanksPrecond(t *testing.T) {
	needEmulator(t)
	spd, flow := grid(24, 0, 0), grid(16, 0.3, 0)
	uneven := rescaled(spd, uneven(10), uneven(10))
	elastic, err := generate.Generate("elasticity3d", generate.Params{"n": 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		opt  solve.Options
		kind precond.Kind
	}{
		{"jacobi", uneven, solve.Options{Precond: solve.Precond{Kind: precond.Jacobi}, Scale: solve.ScaleNone}, precond.Jacobi},
		{"bjacobi", elastic, solve.Options{Precond: solve.Precond{Kind: precond.BlockJacobi}}, precond.BlockJacobi},
		{"bjacobi, gmres", flow, solve.Options{Precond: solve.Precond{Kind: precond.BlockJacobi, BlockSize: 7}}, precond.BlockJacobi},
		{"bjacobi, FP64", spd, solve.Options{Precond: solve.Precond{Kind: precond.BlockJacobi, Epsilon: 0x1p-53}}, precond.BlockJacobi},
		{"chebyshev", spd, solve.Options{Precond: solve.Precond{Kind: precond.Chebyshev}}, precond.Chebyshev},
		{"amg, gmres", grid(30, 0, 0), solve.Options{Method: solve.GMRES, Precond: solve.Precond{Kind: precond.AMG}}, precond.AMG},
		{"amg", grid(30, 0, 0), solve.Options{Precond: solve.Precond{Kind: precond.AMG}}, precond.AMG},
		{"chosen", spd, solve.Options{}, precond.Jacobi},
		{"chosen, nodes", elastic, solve.Options{}, precond.Jacobi},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := rhs(c.m, 1)
			hosts := c.opt
			hosts.Precond.Kind = c.kind
			_, on := solveOnRanks(t, 1, 5, c.m, b, hosts)
			host := on[0].result
			var first []float64
			var said string
			for _, ranks := range []int{1, 2, 5} {
				x, all := solveWith(t, ranks, 5, c.m, b, emulatedRanks(t, c.opt))
				r := all[0].result
				if all[0].Fault != nil || r.Reason != krylov.Converged || r.Precond.Kind != c.kind || (r.Precond.Launches == 0) != (c.kind == precond.AMG) {
					t.Fatalf("%d ranks: %v, %v, %+v", ranks, r.Reason, all[0].Fault, r.Precond)
				}
				if few := 5 + host.Iterations/20; r.Iterations > host.Iterations+few || r.Iterations < host.Iterations-few {
					t.Errorf("%d ranks: %d iterations, on hosts %d", ranks, r.Iterations, host.Iterations)
				}
				if first == nil {
					first, said = x, r.Precond.Text
				}
				if !slices.Equal(x, first) || r.Precond.Text != said {
					t.Errorf("%d ranks: other bits than one rank, or %q instead of %q", ranks, r.Precond.Text, said)
				}
				for rank, other := range all {
					if other.summary() != all[0].summary() {
						t.Errorf("rank %d of %d: %s, rank 0: %s", rank, ranks, other.summary(), all[0].summary())
					}
				}
			}
		})
	}
}

// A polynomial goes on multiplying with a matrix on devices that the method has given up.
func TestDeviceRanksKeepSharedMatrix(t *testing.T) {
	d, err := gpu.Open(gpu.Emulate, 0)
	if err != nil {
		t.Skip(err)
	}
	defer d.Close()
	dist.Run(1, func(c dist.Comm) {
		a, err := dist.Spread(c, grid(16, 0, 0), 3)
		if err != nil {
			t.Error(err)
			return
		}
		at, err := backend.NewDeviceRanks(&ranks.Job{Matrix: a}, a.Local, d, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer at.Close()
		stored, err := at.Store(a.Local, storageOf("FP64", 0))
		if err != nil {
			t.Error(err)
			return
		}
		made, err := precond.NewDistributed(t.Context(), precond.Chebyshev, a, a.Local, precond.Options{Symmetric: true}, nil)
		if err != nil {
			t.Error(err)
			return
		}
		p, err := stored.Ready(made)
		if err != nil {
			t.Error(err)
			return
		}
		src, dst := at.FromHost(random(1, a.Len)), at.New()
		before, after := make([]float64, a.Len), make([]float64, a.Len)
		p.Apply(dst, src)
		at.ToHost(before, dst)
		stored.Release()
		at.Zero(dst)
		p.Apply(dst, src)
		at.ToHost(after, dst)
		if err := at.Fault(); err != nil || !slices.Equal(before, after) || before[a.Parts[0].First()] == 0 {
			t.Errorf("another result, or none, after the release; error %v", err)
		}
	})
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
		p := backend.DevicePrecond[*gpu.Vector]{On: d}
		has, known := d.Room()
		if err := p.Room(nil, has/8+1); known != errors.Is(err, precond.ErrMemory) {
			t.Errorf("%v: error %v", d.Info(), err)
		}
	}
}
