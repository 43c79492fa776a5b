package host

import "golang.org/x/sys/unix"

// ThreadSeconds returns the processor time of this thread: what other programs take is not in it.
func ThreadSeconds() float64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return float64(t.Nano()) * 1e-9
}
