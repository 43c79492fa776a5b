//go:build !linux

package host

// LargePages asks the system for large pages, where that is known how.
func LargePages[T any]([]T) {}
