package solver

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// The speeds of the tests: a host of several cores, a desktop, and data sheets of a data center's GPU and a small one.
var (
	server  = choice.Speed{Bandwidth: 150e9, Pass: rules.HostPass}
	desktop = choice.Speed{Bandwidth: 20e9, Pass: rules.HostPass}
	h100    = choice.DeviceSpeed(3.35e12)
	t4      = choice.DeviceSpeed(320e9)
)

// The rule: a device pays for large systems that take many iterations with what preconditions them on the host as well, and for
// others once it has what makes iterations few.
func TestDeviceFaster(t *testing.T) {
	poisson := func(edge float64) choice.Workload {
		return choice.Workload{N: edge * edge * edge, Nnz: 7 * edge * edge * edge, Shape: features.Spatial, Nodes: 1, MMatrix: true}
	}
	plane := func(edge float64) choice.Workload {
		return choice.Workload{N: edge * edge, Nnz: 5 * edge * edge, Shape: features.Planar, Nodes: 1, MMatrix: true}
	}
	elasticity := choice.Workload{N: 3e6, Nnz: 240e6, Shape: features.Spatial, Nodes: 3}
	graph := choice.Workload{N: 3e6, Nnz: 60e6, Shape: features.Expander, Nodes: 1}
	on := func(m solve.Method, k precond.Kind) choice.Fallback {
		return choice.Fallback{Method: m, Variant: choice.Variant{Kind: k}}
	}
	amg, none, jacobi := on(solve.CG, precond.AMG), on(solve.CG, precond.None), on(solve.CG, precond.Jacobi)
	for _, c := range []struct {
		name         string
		w            choice.Workload
		host, device choice.Fallback
		here, there  choice.Speed
		want         bool
	}{
		{"a small system takes less than starting a device", poisson(40), amg, none, server, h100, false},
		{"multigrid on the host, none on the device: the plane", plane(3000), amg, none, server, h100, false},
		{"the diagonal on a device that is 100 times as fast as a desktop", poisson(250), amg, jacobi, desktop, h100, true},
		{"a small GPU without multigrid", poisson(250), amg, none, server, t4, false},
		{"multigrid on both, set up on the host for both", poisson(250), amg, amg, server, h100, false},
		{"the same iterations on both", poisson(250), jacobi, none, server, h100, true},
		{"the same, little faster", choice.Workload{N: 1e6, Nnz: 7e6, Shape: features.Spatial, Nodes: 1}, jacobi, none, server, t4, false},
		{"nodes of several unknowns, with multigrid on the host alone", elasticity, amg, on(solve.CG, precond.BlockJacobi), server, h100, true},
		{"the same on a small GPU", elasticity, amg, on(solve.CG, precond.BlockJacobi), server, t4, false},
		{"no shape: few iterations with anything", graph, on(solve.CG, precond.ICT), none, server, h100, true},
		{"GMRES that restarts for thousands of iterations", plane(3000), on(solve.GMRES, precond.ILU0), on(solve.GMRES, precond.None), server, t4, false},
		{"complete factors on the host", plane(300), on(solve.GMRES, precond.LU), on(solve.GMRES, precond.None), server, h100, false},
	} {
		host, device := c.w.Estimate(c.host, c.here, c.here), c.w.Estimate(c.device, c.there, c.here)
		if got := choice.DeviceFaster(host, device); got != c.want {
			t.Errorf("%s: %v, want %v\nhost   %v\ndevice %v", c.name, got, c.want, host, device)
		}
	}
}

// An estimate is a sum of products, and says each of them.
func TestEstimate(t *testing.T) {
	e := choice.Estimate{Method: "cg", Precond: "none", Iterations: 100, Bytes: 1e9, Passes: 3, SetUp: 2, Copied: 6e9, Speed: choice.Speed{Bandwidth: 1e12, Pass: 1e-3, Link: 12e9, Start: 0.5}}
	if got, want := e.Seconds(), 0.5+2+0.5+100*(1e-3+3e-3); math.Abs(got-want) > 1e-12 {
		t.Errorf("%g s, want %g", got, want)
	}
	if got, want := e.String(), "cg, about 100 iterations of 1.0 GB at 1.0 TB/s and 3 s before, 3.4 s in all"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if e.Precond = "amg"; !strings.HasPrefix(e.String(), "cg with amg, ") {
		t.Error(e)
	}
}

