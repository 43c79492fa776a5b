package choice

import (
	"fmt"
	"math"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// ChooseDevice decides where the solve runs: on the given device, or on a Candidate that is expected to be faster than the host. If
// DeviceAuto is set and the device cannot be used, the solve runs on the host.
func (s *System) ChooseDevice() error {
	if s.Opt.Candidate != nil && s.Opt.Device == nil {
		s.ChooseCandidate(Speed{Bandwidth: s.ProductBandwidth(), Pass: rules.HostPass})
	}
	d := s.Opt.Device
	if d == nil {
		return nil
	}
	info := d.Info()
	err := s.DeviceFault(info)
	switch {
	case err == nil:
		memory := humanize.Bytes(uint64(s.DeviceMemory())) + " of memory"
		switch {
		case info.Free > 0:
			memory += ", " + humanize.Bytes(uint64(info.Free)) + " free"
		case info.Memory > 0:
			memory += ", " + humanize.Bytes(uint64(info.Memory)) + " installed"
		}
		s.Say("device %v: needs about %s", info, memory)
	case s.Opt.DeviceAuto:
		s.Say("device cpu: %v", err)
		s.Opt.Device = nil
	default:
		return fmt.Errorf("device %v: %w", info, err)
	}
	return nil
}

// DeviceFault returns an error that says why the device cannot be used; nil if it can.
func (s *System) DeviceFault(info gpu.Info) error {
	if err := rules.OnDevice(s.Opt); err != nil {
		return err
	}
	if s.M.NNZ() > gpu.MostNonzeros {
		return fmt.Errorf("%d nonzeros; a device takes at most %d", s.M.NNZ(), gpu.MostNonzeros)
	}
	has, free, need := info.Free, " free", s.DeviceMemory()
	if has == 0 { // not known
		has, free = info.Memory, ""
	}
	if has > 0 && need > has {
		return fmt.Errorf("%w: %s%s, solving needs about %s",
			solve.ErrDeviceMemory, humanize.Bytes(uint64(has)), free, humanize.Bytes(uint64(need)))
	}
	return nil
}

// deviceVectors is the number of common vectors, with the storage error and the weights of a preconditioner.
const deviceVectors = rules.CommonVectors + 2

// DeviceMemory returns the least memory of a solve on a device, in bytes: the matrix as given, as stored (counted as FP64) and in a
// preconditioner, vectors and exponents.
func (s *System) DeviceMemory() int64 {
	n, fp64 := int64(s.M.Rows), csr.Bytes(int64(s.M.Rows), int64(s.M.NNZ()))
	bytes := rules.BufferMemory + 2*fp64 + 3*4*n + 8*n*(deviceVectors+s.MethodVectors(s.Method))
	kind := s.Opt.Precond.Kind
	if kind == solve.PrecondAuto {
		kind = precond.BlockJacobi // the largest that the rules choose
	}
	if d, ok := precond.Lookup(kind); ok && d.OnDevice() && (kind != precond.AMG || s.Job == nil) { // over domains it is on the host
		bytes += d.DeviceBytes(n, int64(s.M.NNZ()))
	}
	return bytes
}

// ChooseCandidate makes the Candidate the device of the solve if it is expected to be faster than the host, whose speed is given.
func (s *System) ChooseCandidate(here Speed) {
	stay := func(format string, args ...any) { s.Say("device cpu: "+format, args...) }
	if err := rules.OnDevice(s.Opt); err != nil {
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
	p.Features, p.Found, p.Weighed = features.Found{Ctx: s.Features.Ctx}, features.Once[[]Fallback]{}, features.Once[Workload]{}
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

// DeviceFaster reports whether a solve is to run on a device, by its estimates on the host and on the device.
func DeviceFaster(host, device Estimate) bool {
	return host.Seconds() > rules.DeviceMargin*device.Seconds()
}

// DeviceSpeed returns the speed of a device from the bandwidth of its data sheet, in bytes per second.
func DeviceSpeed(peak float64) Speed {
	return Speed{Bandwidth: rules.PeakShare * peak, Pass: rules.DevicePass, Link: rules.DeviceLink, Start: rules.DeviceStart}
}

// A DeviceChoice has the estimates that decided between the host and a Candidate.
type DeviceChoice struct {
	Host   Estimate  `json:"cpu"`
	Device *Estimate `json:"device,omitempty"` // nil: there was no device, or no need to look for one
}

// An Estimate is the expected cost of a solve on a backend: before the iterations, and of each iteration, in bytes read and written
// and in passes over data.
type Estimate struct {
	Method     string  `json:"method"`
	Precond    string  `json:"precond"`
	Iterations float64 `json:"iterations"`
	Bytes      float64 `json:"bytes_per_iteration"`
	Passes     float64 `json:"passes_per_iteration"`
	SetUp      float64 `json:"setup_seconds"` // of the preconditioner, on the host for any backend
	Copied     float64 `json:"copied_bytes"`  // to the backend

	Speed Speed `json:"speed"`
}

// A Speed is the speed of a backend.
type Speed struct {
	Bandwidth float64 `json:"bytes_per_second"`
	Pass      float64 `json:"pass_seconds"`                    // least time of a pass over data
	Link      float64 `json:"link_bytes_per_second,omitempty"` // of copies from the host; 0: nothing is copied
	Start     float64 `json:"start_seconds"`                   // of the backend
}

// Seconds returns the expected time of the whole solve.
func (e Estimate) Seconds() float64 {
	return e.Before() + e.Iterations*(e.Bytes/e.Speed.Bandwidth+e.Passes*e.Speed.Pass)
}

// Before returns the part of Seconds before the iterations.
func (e Estimate) Before() float64 {
	seconds := e.Speed.Start + e.SetUp
	if e.Speed.Link > 0 {
		seconds += e.Copied / e.Speed.Link
	}
	return seconds
}

func (e Estimate) String() string {
	text := e.Method
	if e.Precond != "none" {
		text += " with " + e.Precond
	}
	return fmt.Sprintf("%s, about %.0f iterations of %s at %s/s and %.2g s before, %.2g s in all",
		text, e.Iterations, humanize.Bytes(uint64(e.Bytes)), humanize.Bytes(uint64(e.Speed.Bandwidth)), e.Before(), e.Seconds())
}
