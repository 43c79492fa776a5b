//go:build unix

// Package guard gives tests memory between pages that must not be touched, to show that assembly stays within its
// slices.
package kernels

import (
	"syscall"
	"testing"
	"unsafe"
)

// guardedMemory is some whole pages between two pages that fault when touched.
type guardedMemory []byte

// newGuarded returns at least size bytes.
func newGuarded(t testing.TB, size int) guardedMemory {
	t.Helper()
	pageSize := syscall.Getpagesize()
	size = (size + pageSize - 1) / pageSize * pageSize
	memory, err := syscall.Mmap(-1, 0, size+2*pageSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	for _, page := range [][]byte{memory[:pageSize], memory[pageSize+size:]} {
		if err := syscall.Mprotect(page, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return guardedMemory(memory[pageSize : pageSize+size])
}

// atEnd as a shift places elements directly before the second guard.
const atEnd = -1

// placeGuarded copies src to shift elements after the first guard.
func placeGuarded[T any](f guardedMemory, shift int, src []T) []T {
	if len(src) == 0 {
		return nil
	}
	width := int(unsafe.Sizeof(src[0]))
	if shift == atEnd {
		shift = len(f)/width - len(src)
	}
	dst := unsafe.Slice((*T)(unsafe.Pointer(&f[shift*width])), len(src))
	copy(dst, src)
	return dst
}

// guardedSlice returns n zeros in separate memory that ends at a guard page.
func guardedSlice[T any](t testing.TB, n int) []T { return guardedCopy(t, make([]T, n)) }

// guardedCopy returns a copy of src in separate memory that ends at a guard page.
func guardedCopy[T any](t testing.TB, src []T) []T {
	t.Helper()
	var zero T
	return placeGuarded(newGuarded(t, len(src)*int(unsafe.Sizeof(zero))), atEnd, src)
}
