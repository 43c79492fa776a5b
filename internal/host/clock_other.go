//go:build !linux

package host

import "time"

var began = time.Now()

// ThreadSeconds returns the time that has passed: the system has none for a thread.
func ThreadSeconds() float64 { return time.Since(began).Seconds() }