// Every preconditioner has expectations, with its own fewer iterations than without any.
func TestExpectations(t *testing.T) {
	for _, k := range precond.Kinds() {
		w := choice.Workload{N: 1e6, Nnz: 7e6, Shape: features.Spatial, Nodes: 1}
		with, without := w.Iterations(solve.CG, k), w.Iterations(solve.CG, precond.None)
		if _, known := rules.Expectations[k]; !known && k != precond.LDL || with > without {
			t.Errorf("%s: known %v, %g iterations, %g without", k, known, with, without)
		}
	}
}

// The expected iterations with the diagonal are within a factor of two of those of solves.
func TestExpectedIterations(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *csr.Matrix
	}{{"plane", grid(90, 0, 0)}, {"space", box(20, 0)}} {
		s := newSolver(t, c.m, solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: precond.Jacobi}, Accuracy: solve.Accuracy{Digits: solve.NoDigits}})
		r, err := s.Solve(t.Context(), rhs(c.m, 1), nil)
		if err != nil || r.Reason != krylov.Converged {
			t.Fatal(r.Reason, err)
		}
		got, want := s.Workload().Iterations(solve.CG, precond.Jacobi), float64(r.Iterations)
		if got > 2*want || want > 2*got {
			t.Errorf("%s: expected %g iterations, took %g", c.name, got, want)
		}
	}
}

// A candidate is looked for only if it could be faster, opened only if it is faster or to measure it, and the estimates are logged.
func TestCandidate(t *testing.T) {
	m, all := grid(100, 0, 0), devices(t)
	small, large := choice.Speed{Bandwidth: 1e12}, choice.Speed{Bandwidth: 1e6} // what the system is to such a host
	fast := gpu.Info{Backend: gpu.CUDA, Name: "fast", Bandwidth: 1e15}
	slow := gpu.Info{Backend: gpu.CUDA, Name: "slow", Bandwidth: 1e5}
	absent := errors.New("no such device")
	for _, c := range []struct {
		name         string
		host         choice.Speed
		info         gpu.Info
		find, open   error
		finds, opens int
		on           bool
		says         string
	}{
		{"small", small, fast, nil, nil, 0, 0, false, "a device takes 0.3 s to start"},
		{"absent", large, fast, absent, nil, 1, 0, false, "device cpu: no such device"},
		{"slow", large, slow, nil, nil, 1, 0, false, "; on cuda:0 slow () cg, about "},
		{"it does not open", large, fast, nil, absent, 1, 1, false, "device cpu: no such device"},
		{"fast", large, fast, nil, nil, 1, 1, true, "device cuda:0 fast (): cg, about "},
		{"measured", large, all[0].Info(), nil, nil, 1, 1, true, "; on the host cg, about "},
		{"too little memory", large, gpu.Info{Free: 1}, nil, nil, 1, 0, false, "not enough memory on the device"},
	} {
		var log logged
		finds, opens := 0, 0
		s := newSolver(t, m, log.options(solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: precond.None}}))
		s.Opt.Candidate = &solve.Candidate{
			Find: func() (gpu.Info, error) { finds++; return c.info, c.find },
			Open: func(gpu.Info) (*gpu.Device, error) { opens++; return all[0], c.open },
		}
		s.ChooseCandidate(c.host)
		if on := s.Opt.Device == all[0]; on != c.on || finds != c.finds || opens != c.opens || !log.says(c.says) {
			t.Errorf("%s: on a device %v, looked %d times, opened %d times, said %q", c.name, on, finds, opens, log.lines)
		}
		if choice := s.DeviceChoice(); choice == nil || choice.Host.Method != "cg" || choice.Device == nil && c.on {
			t.Errorf("%s: went by %+v", c.name, choice)
		}
		s.Close()
	}
}

// Options that no device supports are reported before a device is looked for, and the bandwidth of the host is measured.
func TestCandidateOptions(t *testing.T) {
	var log logged
	opt := log.options(solve.Options{Storage: solve.Storage{Layout: adaptive.Symmetric}})
	opt.Candidate = &solve.Candidate{Find: func() (gpu.Info, error) { t.Error("looked for a device"); return gpu.Info{}, nil }}
	s := newSolver(t, grid(20, 0, 0), opt)
	defer s.Close()
	if s.DeviceChoice() != nil || !log.says("device cpu: solve: layout sym does not exist on devices") {
		t.Errorf("said %q", log.lines)
	}
	if b := s.ProductBandwidth(); !(b > 1e6 && b < 1e13) {
		t.Errorf("%g bytes a second", b)
	}
}
