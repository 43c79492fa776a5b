package solver

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// openDevices opens the emulated device and the first one of every back end that there is.
func openDevices(t testing.TB) (all []*gpu.Device) {
	t.Helper()
	for _, b := range append([]gpu.Backend{gpu.Emulate}, gpu.Backends...) {
		d, err := gpu.Open(b, 0)
		if err != nil {
			t.Log(err)
			continue
		}
		t.Cleanup(d.Close)
		all = append(all, d)
	}
	return all
}

// devices is openDevices for tests that need one.
func devices(t testing.TB) []*gpu.Device {
	t.Helper()
	all := openDevices(t)
	if len(all) == 0 {
		t.Skip("there is no device, nor an emulated one")
	}
	return all
}

// storageOf is a set at an accuracy.
func storageOf(set string, epsilon float64) solve.Storage {
	return solve.Storage{Set: formatSet(set), Epsilon: epsilon}
}

// Whole solves on devices with every method, storage, preconditioner and stopping
// criterion: solved as an independent measure says, to the same bits on all.
func TestDevice(t *testing.T) {
	all := devices(t)
	spd, flow := rescaled(grid(14, 0, 0), uneven(2), uneven(2)), rescaled(grid(14, 0.3, 0), uneven(2), same(-1))
	symmetric := func(kind precond.Kind) solve.Options { return solve.Options{Precond: solve.Precond{Kind: kind}} }
	bucketed := solve.Storage{Layout: adaptive.Bucketed}
	for k, c := range []struct {
		name string
		m    *csr.Matrix
		opt  solve.Options
	}{
		{"cg", spd, solve.Options{}},
		{"cg on -A", rescaled(spd, same(-1), same(1)), solve.Options{}},
		{"minres", spd, solve.Options{Method: solve.MINRES}},
		{"bicgstab", flow, solve.Options{Method: solve.BiCGStab}},
		{"gmres", flow, solve.Options{}},
		{"gmres, short", flow, solve.Options{Krylov: solve.Krylov{Restart: 15}}},
		{"gmres, basis fp32", flow, solve.Options{Krylov: solve.Krylov{Basis: linop.BasisFP32}}},
		{"gmres, basis adaptive", flow, solve.Options{Krylov: solve.Krylov{Basis: linop.BasisAdaptive}}},
		{"AFX, 2^-13", flow, solve.Options{Storage: storageOf("AFX", 0x1p-13)}},
		{"AFX, 2^-37", flow, solve.Options{Storage: storageOf("AFX", 0x1p-37)}},
		{"AFX, 2^-53", spd, solve.Options{Storage: storageOf("AFX", 0x1p-53)}},
		{"AFX, bucketed", spd, solve.Options{Storage: bucketed}},
		{"AP7RE", flow, solve.Options{Storage: storageOf("AP7RE", 0x1p-24)}},
		{"FP32", flow, solve.Options{Storage: storageOf("FP32", 0)}},
		{"FP64", flow, solve.Options{Storage: storageOf("FP64", 0)}},
		{"layout csr", spd, solve.Options{Storage: solve.Storage{Layout: adaptive.CSR}}},
		{"layout coo", flow, solve.Options{Storage: solve.Storage{Layout: adaptive.COO}}},
		{"layout hybrid", spd, solve.Options{Storage: solve.Storage{Layout: adaptive.Hybrid}}},
		{"no refinement", spd, solve.Options{Krylov: solve.Krylov{NoRefine: true}}},
		{"steps", spd, solve.Options{Accuracy: solve.Accuracy{InnerTol: 0.01}}},
		{"scale none", grid(14, 0.3, 0), solve.Options{Scale: solve.ScaleNone}},
		{"scale row", flow, solve.Options{Scale: solve.ScaleRow}},
		{"reordered", flow, solve.Options{Reorder: solve.ReorderRCM}},
		{"jacobi", spd, symmetric(precond.Jacobi)},
		{"bjacobi", spd, symmetric(precond.BlockJacobi)},
		{"bjacobi, gmres", flow, symmetric(precond.BlockJacobi)},
		{"chebyshev", spd, symmetric(precond.Chebyshev)},
		{"entries about 1e300", rescaled(grid(12, 0.2, 0), same(1e300), same(1)), solve.Options{}},
		{"entries about 1e-300", rescaled(grid(12, 0, 0), same(1e-300), same(1)), solve.Options{}},
		{"1 x 1", dense([]float64{-7}), solve.Options{}},
	} {
		stops := rules.Stops // all of them with each method, and others with some criterion
		if k >= 5 {
			stops = rules.Stops[k%len(rules.Stops):][:1]
		}
		for _, stop := range stops {
			t.Run(fmt.Sprint(c.name, ", ", stop), func(t *testing.T) {
				c.opt.Stop = stop
				var first solve.Result
				for k, d := range all {
					c.opt.Device = d
					before := bytesOn(d)
					r := solved(t, c.m, rhs(c.m, 1), nil, c.opt)
					if k == 0 {
						first = r
					}
					if !sameOutcome(r, first) {
						t.Errorf("%v: %v after %d iterations, errors %+v; emulated %v after %d, %+v", d.Info(),
							r.Reason, r.Iterations, r.Errors, first.Reason, first.Iterations, first.Errors)
					}
					if now := bytesOn(d); now != before {
						t.Errorf("%v: %d bytes were not released", d.Info(), now-before)
					}
				}
			})
		}
	}
}

