package gpu

import "unsafe"

// driver is one open device, as the libraries see it; see driver.h. Handles of buffers and
// kernels are the library's.
type driver interface {
	info() (Info, error)
	load(image []byte) error
	kernel(name string) (uintptr, error)
	launch(kernel uintptr, blocks uint32, a *arguments) error
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

// arguments are those of a kernel, laid out as gpu_arguments in driver.h.
type arguments struct {
	count uint32
	at    [mostArguments]uint16
	size  [mostArguments]uint16
	data  [argumentBytes / 8]uint64
}

const (
	mostArguments = 48
	argumentBytes = 1024
)

// sum and coefficient are the types of source/scalar.h.
type sum struct{ slot, area, parts, how uint32 }

type coefficient struct {
	scale          float64
	n0, d0, n1, d1 sum
}

// add appends an argument, aligned to its size up to 8 bytes.
func add[T any](a *arguments, v T) {
	size, align := unsafe.Sizeof(v), unsafe.Alignof(v)
	at := uintptr(0)
	if a.count > 0 {
		at = uintptr(a.at[a.count-1] + a.size[a.count-1])
	}
	at = (at + align - 1) / align * align
	*(*T)(unsafe.Add(unsafe.Pointer(&a.data), at)) = v
	a.at[a.count], a.size[a.count] = uint16(at), uint16(size)
	a.count++
}

func (a *arguments) u32(v uint32)              { add(a, v) }
func (a *arguments) i32(v int32)               { add(a, v) }
func (a *arguments) f64(v float64)             { add(a, v) }
func (a *arguments) coefficient(v coefficient) { add(a, v) }
func (a *arguments) buffer(b Buffer)           { add(a, b.handle) }
