//go:build !linux

package matrixio

// hugePages does nothing on systems without such a call.
func hugePages([]byte) {}
