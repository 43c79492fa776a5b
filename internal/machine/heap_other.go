//go:build !linux

package machine

// PrepareHeap prepares the heap of a solve, which takes nothing here.
func PrepareHeap() {}
