package cli

import "syscall"

// peakRSS returns the largest resident set of this process so far, in bytes; 0: not known.
func peakRSS() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return int64(u.Maxrss)
}
