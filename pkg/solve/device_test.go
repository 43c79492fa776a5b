package solve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// devices opens the emulated device and the first one of every back end that there is.
func devices(t testing.TB) []*gpu.Device {
	t.Helper()
	var all []*gpu.Device
	for _, b := range append([]gpu.Backend{gpu.Emulate}, gpu.Backends...) {
		d, err := gpu.Open(b, 0)
		if err != nil {
			t.Log(err)
			continue
		}
		t.Cleanup(d.Close)
		all = append(all, d)
	}
	if len(all) == 0 {
		t.Skip("there is no device, nor an emulated one")
	}
	return all
}

// solveOn solves on all devices, and checks that they give the same bits and keep nothing.
func solveOn(t *testing.T, all []*gpu.Device, m *csr.Matrix, b, x0 []float64, opt Options) (first Result) {
	t.Helper()
	for k, d := range all {
		before, _ := d.Bytes()
		opt.Device = d
		r := mustSolve(t, m, b, x0, opt)
		if k == 0 {
			first = r
		}
		if !sameOutcome(r, first) {
			t.Errorf("%v: %v after %d iterations, errors %+v; emulated %v after %d, %+v", d.Info(),
				r.Reason, r.Iterations, r.Errors, first.Reason, first.Iterations, first.Errors)
		}
		if now, _ := d.Bytes(); now != before {
			t.Errorf("%v: %d bytes were not released", d.Info(), now-before)
		}
	}
	return first
}

// storageOf is a set at an accuracy.
func storageOf(set string, epsilon float64) Storage {
	return Storage{Set: lookup(set), Epsilon: epsilon}
}

// Whole solves on devices with every method, storage, preconditioner and stopping
// criterion: converged as an independent measure says.
func TestDevice(t *testing.T) {
	all := devices(t)
	spd, flow := rescaled(grid(14, 0, 0), uneven(2), uneven(2)), rescaled(grid(14, 0.3, 0), uneven(2), same(-1))
	symmetric := func(kind precond.Kind) Options { return Options{Precond: Precond{Kind: kind}} }
	bucketed := Storage{Layout: adaptive.Bucketed}
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		opt  Options
	}{
		{"cg", spd, Options{}},
		{"cg on -A", rescaled(spd, same(-1), same(1)), Options{}},
		{"minres", spd, Options{Method: MINRES}},
		{"bicgstab", flow, Options{Method: BiCGStab}},
		{"gmres", flow, Options{}},
		{"gmres, short", flow, Options{Restart: 15}},
		{"AFX, 2^-13", flow, Options{Storage: storageOf("AFX", 0x1p-13)}},
		{"AFX, 2^-37", flow, Options{Storage: storageOf("AFX", 0x1p-37)}},
		{"AFX, 2^-53", spd, Options{Storage: storageOf("AFX", 0x1p-53)}},
		{"AFX, bucketed", spd, Options{Storage: bucketed}},
		{"AP7RE", flow, Options{Storage: storageOf("AP7RE", 0x1p-24)}},
		{"FP32", flow, Options{Storage: storageOf("FP32", 0)}},
		{"FP64", flow, Options{Storage: storageOf("FP64", 0)}},
		{"layout csr", spd, Options{Storage: Storage{Layout: adaptive.CSR}}},
		{"no refinement", spd, Options{NoRefine: true}},
		{"steps", spd, Options{InnerTol: 0.01}},
		{"scale none", grid(14, 0.3, 0), Options{Scale: ScaleNone}},
		{"scale row", flow, Options{Scale: ScaleRow}},
		{"reordered", flow, Options{Reorder: ReorderRCM}},
		{"jacobi", spd, symmetric(precond.Jacobi)},
		{"bjacobi", spd, symmetric(precond.BlockJacobi)},
		{"bjacobi, gmres", flow, symmetric(precond.BlockJacobi)},
		{"chebyshev", spd, symmetric(precond.Chebyshev)},
		{"entries about 1e300", rescaled(grid(12, 0.2, 0), same(1e300), same(1)), Options{}},
		{"entries about 1e-300", rescaled(grid(12, 0, 0), same(1e-300), same(1)), Options{}},
		{"1 x 1", dense([]float64{-7}), Options{}},
	} {
		for _, stop := range Stops {
			t.Run(fmt.Sprint(c.name, ", ", stop), func(t *testing.T) {
				b := rhs(c.m, 1)
				c.opt.Stop = stop
				r := solveOn(t, all, c.m, b, nil, c.opt)
				e := bigMeasure(stop, c.m, r.X, b)
				if !honest(r, e, krylov.DefaultTol) || !r.Reason.Converged() {
					t.Errorf("%v after %d iterations with an error of %g", r.Reason, r.Iterations, e)
				}
			})
		}
	}
}

