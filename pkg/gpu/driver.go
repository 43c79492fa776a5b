package gpu

import "unsafe"

// driver is one open device, as the libraries see it; see driver.h. Handles of buffers and
// kernels are the library's.
type driver interface {
	info() (Info, error)
	load(image []byte) error
	kernel(name string) (handle uintptr, resident int, err error)
	launch(kernel uintptr, grid uint32, where *layout, arguments *uint64) error
	alloc(bytes int64) (uint64, error)
	release(buffer uint64)
	allocHost(bytes int64) (unsafe.Pointer, error)
	releaseHost(memory unsafe.Pointer)
	upload(to uint64, at int64, from unsafe.Pointer, bytes int64, async bool) error
	download(to unsafe.Pointer, from uint64, at, bytes int64, async bool) error
	copy(to, from uint64, bytes int64) error
	zero(to uint64, bytes int64) error
	record(event int) error
	wait(event int) error
	sync() error
	close()
}
