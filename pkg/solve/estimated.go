package solve

import (
	"fmt"

	"github.com/dustin/go-humanize"
)

// An Estimate is what a solve is expected to take in a place: what comes before its iterations, and these, each of
// which reads and writes so many bytes in so many passes over data.
type Estimate struct {
	Method     string  `json:"method"`
	Precond    string  `json:"precond"`
	Iterations float64 `json:"iterations"`
	Bytes      float64 `json:"bytes_per_iteration"`
	Passes     float64 `json:"passes_per_iteration"`
	SetUp      float64 `json:"setup_seconds"` // of the preconditioner, which is made on the host for any place
	Copied     float64 `json:"copied_bytes"`  // to the place

	Speed Speed `json:"speed"`
}

// A Speed is how fast a place is.
type Speed struct {
	Bandwidth float64 `json:"bytes_per_second"`
	Pass      float64 `json:"pass_seconds"`                    // that a pass over data takes at least
	Link      float64 `json:"link_bytes_per_second,omitempty"` // from the host; 0: nothing is copied
	Start     float64 `json:"start_seconds"`                   // before anything else
}

// Seconds is the time that it adds up to.
func (e Estimate) Seconds() float64 {
	return e.Before() + e.Iterations*(e.Bytes/e.Speed.Bandwidth+e.Passes*e.Speed.Pass)
}

// Before is the part of Seconds that comes before the iterations.
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
