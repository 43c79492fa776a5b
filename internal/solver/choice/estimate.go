package choice

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
)

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
