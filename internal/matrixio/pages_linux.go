package matrixio

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePages asks for large pages for unused memory: the first touch of small ones takes longer than reading the file.
func hugePages(memory []byte) {
	const page = 2 << 20
	if len(memory) < 2*page {
		return
	}
	first := -int(uintptr(unsafe.Pointer(&memory[0]))) & (page - 1)
	_ = unix.Madvise(memory[first:first+(len(memory)-first)/page*page], unix.MADV_HUGEPAGE) // it works without
}
