//go:build cgo && (linux || darwin)

package gpu

/*
#cgo CFLAGS: -std=c11 -O2 -Wall -Wextra -Wno-unused-parameter
#cgo linux LDFLAGS: -ldl -lm
#include <stdlib.h>
#include "driver.h"

static int launch(gpu_device *d, uintptr_t kernel, uint32_t grid, const gpu_layout *l, const uint64_t *a, gpu_error *e)
{
	return gpu_launch(d, (void *)kernel, grid, l, a, e);
}
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"
)

// built reports whether backends are in this build.
const built = true

var backends = map[Backend]*C.gpu_backend{
	CUDA: &C.gpu_cuda, HIP: &C.gpu_hip, OpenCL: &C.gpu_opencl, Emulate: &C.gpu_emulate,
}

// failure is the error of a call that returned rc, or nil.
func failure(rc C.int, e *C.gpu_error) error {
	if rc == 0 {
		return nil
	}
	return &Error{Call: C.GoString(&e.call[0]), Code: int(e.code), Text: C.GoString(&e.text[0])}
}

// opening is held while libraries are opened and devices counted.
var opening sync.Mutex

// count opens the library of a backend and returns the number of its devices.
func count(b Backend) (int, error) {
	if backends[b] == nil {
		return 0, fmt.Errorf("there is no %q", b)
	}
	opening.Lock()
	defer opening.Unlock()
	var n C.int
	var e C.gpu_error
	err := failure(C.gpu_count(backends[b], &n, &e), &e)
	return int(n), err
}

// look describes a device without opening it, which on GPUs would take a context and some
// hundred megabytes of memory for it.
func look(b Backend, index int) (Info, error) {
	var i C.gpu_info
	var e C.gpu_error
	err := failure(C.gpu_look(backends[b], C.int(index), &i, &e), &e)
	return infoOf(&i), err
}

func infoOf(i *C.gpu_info) Info {
	return Info{
		Name: C.GoString(&i.name[0]), Architecture: C.GoString(&i.architecture[0]),
		Memory: int64(i.memory), Free: int64(i.free), Units: int(i.units), Bandwidth: float64(i.bandwidth),
		Integrated: i.integrated != 0, Host: i.host != 0, Old: i.old != 0,
	}
}

// library is a driver through cgo. The error is part of it, so that a call allocates
// nothing.
type library struct {
	d *C.gpu_device
	e *C.gpu_error // in C's memory
}

func open(b Backend, index int) (driver, error) {
	l := &library{e: (*C.gpu_error)(C.calloc(1, C.sizeof_gpu_error))}
	if err := failure(C.gpu_open(backends[b], C.int(index), &l.d, l.e), l.e); err != nil {
		C.free(unsafe.Pointer(l.e))
		return nil, err
	}
	return l, nil
}

func (l *library) close() {
	C.gpu_close(l.d)
	C.free(unsafe.Pointer(l.e))
}

func (l *library) info() (Info, error) {
	var i C.gpu_info
	err := failure(C.gpu_device_info(l.d, &i, l.e), l.e)
	return infoOf(&i), err
}

func (l *library) load(image []byte) error {
	return failure(C.gpu_load(l.d, unsafe.Pointer(unsafe.SliceData(image)), C.size_t(len(image)), l.e), l.e)
}

func (l *library) kernel(name string) (handle uintptr, resident int, err error) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	var k unsafe.Pointer
	var n C.int
	err = failure(C.gpu_kernel(l.d, c, &k, &n, l.e), l.e)
	return uintptr(k), int(n), err
}

func (l *library) launch(kernel uintptr, grid uint32, where *layout, arguments *uint64) error {
	return failure(C.launch(l.d, C.uintptr_t(kernel), C.uint32_t(grid), (*C.gpu_layout)(unsafe.Pointer(where)), (*C.uint64_t)(arguments), l.e), l.e)
}

func (l *library) alloc(bytes int64) (uint64, error) {
	var b C.uint64_t
	err := failure(C.gpu_alloc(l.d, C.size_t(bytes), &b, l.e), l.e)
	return uint64(b), err
}

func (l *library) release(buffer uint64) { C.gpu_release(l.d, C.uint64_t(buffer)) }

func (l *library) allocHost(bytes int64) (unsafe.Pointer, error) {
	var m unsafe.Pointer
	err := failure(C.gpu_alloc_host(l.d, C.size_t(bytes), &m, l.e), l.e)
	return m, err
}

func (l *library) releaseHost(memory unsafe.Pointer) { C.gpu_release_host(l.d, memory) }

func (l *library) upload(to uint64, at int64, from unsafe.Pointer, bytes int64, async bool) error {
	return failure(C.gpu_upload(l.d, C.uint64_t(to), C.size_t(at), from, C.size_t(bytes), cBool(async), l.e), l.e)
}

func (l *library) download(to unsafe.Pointer, from uint64, at, bytes int64, async bool) error {
	return failure(C.gpu_download(l.d, to, C.uint64_t(from), C.size_t(at), C.size_t(bytes), cBool(async), l.e), l.e)
}

func (l *library) copy(to, from uint64, bytes int64) error {
	return failure(C.gpu_copy(l.d, C.uint64_t(to), C.uint64_t(from), C.size_t(bytes), l.e), l.e)
}

func (l *library) zero(to uint64, bytes int64) error {
	return failure(C.gpu_zero(l.d, C.uint64_t(to), C.size_t(bytes), l.e), l.e)
}

func (l *library) record(event int) error { return failure(C.gpu_record(l.d, C.int(event), l.e), l.e) }

func (l *library) wait(event int) error { return failure(C.gpu_wait(l.d, C.int(event), l.e), l.e) }

func (l *library) sync() error { return failure(C.gpu_sync(l.d, l.e), l.e) }

func cBool(b bool) C.int {
	if b {
		return 1
	}
	return 0
}
