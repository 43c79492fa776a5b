//go:build !race

package cli

// raceDetector takes several times the memory and time, so that limits of the process are not watched with it.
const raceDetector = false