// A storage or a method that does not suffice is followed by the next one there too, and
// right-hand sides do not depend on those before.
func TestDeviceEscalates(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		opt  Options
		says string
	}{
		{"accuracy", grid(12, 0, 0), Options{Storage: storageOf("AFX", 0.25)}, "continuing with AFX at epsilon 2^-24"},
		{"method", grid(12, 0, -2.5), Options{}, "continuing with gmres"},
		{"chebyshev", grid(12, 0, 0), Options{Storage: storageOf("AFX", 0.25), Precond: Precond{Kind: precond.Chebyshev}}, "continuing with AFX"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, d := range devices(t) {
				before, _ := d.Bytes()
				var log logged
				c.opt.Device = d
				s := newSolver(t, c.m, log.options(c.opt))
				var after []int64 // bytes on the device after each right-hand side
				for k, size := range []float64{1, 1e150, 1e-150, 0, 1} {
					b := rhs(c.m, size)
					got, err := s.Solve(t.Context(), b, nil)
					if err != nil {
						t.Fatal(err)
					}
					now, _ := d.Bytes()
					after = append(after, now)
					e := bigMeasure(StopRow, c.m, got.X, b)
					if !got.Reason.Converged() || !(e <= krylov.DefaultTol) {
						t.Errorf("right-hand side %d: %v with an error of %g", k, got.Reason, e)
					}
					if want := mustSolve(t, c.m, b, nil, c.opt); !sameOutcome(got, want) {
						t.Errorf("right-hand side %d: %v after %d iterations, alone %v after %d",
							k, got.Reason, got.Iterations, want.Reason, want.Iterations)
					}
				}
				if after[4] > after[0] {
					t.Errorf("every right-hand side takes more of the device's memory: %d", after)
				}
				if !log.says(c.says) {
					t.Errorf("the log does not say %q: %q", c.says, log.lines)
				}
				s.Close()
				if now, _ := d.Bytes(); now != before {
					t.Errorf("%d bytes were not released", now-before)
				}
			}
		})
	}
}

func TestDeviceGuess(t *testing.T) {
	m, all := grid(14, 0.3, 0), devices(t)
	b := rhs(m, 1)
	first := solveOn(t, all, m, b, nil, Options{Tol: 1e-6})
	again := solveOn(t, all, m, b, first.X, Options{})
	if again.Reason != krylov.Converged || again.Iterations == 0 {
		t.Errorf("%v after %d iterations", again.Reason, again.Iterations)
	}
	whole := solveOn(t, all, m, b, nil, Options{})
	if done := solveOn(t, all, m, b, whole.X, Options{}); done.Iterations != 0 || !sameBits(done.X, whole.X) {
		t.Errorf("from the solution: %v after %d iterations", done.Reason, done.Iterations)
	}
}

