//go:build !race

package cli

// raceDetector reports that this is a build with the race detector, which needs several times the memory and time: such a
// build does not watch the limits of the process.
const raceDetector = false
