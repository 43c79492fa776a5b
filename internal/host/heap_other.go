//go:build !linux

package host

// PrepareHeap prepares the heap of a solve, which takes nothing here.
func PrepareHeap() {}
