//go:build !unix

package main

import "time"

var begun = time.Now()

// processorTime returns the elapsed time, on systems without the processor time.
func processorTime() time.Duration { return time.Since(begun) }
