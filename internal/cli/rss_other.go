//go:build !linux && !darwin

package cli

// peakRSS is not known on this system.
func peakRSS() int64 { return 0 }
