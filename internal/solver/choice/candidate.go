package choice

import (
	"math"
	"time"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// ChooseCandidate makes the Candidate the device of the solve if it is expected to be faster than the host, whose speed is given.
func (s *System) ChooseCandidate(here Speed) {
	stay := func(format string, args ...any) { s.Say("device cpu: "+format, args...) }
	if err := options.OnDevice(s.Opt); err != nil {
		stay("%v", err)
		return
	}
	plan := s.planner()
	host := plan.cheapest(here, here)
	s.Compared = &DeviceChoice{Host: host}
	if !DeviceFaster(host, Estimate{Speed: Speed{Bandwidth: math.Inf(1), Start: rules.DeviceStart}}) {
		stay("%v; a device takes %.2g s to start", host, rules.DeviceStart)
		return
	}
	info, err := s.Opt.Candidate.Find()
	if err == nil {
		err = s.DeviceFault(info)
	}
	if err != nil {
		stay("%v", err)
		return
	}
	at, on, err := s.candidateSpeed(info)
	if err != nil {
		stay("%v", err)
		return
	}
	plan.Opt.Device = new(gpu.Device) // for its fallbacks
	device := plan.cheapest(at, here)
	s.Compared.Device = &device
	if !DeviceFaster(host, device) {
		if on != nil {
			on.Close()
		}
		stay("%v; on %v %v", host, info, device)
		return
	}
	if on == nil {
		on, err = s.Opt.Candidate.Open(info)
	}
	if err != nil {
		stay("%v", err)
		return
	}
	s.Say("device %v: %v; on the host %v", info, device, host)
	s.Opt.Device, s.Opt.DeviceAuto = on, true
}

// planner returns a copy of the system that can find its fallbacks before the order of rows and the scaling are chosen.
func (s *System) planner() *System {
	p := *s
	p.Features, p.Found = features.Found{Ctx: s.Features.Ctx}, features.Once[[]Fallback]{}
	if p.Scale = s.Opt.Scale; p.Scale == solve.ScaleAuto {
		p.Scale = solve.ScaleBoth
		if s.Facts.Symmetric {
			p.Scale = solve.ScaleSym
		}
	}
	return &p
}

// cheapest returns the estimate of the fallback that is expected to take the least time, among the first one that is no probe run and
// the probe runs before it.
func (s *System) cheapest(at, host Speed) (least Estimate) {
	w := s.Workload()
	for k, r := range s.Tabulated() {
		if r.Early() && s.Refused(w.Shape) {
			continue
		}
		if e := w.Estimate(r, at, host); k == 0 || least.Method == "" || e.Seconds() < least.Seconds() {
			least = e
		}
		if !r.ProbeRun {
			break
		}
	}
	return least
}

// ProductBandwidth measures the bandwidth of products with the matrix as given on the host, in bytes per second: the bytes of the
// matrix and two vectors, divided by the time of the fastest of some products.
func (s *System) ProductBandwidth() float64 {
	const products = 3
	a := linop.NewCSR(s.M, s.Pool)
	kernels.Use(a, kernels.Find(s.Opt.Storage.Kernels).Or())
	x, y := make([]float64, s.M.Cols), make([]float64, s.M.Rows)
	least := time.Duration(math.MaxInt64)
	for range products {
		start := time.Now()
		a.Apply(y, x)
		least = min(least, time.Since(start))
	}
	bytes := csr.Bytes(int64(s.M.Rows), int64(s.M.NNZ())) + 16*int64(s.M.Rows)
	return float64(bytes) / max(least, 1).Seconds()
}

// candidateSpeed returns the speed of a device by its data sheet or, if that is not known, by copies on the device. In that case it
// also returns the open device.
func (s *System) candidateSpeed(info gpu.Info) (at Speed, on *gpu.Device, err error) {
	if info.Bandwidth > 0 {
		return DeviceSpeed(info.Bandwidth), nil, nil
	}
	const most = 64 << 20
	if on, err = s.Opt.Candidate.Open(info); err != nil {
		return at, nil, err
	}
	copied := 0.
	if err = s.DeviceFault(on.Info()); err == nil { // it tells what is free only now
		copied, err = on.CopyBandwidth(max(8, min(most, info.Memory/8)))
	}
	if err != nil {
		on.Close()
		return at, nil, err
	}
	at = DeviceSpeed(copied)
	at.Bandwidth = copied // measured, not a peak
	return at, on, nil
}
