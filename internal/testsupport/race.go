package testsupport

import (
	"runtime/debug"
	"slices"
	"sync"
)

// RaceDetector reports whether the race detector runs. It takes up to a hundred times as long, and looks at how goroutines meet, whatever they compute.
var RaceDetector = sync.OnceValue(func() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
})

// Few returns the cases of a test, and only the first of them under the race detector.
func Few[T any](cases ...T) []T {
	if RaceDetector() {
		return cases[:1]
	}
	return cases
}
