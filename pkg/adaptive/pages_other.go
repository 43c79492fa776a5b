//go:build !linux

package adaptive

// adviseLargePages asks the system for large pages, where that is known how.
func adviseLargePages[T any]([]T) {}
