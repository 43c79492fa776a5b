//go:build linux && amd64 && !purego

package kernels

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// guarded returns n elements that end where a page begins that must not be
// touched.
func guarded[T any](t *testing.T, n int) []T {
	t.Helper()
	page := syscall.Getpagesize()
	var zero T
	bytes := n * int(unsafe.Sizeof(zero))
	size := (bytes+page-1)/page*page + page
	memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mprotect(memory[size-page:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&memory[size-page-bytes])), n)
}

func guardedCopy[T any](t *testing.T, src []T) []T {
	dst := guarded[T](t, len(src))
	copy(dst, src)
	return dst
}

// The assembly stays inside all its slices: each ends at a protected page.
func TestSlotsStayInside(t *testing.T) {
	if slotsSIMD == nil {
		t.Skip("no SIMD kernel for slots on this processor")
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		chunks, cols := 1+rng.IntN(3), 1+rng.IntN(500)
		p := randomPanel(rng, chunks, 1+rng.IntN(9), cols)
		if len(p.Groups) == 0 {
			continue
		}
		q := &SlotPanel{
			Groups: guardedCopy(t, p.Groups), Widths: guardedCopy(t, p.Widths),
			Index: guardedCopy(t, p.Index), Values: guardedCopy(t, p.Values),
		}
		x := guarded[float64](t, cols)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		AddSlots(guarded[float64](t, Lanes*chunks), q, x)
	}
}
