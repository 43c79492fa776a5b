//go:build race

package host

// RaceDetector reports whether this is a build with the race detector, which needs several times the memory and up to a hundred times as long.
const RaceDetector = true
