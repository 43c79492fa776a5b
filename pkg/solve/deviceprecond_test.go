package solve

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testmatrix"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// emulatedDevice opens one, or skips.
func emulatedDevice(t *testing.T) *gpu.Device {
	t.Helper()
	d, err := gpu.Open(gpu.Emulate, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := d.Err(); err != nil {
			t.Error(err)
		}
		d.Close()
	})
	return d
}

// realScaled reads a matrix beside this checkout and scales it, symmetrically if it is
// symmetric; it skips where there is none.
func realScaled(t *testing.T, name string) (m *csr.Matrix, symmetric bool) {
	t.Helper()
	m = testmatrix.Matrix(t, name)
	scaling, err := csr.SymmetricScaling(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	facts := csr.Examine(m, nil)
	return scaling.Apply(m, nil), facts.Symmetric
}

// Preconditioners do on a device what they do on the host, and methods converge alike.
func TestPrecondOnDevice(t *testing.T) {
	d := emulatedDevice(t)
	for _, name := range []string{"bcsstk08", "bcsstk14", "1138_bus", "nos4", "beam_tet_dof2475", "orsreg_1", "pde900", "jpwh_991", "steam1"} {
		t.Run(name, func(t *testing.T) {
			m, symmetric := realScaled(t, name)
			for _, kind := range DevicePreconds[2:] {
				if symmetric || kind != precond.Chebyshev {
					compareOnDevice(t, d, kind, m, symmetric)
				}
			}
		})
	}
}

// compareOnDevice compares an application, and solves by CG or GMRES.
func compareOnDevice(t *testing.T, d *gpu.Device, kind precond.Kind, m *csr.Matrix, symmetric bool) {
	host, hostA := linop.NewHost(m.Rows, nil), linop.NewCSR(m, nil)
	far, err := newDevice(m, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer far.close()
	farA, err := far.store(m, storageOf("FP64", 0))
	if err != nil {
		t.Fatal(err)
	}
	made, err := precond.New(t.Context(), kind, m, precond.Options{Symmetric: symmetric, Operator: hostA}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := farA.upload(made)
	if err != nil {
		t.Fatal(err)
	}

	b, want, got := make(vector, m.Rows), host.New(), make(vector, m.Rows)
	for i := range b {
		b[i] = math.Sin(float64(i + 1))
	}
	rhs, x := far.New(), far.New()
	far.Upload(rhs, b)
	p.Apply(x, rhs)
	far.Download(got, x)
	made.Apply(want, b)
	host.Axpy(-1, want, got)
	if r := host.Dot(got, got).Sqrt() / host.Dot(want, want).Sqrt(); !(r <= 1e-13) {
		t.Errorf("%v: differs by %g from the host's", made, r)
	}

	near := methodOf[vector, scalar](host, symmetric).Solve(context.Background(), hostA, want, b, krylov.Options[vector]{Tol: 1e-8, Precond: made})
	there := methodOf[*gpu.Vector, gpu.Scalar](far, symmetric).Solve(context.Background(), farA, x, rhs, krylov.Options[*gpu.Vector]{Tol: 1e-8, Precond: p})
	t.Logf("%v: %v after %d iterations, on the host %v after %d", made, there.Reason, there.Iterations, near.Reason, near.Iterations)
	// Rounding costs, or saves, a few, and convergence is seen late.
	few := 5 + 0.02*float64(near.Iterations)
	late := float64(there.Iterations - near.Iterations)
	if near.Reason != krylov.Converged || there.Reason != krylov.Converged || late < -few || late > few+float64(far.Stride()+1) {
		t.Errorf("%v: %+v, on the host %+v", made, there, near)
	}
}

func methodOf[V any, S linop.Scalar[S]](space linop.Space[V, S], symmetric bool) krylov.Method[V, S] {
	if symmetric {
		return krylov.NewCG(space)
	}
	return krylov.NewGMRES(space, krylov.GMRESOptions{})
}

// A kind that is not for devices is named.
func TestPrecondNotForDevices(t *testing.T) {
	m := grid(5, 0, 0)
	made, err := precond.New(t.Context(), precond.ILU0, m, precond.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&deviceMatrix{}).upload(made); err == nil || !strings.Contains(err.Error(), "ilu0") {
		t.Errorf("error %v", err)
	}
}
