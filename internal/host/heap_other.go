//go:build !linux

package host

// PrepareHeap does nothing on this system.
func PrepareHeap() {}
