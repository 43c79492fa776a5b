//go:build !linux

package matrixio

// hugePages is for systems with a call for that.
func hugePages([]byte) {}
