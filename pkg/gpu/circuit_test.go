//go:build !withoutsolve && !race

// These tests make Go compile pkg/solve once more, for the tests of pkg/gpu, which takes longest of all packages: sanitizers, fuzzing and the
// race detector leave them out.

package gpu_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

var (
	circuitDevices = flag.String("circuit", "", "solve G3_circuit by multigrid on these: emulate, ptx, amd, opencl, cuda, hip (make gpu-circuit)")
	circuitLimit   = flag.Int("circuit-iterations", 0, "so many iterations at most; 0: no limit")
)

// resistors is a small analogue of G3_circuit: the conductances of a grid of k x k resistors, some of which are missing, and
// of a few that lead to ground.
func resistors(k int) *csr.Matrix {
	random := rand.New(rand.NewPCG(22, uint64(k)))
	return testsupport.Entries(k*k, func(add func(i, j int, v float64)) {
		join := func(i, j int) {
			if random.Float64() < 0.8 {
				g := math.Exp(random.NormFloat64())
				add(i, i, g)
				add(j, j, g)
				add(i, j, -g)
				add(j, i, -g)
			}
		}
		for i := range k * k {
			add(i, i, 1e-3)
			if random.IntN(100) == 0 {
				add(i, i, 1)
			}
			if (i+1)%k != 0 {
				join(i, i+1)
			}
			if i+k < k*k {
				join(i, i+k)
			}
		}
	})
}

// Multigrid takes as many iterations on the emulated device as on the host, or one more or less: its vectors are of FP64 instead of
// FP32.
func TestMultigridLikeHost(t *testing.T) {
	d, err := gpu.Open(gpu.Emulate, 0)
	if err != nil {
		t.Skip(err)
	}
	defer d.Close()
	for k := 24; k < 80; k += 6 {
		m := resistors(k)
		host, _ := multigridSolve(t, m, nil, 0)
		r, _ := multigridSolve(t, m, d, 0)
		t.Logf("%d nodes: %d iterations, on the host %d", m.Rows, r.Iterations, host.Iterations)
		if more := r.Iterations - host.Iterations; r.Reason != krylov.Converged || host.Reason != krylov.Converged || more < -1 || more > 1 {
			t.Errorf("%v after %d iterations, on the host %v after %d", r.Reason, r.Iterations, host.Reason, host.Iterations)
		}
	}
}

// A whole solve with multigrid takes as many iterations on every device as on the host, to the bits of the emulated one.
func TestMultigridSolve(t *testing.T) {
	m := resistors(36)
	host, _ := multigridSolve(t, m, nil, 0)
	if host.Reason != krylov.Converged {
		t.Fatalf("on the host %v after %d iterations", host.Reason, host.Iterations)
	}
	var first solve.Result
	var steps []float64
	gpu.EachDevice(t, func(t *testing.T, d *gpu.Device) {
		r, residuals := multigridSolve(t, m, d, 0)
		if first.X == nil {
			first, steps = r, residuals
		}
		if !testsupport.SameBits(r.X, first.X) || !testsupport.SameBits(residuals, steps) {
			t.Error("other bits than on the emulated device")
		}
		if r.Reason != krylov.Converged || r.Iterations != host.Iterations {
			t.Errorf("%v after %d iterations, on the host after %d", r.Reason, r.Iterations, host.Iterations)
		}
	})
}

// G3_circuit itself, on the devices that -circuit names, the first of which the others are compared with.
func TestG3Circuit(t *testing.T) {
	if *circuitDevices == "" {
		t.Skip("make gpu-circuit solves G3_circuit")
	}
	m := testsupport.Matrix(t, "G3_circuit")
	host, _ := multigridSolve(t, m, nil, *circuitLimit)
	t.Logf("host: %v after %d iterations", host.Reason, host.Iterations)
	var first solve.Result
	var steps []float64
	for _, name := range strings.Split(*circuitDevices, ",") {
		t.Run(name, func(t *testing.T) {
			r, errors := multigridSolve(t, m, device(t, name), *circuitLimit)
			t.Logf("%v after %d iterations, error %g", r.Reason, r.Iterations, r.Errors.Componentwise)
			if first.X == nil {
				first, steps = r, errors
			}
			if !testsupport.SameBits(r.X, first.X) || !testsupport.SameBits(errors, steps) {
				t.Error("other bits than on the first device")
			}
			if r.Reason != host.Reason || r.Iterations != host.Iterations {
				t.Errorf("%v after %d iterations, on the host %v after %d", r.Reason, r.Iterations, host.Reason, host.Iterations)
			}
		})
	}
}

// device opens a device by its name, or skips.
func device(t *testing.T, name string) *gpu.Device {
	switch name {
	case "ptx":
		return gpu.OpenPTX(t, 0)
	case "amd":
		return gpu.OpenAMD(t, "gfx90a", 0)
	}
	d, err := gpu.Open(gpu.Backend(name), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// multigridSolve solves m x = m 1 by CG with multigrid, on a device or the host, and returns the residuals of the iterations.
func multigridSolve(t *testing.T, m *csr.Matrix, d *gpu.Device, most int) (r solve.Result, residuals []float64) {
	t.Helper()
	one, b := make([]float64, m.Cols), make([]float64, m.Rows)
	for i := range one {
		one[i] = 1
	}
	m.MulVec(b, one)
	start := time.Now()
	s, err := solver.New(t.Context(), m, solve.Options{
		Placement: solve.Placement{Device: d},
		Method:    solve.CG,
		Precond:   solve.Precond{Kind: precond.AMG},
		Limits:    solve.Limits{MaxIter: most},
		Accuracy:  solve.Accuracy{Digits: solve.NoDigits},
		Reporting: solve.Reporting{Monitor: func(e krylov.Event) {
			residuals = append(residuals, e.Residual)
			if *circuitDevices != "" {
				t.Logf("%v: iteration %d, residual %x", time.Since(start).Round(time.Second), e.Iteration, e.Residual)
			}
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r, err = s.Solve(t.Context(), b, nil); err != nil {
		t.Fatal(err)
	}
	return r, residuals
}
