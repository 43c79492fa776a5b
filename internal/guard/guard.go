//go:build unix

// Package guard gives tests memory between pages that must not be touched, to show that assembly stays within its
// slices.
package guard

import (
	"syscall"
	"testing"
	"unsafe"
)

// Memory is some whole pages between two pages that fault when touched.
type Memory []byte

// New returns at least size bytes.
func New(t testing.TB, size int) Memory {
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
	return Memory(memory[pageSize : pageSize+size])
}

// AtEnd as a shift places elements directly before the second guard.
const AtEnd = -1

// Place copies src to shift elements after the first guard.
func Place[T any](f Memory, shift int, src []T) []T {
	if len(src) == 0 {
		return nil
	}
	width := int(unsafe.Sizeof(src[0]))
	if shift == AtEnd {
		shift = len(f)/width - len(src)
	}
	dst := unsafe.Slice((*T)(unsafe.Pointer(&f[shift*width])), len(src))
	copy(dst, src)
	return dst
}

// Slice returns n zeros in separate memory that ends at a guard page.
func Slice[T any](t testing.TB, n int) []T { return Copy(t, make([]T, n)) }

// Copy returns a copy of src in separate memory that ends at a guard page.
func Copy[T any](t testing.TB, src []T) []T {
	t.Helper()
	var zero T
	return Place(New(t, len(src)*int(unsafe.Sizeof(zero))), AtEnd, src)
}