// A device that fails during a solve makes the solve fail.
func TestDeviceFails(t *testing.T) {
	m := grid(10, 0.3, 0)
	for _, d := range devices(t) {
		s := newSolver(t, m, solve.Options{Placement: solve.Placement{Device: d}})
		broken := false
		s.Opt.Monitor = func(e krylov.Event) {
			if !broken && e.Iteration > 0 {
				broken = true
				gpu.NewSpace(d, 1<<57).New() // more memory than there is
			}
		}
		_, err := s.Solve(t.Context(), rhs(m, 1), nil)
		var fault *gpu.Error
		if !errors.As(err, &fault) || fault.Backend != d.Info().Backend {
			t.Errorf("%v: error %v", d.Info(), err)
		}
		s.Close()
		if _, err = New(t.Context(), m, solve.Options{Placement: solve.Placement{Device: d}}); !errors.As(err, &fault) {
			t.Errorf("%v: setting up on a device that has failed: %v", d.Info(), err)
		}
	}
}

// What no device has is an error, or the host's, if that was left open.
func TestChooseDevice(t *testing.T) {
	d := devices(t)[0]
	m := grid(10, 0, 0)
	for _, opt := range []solve.Options{
		{Precond: solve.Precond{Kind: precond.AMG, KCycle: true}},
		{Precond: solve.Precond{Kind: precond.ILU0}},
		{Storage: solve.Storage{Layout: adaptive.Symmetric}},
		{Storage: solve.Storage{Set: formatSet("FP32"), StorageArithmetic: true}},
		{Krylov: solve.Krylov{Restart: 20000}},
	} {
		opt.Device = d
		if _, err := New(t.Context(), m, opt); err == nil {
			t.Errorf("%+v is no error", opt)
		}
		var log logged
		opt.DeviceAuto = true
		s := newSolver(t, m, log.options(opt))
		if _, _, on := s.Device(); on || !log.says("device cpu: solve: ") {
			t.Errorf("on a device: %v, said %q", on, log.lines)
		}
		s.Close()
	}
	s := newSolver(t, m, solve.Options{Placement: solve.Placement{Device: d}})
	if info, bytes, on := s.Device(); !on || info.Backend != d.Info().Backend || bytes < int64(24*m.NNZ()) {
		t.Errorf("%v, %d bytes, on a device: %v", info, bytes, on)
	}
	small := gpu.Info{Free: s.DeviceMemory() - 1}
	if err := s.DeviceFault(small); !errors.Is(err, solve.ErrDeviceMemory) {
		t.Errorf("too little memory: %v", err)
	}
	small.Free++
	if err := s.DeviceFault(small); err != nil {
		t.Error(err)
	}
}

// What a solve takes on a device is within what was said.
func TestDeviceMemory(t *testing.T) {
	for _, d := range devices(t) {
		for _, c := range []struct {
			m   *csr.Matrix
			opt solve.Options
		}{
			{grid(60, 0, 0), solve.Options{}},
			{grid(60, 0.3, 0), solve.Options{Krylov: solve.Krylov{Restart: 40}}},
			{grid(60, 0.3, 0), solve.Options{Krylov: solve.Krylov{Restart: 40, Basis: linop.BasisFP32}}},
			{grid(60, 0.3, 0), solve.Options{Krylov: solve.Krylov{Restart: 40, Basis: linop.BasisAdaptive}}},
			{grid(60, 0.3, 0), solve.Options{Method: solve.BiCGStab}},
			{grid(60, 0, 0), solve.Options{Method: solve.MINRES}},
			{grid(60, 0, 0), solve.Options{Precond: solve.Precond{Kind: precond.Chebyshev}}},
		} {
			c.opt.Device, c.opt.MaxIter = d, 60
			s := newSolver(t, c.m, c.opt)
			if _, err := s.Solve(t.Context(), rhs(c.m, 1), nil); err != nil {
				t.Fatal(err)
			}
			if now, _ := d.Bytes(); now > s.DeviceMemory() {
				t.Errorf("%s takes %d bytes, said were %d", s.Method, now, s.DeviceMemory())
			}
			s.Close()
		}
	}
}

