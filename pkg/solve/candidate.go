package solve

import (
	"math"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// A Candidate is a device that a solve runs on where it is expected to be faster there than on the host.
type Candidate struct {
	Find func() (gpu.Info, error)            // called where a device that needs no time but to start would be faster
	Open func(gpu.Info) (*gpu.Device, error) // the caller closes it, after the Solver
}

// A DeviceChoice is what a choice between the host and a Candidate went by.
type DeviceChoice struct {
	Host   Estimate  `json:"cpu"`
	Device *Estimate `json:"device,omitempty"` // nil: there was no device to look at, or no need to
}

// DeviceChoice returns what the choice of the place went by; nil: none was left open.
func (s *Solver) DeviceChoice() *DeviceChoice { return s.places }

// chooseCandidate makes a Candidate the device of the solve if that is expected to be faster than the host with its speed.
func (s *Solver) chooseCandidate(here Speed) {
	stay := func(format string, args ...any) { s.say("device cpu: "+format, args...) }
	if err := s.opt.OnDevice(); err != nil {
		stay("%v", err)
		return
	}
	plan := s.planner()
	host := plan.cheapest(here, here)
	s.places = &DeviceChoice{Host: host}
	if !deviceFaster(host, Estimate{Speed: Speed{Bandwidth: math.Inf(1), Start: deviceStart}}) {
		stay("%v; a device takes %.2g s to start", host, deviceStart)
		return
	}
	info, err := s.opt.Candidate.Find()
	if err == nil {
		err = s.deviceFault(info)
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
	plan.opt.Device = new(gpu.Device) // for its rungs
	device := plan.cheapest(at, here)
	s.places.Device = &device
	if !deviceFaster(host, device) {
		if on != nil {
			on.Close()
		}
		stay("%v; on %v %v", host, info, device)
		return
	}
	if on == nil {
		on, err = s.opt.Candidate.Open(info)
	}
	if err != nil {
		stay("%v", err)
		return
	}
	s.say("device %v: %v; on the host %v", info, device, host)
	s.opt.Device, s.opt.DeviceAuto = on, true
}

// planner is a copy of the solver that may look for its rungs before the order of rows and the scaling are chosen.
func (s *Solver) planner() *Solver {
	p := *s
	p.looks = looks{ctx: s.looks.ctx}
	if p.Scale = s.opt.Scale; p.Scale == ScaleAuto {
		p.Scale = ScaleBoth
		if s.Facts.Symmetric {
			p.Scale = ScaleSym
		}
	}
	return &p
}

// cheapest is the estimate of the rung that is expected to take the least, among the first one that is no trial and
// the trials before it.
func (s *Solver) cheapest(at, host Speed) (least Estimate) {
	w := s.workload()
	for k, r := range s.rungs() {
		if r.early() && s.refused(w.shape) {
			continue
		}
		if e := w.estimate(r, at, host); k == 0 || least.Method == "" || e.Seconds() < least.Seconds() {
			least = e
		}
		if !r.trial {
			break
		}
	}
	return least
}

// productBandwidth is what products with the matrix as given get of the host's memory and caches: its bytes, and those
// of two vectors, by the time of the fastest of some products.
func (s *Solver) productBandwidth() float64 {
	const products = 3
	a := linop.NewCSR(s.m, s.pool)
	a.Use(s.opt.Storage.Kernels.Or())
	x, y := make([]float64, s.m.Cols), make([]float64, s.m.Rows)
	least := time.Duration(math.MaxInt64)
	for range products {
		start := time.Now()
		a.Apply(y, x)
		least = min(least, time.Since(start))
	}
	bytes := csr.Bytes(int64(s.m.Rows), int64(s.m.NNZ())) + 16*int64(s.m.Rows)
	return float64(bytes) / max(least, 1).Seconds()
}

// candidateSpeed is the speed of a device by its data sheet, or, if that is not known, by copies on the device, which
// is returned open then.
func (s *Solver) candidateSpeed(info gpu.Info) (at Speed, on *gpu.Device, err error) {
	if info.Bandwidth > 0 {
		return deviceSpeed(info.Bandwidth), nil, nil
	}
	const most = 64 << 20
	if on, err = s.opt.Candidate.Open(info); err != nil {
		return at, nil, err
	}
	copied := 0.
	if err = s.deviceFault(on.Info()); err == nil { // it tells what is free only now
		copied, err = on.CopyBandwidth(max(8, min(most, info.Memory/8)))
	}
	if err != nil {
		on.Close()
		return at, nil, err
	}
	at = deviceSpeed(copied)
	at.Bandwidth = copied // measured, not a peak
	return at, on, nil
}
