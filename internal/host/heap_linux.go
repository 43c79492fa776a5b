package host

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// PrepareHeap has the system back the first heapReserve bytes of the heap by huge pages, as it
// comes to use them. A page fault takes some microseconds in a virtual machine, and a small solve
// touches tens of thousands of small pages. Address space that is limited to less than
// reserveShare times as much is left alone.
func PrepareHeap() {
	if limit := Limit(); limit > 0 && limit < reserveShare*heapReserve {
		return
	}
	reserve := make([]byte, heapReserve)
	_ = unix.Madvise(reserve, unix.MADV_HUGEPAGE) // where there are none, nothing is lost
	runtime.KeepAlive(reserve)
	runtime.GC() // frees it: what follows takes its place
}

const (
	heapReserve  = 128 << 20
	reserveShare = 32
)
