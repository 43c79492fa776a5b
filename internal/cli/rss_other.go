//go:build !linux && !darwin

package cli

// peakRSS returns 0: the resident set is not known on this system.
func peakRSS() int64 { return 0 }
