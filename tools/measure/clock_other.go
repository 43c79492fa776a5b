//go:build !unix

package main

import "time"

var begun = time.Now()

// processorTime is the time that passes, where processors' time is not to be had.
func processorTime() time.Duration { return time.Since(begun) }
