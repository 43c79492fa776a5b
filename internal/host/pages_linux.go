package host

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// LargePages asks the system for large pages for memory that has not been touched: the first touch of small ones takes longer than
// reading a file. The system may refuse. It is not asked for parts of a large page too small to matter, of which a solve of a small system has many.
func LargePages[T any](s []T) {
	const page, least = 4096, 256 << 10
	if len(s) == 0 {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
	skip := int(-uintptr(unsafe.Pointer(&bytes[0])) % page)
	if len(bytes) >= least {
		_ = unix.Madvise(bytes[skip:(len(bytes)-skip)/page*page+skip], unix.MADV_HUGEPAGE) // nothing is lost without
	}
}