// Measures and scalings of a device are those of the host, but for the order of sums.
func TestDeviceMeasure(t *testing.T) {
	m := rescaled(grid(9, 0.3, 0), uneven(5), uneven(5))
	for _, on := range devices(t) {
		for _, stop := range Stops {
			scaled := &scaledMatrix{Scaling: csr.BothScaling(m, nil), m: m, sign: -1}
			d, err := newDevice(m, on, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, got := measured(newHost(m, nil), stop, scaled), measured(d, stop, scaled)
			for k := range want {
				if want[k].e != got[k].e || !(math.Abs(got[k].measure-want[k].measure) <= 1e-13*want[k].measure) || !sameBits(got[k].v, want[k].v) {
					t.Errorf("%v, stop %s, %d: %+v, want %+v", on.Info(), stop, k, got[k], want[k])
				}
			}
			d.close()
		}
	}
}

type measurement struct {
	measure float64
	e       int
	v       []float64
}

// measured takes random vectors through all that a place does with them.
func measured[V any, S linop.Scalar[S]](at place[V, S], stop Stop, scaled *scaledMatrix) []measurement {
	n := scaled.m.Rows
	home := func(v V) []float64 {
		x := make([]float64, n)
		at.download(x, v)
		return x
	}
	x, b, r := at.upload(random(1, n)), at.upload(random(2, n)), at.upload(random(3, n))
	k, s := newMeasure(at, stop, scaled.m.RowSums(nil)), newScaling(at, scaled)
	k.begin(b)
	rhs, d, x2, r2 := at.New(), at.New(), at.New(), at.New()
	e := s.residual(rhs, r)
	s.correction(d, r, e)
	s.col.addLdexp(x2, x, r, e)
	s.unscaled.ldexp(r2, rhs, 1, e)
	return []measurement{{k.of(x, r), e, home(rhs)}, {k.of(x2, r2), 0, home(d)}, {0, 0, home(r2)}}
}

// Limits end a solve there as here, with the best x.
func TestDeviceLimits(t *testing.T) {
	m := grid(40, 0, 0)
	b := rhs(m, 1)
	for _, d := range devices(t) {
		r := mustSolve(t, m, b, nil, Options{Device: d, MaxIter: 7})
		if r.Reason != krylov.IterationLimit || r.Iterations != 7 || !(r.Errors.RelativeResidual < 1) {
			t.Errorf("%v after %d iterations, %+v", r.Reason, r.Iterations, r.Errors)
		}
		s := newSolver(t, m, Options{Device: d})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r, err := s.Solve(ctx, b, nil); err != nil || r.Reason != krylov.Interrupted {
			t.Errorf("cancelled: %v, %v", r.Reason, err)
		}
		s.Close()
	}
}

// A device that fails during a solve is an error, not an answer.
func TestDeviceFails(t *testing.T) {
	m := grid(10, 0.3, 0)
	for _, d := range devices(t) {
		s := newSolver(t, m, Options{Device: d})
		broken := false
		s.opt.Monitor = func(e krylov.Event) {
			if !broken && e.Iteration == 5 {
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
		if _, err = New(t.Context(), m, Options{Device: d}); !errors.As(err, &fault) {
			t.Errorf("%v: setting up on a device that has failed: %v", d.Info(), err)
		}
	}
}

// What no device has is an error, or the host's, if that was left open.
func TestChooseDevice(t *testing.T) {
	d := devices(t)[0]
	m := grid(10, 0, 0)
	for _, opt := range []Options{
		{Precond: Precond{Kind: precond.AMG}},
		{Precond: Precond{Kind: precond.ILU0}},
		{Storage: Storage{Layout: adaptive.Symmetric}},
		{Storage: Storage{Set: lookup("FP32"), StorageArithmetic: true}},
		{Restart: 20000},
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
	s := newSolver(t, m, Options{Device: d})
	if info, bytes, on := s.Device(); !on || info.Backend != d.Info().Backend || bytes < int64(24*m.NNZ()) {
		t.Errorf("%v, %d bytes, on a device: %v", info, bytes, on)
	}
	small := gpu.Info{Free: s.deviceMemory() - 1}
	if err := s.deviceFault(small); !errors.Is(err, ErrDeviceMemory) {
		t.Errorf("too little memory: %v", err)
	}
	small.Free++
	if err := s.deviceFault(small); err != nil {
		t.Error(err)
	}
}

// What a solve takes on a device is within what was said.
func TestDeviceMemory(t *testing.T) {
	for _, d := range devices(t) {
		for _, c := range []struct {
			m   *csr.Matrix
			opt Options
		}{
			{grid(60, 0, 0), Options{}},
			{grid(60, 0.3, 0), Options{Restart: 40}},
			{grid(60, 0.3, 0), Options{Method: BiCGStab}},
			{grid(60, 0, 0), Options{Method: MINRES}},
			{grid(60, 0, 0), Options{Precond: Precond{Kind: precond.Chebyshev}}},
		} {
			c.opt.Device = d
			s := newSolver(t, c.m, c.opt)
			if _, err := s.Solve(t.Context(), rhs(c.m, 1), nil); err != nil {
				t.Fatal(err)
			}
			if now, _ := d.Bytes(); now > s.deviceMemory() {
				t.Errorf("%s takes %d bytes, said were %d", s.Method, now, s.deviceMemory())
			}
			s.Close()
		}
	}
}
