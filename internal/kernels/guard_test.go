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

// The same for rows of every length up to several times the unrolled loop, and
// the sums against the portable ones.
func TestCSRStaysInside(t *testing.T) {
	if csrSIMD == nil {
		t.Skip("no SIMD kernel for CSR on this processor")
	}
	rng := rand.New(rand.NewPCG(9, 10))
	for length := range 70 {
		rows, cols := 1+rng.IntN(4), 1+rng.IntN(300)
		ptr := guarded[int64](t, rows+1)
		for i := range rows {
			ptr[i+1] = ptr[i] + int64(max(0, length-i))
		}
		n := int(ptr[rows])
		col, val, x := guarded[int32](t, n), guarded[float64](t, n), guarded[float64](t, cols)
		for k := range col {
			col[k], val[k] = int32(rng.IntN(cols)), float64(rng.IntN(1000))
		}
		for j := range x {
			x[j] = float64(rng.IntN(1000)) // integers: sums are exact in any order
		}
		got, want := guarded[float64](t, rows), make([]float64, rows)
		CSRMulVec(got, 0, rows, ptr, col, val, x)
		csrMulVec(want, 0, rows, ptr, col, val, x)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("row %d of about %d elements is %g, want %g", i, length, got[i], want[i])
			}
		}
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
