//go:build linux && amd64 && !purego

package kernels

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// guarded returns n elements that end where a page begins that must not be
// touched; the page in front of the first element's is another.
func guarded[T any](t *testing.T, n int) []T {
	t.Helper()
	page := syscall.Getpagesize()
	var zero T
	bytes := n * int(unsafe.Sizeof(zero))
	size := (bytes+page-1)/page*page + 2*page
	memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	for _, outside := range [][]byte{memory[:page], memory[size-page:]} {
		if err := syscall.Mprotect(outside, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
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
	for range 200 {
		p := randomPanel(rng, 1+rng.IntN(20), 1+rng.IntN(9), 1+rng.IntN(500))
		q := &SlotPanel{
			Block:  p.Block,
			Groups: guardedCopy(t, p.Groups), Widths: guardedCopy(t, p.Widths), Index: guardedCopy(t, p.Index),
			Offsets: guardedCopy(t, p.Offsets), Values: guardedCopy(t, p.Values), Order: guardedCopy(t, p.Order),
		}
		p.units.Exp = guardedCopy(t, p.units.Exp)
		slotsSIMD(guarded[float64](t, p.rows), q, normal(rng, guarded[float64](t, p.cols)), p.row0, p.units, p.add)
	}
}

func TestSymmetricStaysInside(t *testing.T) {
	if symmetricSIMD == nil {
		t.Skip("no SIMD kernel for symmetric matrices on this processor")
	}
	rng := rand.New(rand.NewPCG(9, 10))
	for n := range 300 {
		p := randomSymmetric(rng, 2+n%(MaxBlock-1), 1+rng.IntN(20), 1+rng.IntN(9))
		q := &SlotPanel{
			Block:  p.Block,
			Groups: guardedCopy(t, p.Groups), Widths: guardedCopy(t, p.Widths), Index: guardedCopy(t, p.Index),
			Values: guardedCopy(t, p.Values), Order: guardedCopy(t, p.Order),
		}
		x, sums := p.vectors(rng)
		symmetricSIMD(guardedCopy(t, sums), q, guardedCopy(t, x), p.SymmetricRange)
	}
}

// The same for rows of words and for decoding.
func TestWordsStayInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, longest := range []int{1, 3, 8, 9, 40} {
		for range 40 {
			c := randomRows(rng, longest)
			c.ptr, c.col = guardedCopy(t, c.ptr), guardedCopy(t, c.col)
			c.src, c.x = guardedCopy(t, c.src), guardedCopy(t, c.x)
			c.check(t, rng, "AddRows", AddRows, 0x1p-53, guarded[float64](t, c.rows()))
			c.w.Decode(guarded[float64](t, len(c.col)), c.src)
		}
	}
}
