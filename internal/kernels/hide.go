package kernels

import "unsafe"

// hide is p, of which the compiler does not know where it comes from. Without it, what is
// passed to a kernel of a Set, which is called through a variable, is moved to the heap. Kernels
// keep no arguments.
func hide[T any](p *T) *T {
	at := uintptr(unsafe.Pointer(p))
	return *(**T)(unsafe.Pointer(&at))
}

// hidden is hide for a slice.
func hidden[T any](s []T) []T { return unsafe.Slice(hide(unsafe.SliceData(s)), len(s)) }
