package adaptive

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseLargePages asks the system for large pages; it may refuse.
func adviseLargePages[T any](s []T) {
	const page = 4096
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
	skip := int(-uintptr(unsafe.Pointer(&bytes[0])) % page)
	if len(bytes) > skip+page {
		_ = unix.Madvise(bytes[skip:(len(bytes)-skip)/page*page+skip], unix.MADV_HUGEPAGE) // nothing is lost without
	}
}
