package testsupport

import "github.com/mpsolve/mpsolve/internal/host"

// Few returns the cases of a test, and only the first of them under the race detector, which looks at how goroutines meet, whatever they compute.
func Few[T any](cases ...T) []T {
	if host.RaceDetector {
		return cases[:1]
	}
	return cases
}
