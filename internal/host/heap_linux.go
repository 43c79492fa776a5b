package host

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// PrepareHeap asks the system to back the first heapReserve bytes of the heap by huge pages when they are first used.
// A page fault takes some microseconds in a virtual machine, and a small solve touches tens of thousands of small
// pages. PrepareHeap does nothing if the address space is limited to less than reserveShare times as much.
func PrepareHeap() {
	if limit := Limit(); limit > 0 && limit < reserveShare*heapReserve {
		return
	}
	reserve := make([]byte, heapReserve)
	_ = unix.Madvise(reserve, unix.MADV_HUGEPAGE) // without huge pages nothing is lost
	runtime.KeepAlive(reserve)
	runtime.GC() // frees it, so that the following data use this memory
}

const (
	heapReserve  = 128 << 20
	reserveShare = 32
)
