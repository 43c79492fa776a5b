package choice

import (
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// DeviceFaster reports whether a solve is to run on a device by what it is expected to take there, and on the host.
func DeviceFaster(host, device solve.Estimate) bool {
	return host.Seconds() > rules.DeviceMargin*device.Seconds()
}

// DeviceSpeed is that of a device with so many bytes a second by its data sheet.
func DeviceSpeed(peak float64) solve.Speed {
	return solve.Speed{Bandwidth: rules.PeakShare * peak, Pass: rules.DevicePass, Link: rules.DeviceLink, Start: rules.DeviceStart}
}