// needEmulator skips a test where there is no emulated device.
func needEmulator(t *testing.T) {
	t.Helper()
	d, err := gpu.Open(gpu.Emulate, 0)
	if err != nil {
		t.Skip(err)
	}
	d.Close()
}

// emulatedRanks returns options with an emulated device for each rank, which has to end without errors and without memory in use.
func emulatedRanks(t *testing.T, opt solve.Options) func(*dist.Matrix) solve.Options {
	return func(*dist.Matrix) solve.Options {
		opt := opt
		d, err := gpu.Open(gpu.Emulate, 0)
		if err != nil {
			t.Error(err)
		}
		before := bytesOn(d)
		t.Cleanup(func() {
			if err := d.Err(); err != nil || bytesOn(d) != before {
				t.Errorf("%d bytes were not released, error %v", bytesOn(d)-before, err)
			}
			d.Close()
		})
		opt.Device = d
		return opt
	}
}

// Ranks with a device each solve what one rank solves with as many domains, to the same bits, whatever the method and the storage.
func TestDeviceRanks(t *testing.T) {
	needEmulator(t)
	spd, flow := grid(16, 0, 0), grid(16, 0.3, 0)
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		opt  solve.Options
	}{
		{"cg", rescaled(spd, uneven(2), uneven(2)), solve.Options{}},
		{"gmres, 2^-24", flow, solve.Options{Storage: storageOf("AFX", 0x1p-24)}},
		{"bicgstab, FP64", flow, solve.Options{Method: solve.BiCGStab, Storage: storageOf("FP64", 0)}},
		{"minres, AP7RE", spd, solve.Options{Method: solve.MINRES, Storage: storageOf("AP7RE", 0x1p-24)}},
		{"componentwise", rescaled(spd, uneven(1), uneven(1)), solve.Options{Accuracy: solve.Accuracy{Stop: solve.StopCW}, Scale: solve.ScaleNone}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := rhs(c.m, 1)
			var first []float64
			for _, ranks := range []int{1, 3} {
				x, all := solveWith(t, ranks, 5, c.m, b, emulatedRanks(t, c.opt))
				for _, r := range all {
					if r.Fault != nil || r.result.Reason != krylov.Converged {
						t.Fatalf("%d ranks: %v, %v, %s", ranks, r.result.Reason, r.Fault, r.result.Advice)
					}
				}
				if e, err := verify.Compute(c.m, x, b, nil); err != nil || !(e.Row <= 1e-10) && c.opt.Stop == "" {
					t.Errorf("%d ranks: errors %+v, %v", ranks, e, err)
				}
				if first == nil {
					first = x
				}
				if !slices.Equal(x, first) {
					t.Errorf("%d ranks: other bits than one rank", ranks)
				}
			}
		})
	}
}

// What devices of several domains do not have is said before anything is set up.
func TestDeviceRanksOptions(t *testing.T) {
	for _, opt := range []solve.Options{
		{Precond: solve.Precond{Kind: precond.ILU0}}, {Krylov: solve.Krylov{Basis: linop.BasisFP32}}, {Placement: solve.Placement{HaloEpsilon: 0x1p-37}},
	} {
		opt.Device = new(gpu.Device)
		if err := rules.OverDomains(opt); err == nil {
			t.Errorf("%+v is no error", opt)
		}
		opt.Device = nil
		if err := rules.OverDomains(opt); err != nil {
			t.Errorf("on the host: %v", err)
		}
	}
}

// A device of one rank that fails ends the solve of all, with its error (Concurrent).
func TestDeviceRankFailsConcurrent(t *testing.T) {
	m := grid(16, 0.3, 0)
	needEmulator(t)
	_, all := solveWith(t, 2, 4, m, rhs(m, 1), func(a *dist.Matrix) solve.Options {
		d, err := gpu.Open(gpu.Emulate, 0)
		if err != nil {
			t.Error(err)
		}
		t.Cleanup(d.Close)
		if a.Comm.Rank() == 1 {
			gpu.NewSpace(d, 1<<57).New() // more memory than there is
		}
		return solve.Options{Placement: solve.Placement{Device: d}}
	})
	for rank, r := range all {
		if r.Fault == nil {
			t.Errorf("rank %d: %v", rank, r.result.Reason)
		}
	}
}
