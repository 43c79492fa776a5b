package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"unsafe"
)

// Device is an open device with the kernels loaded. Operations run one after the other, in
// the order of the calls, while the host goes on. Use it from one goroutine at a time.
type Device struct {
	info    Info
	drv     driver
	kernels [numKernels]loaded
	sums    *reductions
	err     error
	live    int // buffers, so that tests can tell whether all were released
	bytes   int64
	most    int64 // that bytes were

	arguments [argumentWords]uint64 // of the launch under way
}

// loaded is a kernel on a device.
type loaded struct {
	handle   uintptr
	resident int // blocks that the device has room for, 0 if nobody knows
	layout   layout
	launches int // so far
}

// Open opens the device of a backend with this index, counting from 0.
func Open(b Backend, index int) (*Device, error) {
	n, err := count(b)
	switch {
	case err != nil:
		return nil, unavailable(b, err)
	case n == 0:
		return nil, unavailable(b, errNone())
	case index < 0 || index >= n:
		return nil, unavailable(b, errIndex(index, n))
	}
	drv, err := open(b, index)
	if err != nil {
		return nil, unavailable(b, err)
	}
	d := &Device{drv: drv, info: Info{Backend: b, Index: index}}
	if err := d.start(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// errIndex is the error of an index that none of n devices has.
func errIndex(index, n int) error {
	numbers := fmt.Sprintf("the devices are 0 to %d", n-1)
	if n == 1 {
		numbers = "the only one is 0"
	}
	return &Error{Text: fmt.Sprintf("there is no device %d, %s", index, numbers)}
}

// errNone is the error of a library that has opened and knows no device.
func errNone() error { return &Error{Text: "the driver has no device"} }

func unavailable(b Backend, err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.Backend = b
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// start reads the properties of the device and loads the kernels.
func (d *Device) start() error {
	info, err := d.drv.info()
	if err != nil {
		return d.because("looking at the device", err)
	}
	info.Backend, info.Index = d.info.Backend, d.info.Index
	d.info = info
	image, err := info.image()
	if err != nil {
		return err
	}
	if err := d.drv.load(image); err != nil {
		return d.because("loading the kernels", err)
	}
	for k, kernel := range kernels {
		handle, resident, err := d.drv.kernel(kernel.name)
		if err != nil {
			return d.because("looking for the kernel "+kernel.name, err)
		}
		d.kernels[k] = loaded{handle: handle, resident: resident, layout: layoutOf(kernel.arguments)}
	}
	d.sums, err = newReductions(d)
	return err
}

// imageFor is a variable for tests.
var imageFor = image

// image returns the kernels for a device, or the error of one that cannot run them.
func (i Info) image() ([]byte, error) {
	text := i.Architecture + " is too old for the kernels, which want CUDA's sm_70, or OpenCL with FP64"
	if !i.Old {
		if code := imageFor(i.Backend, i.Architecture); code != nil {
			return code, nil
		}
		text = "there are no kernels for " + i.Architecture
	}
	return nil, unavailable(i.Backend, &Error{Device: i.Name, Text: text})
}

// because adds to an error where it came from.
func (d *Device) because(doing string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.Backend, e.Device, e.Doing = d.info.Backend, d.info.Name, doing
	}
	return err
}

// Info describes the device, its free memory when it was opened.
func (d *Device) Info() Info { return d.info }

// Bytes returns the memory of the device that buffers take, and the most that they took
// at one time.
func (d *Device) Bytes() (now, most int64) { return d.bytes, d.most }

// Room returns how much of the memory that was free when the device was opened is left, if that is known.
func (d *Device) Room() (bytes int64, known bool) {
	has := cmp.Or(d.info.Free, d.info.Memory)
	return has - d.bytes, has > 0
}

// Launches counts the kernels that have been launched so far.
func (d *Device) Launches() (n int) {
	for _, k := range d.kernels {
		n += k.launches
	}
	return n
}

// Err returns the first failure; nothing was done after it.
func (d *Device) Err() error { return d.err }

// note keeps the first error.
func (d *Device) note(doing string, err error) {
	if err != nil && d.err == nil {
		d.err = d.because(doing, err)
	}
}

// Wait waits until all operations so far have been done.
func (d *Device) Wait() error {
	if d.err == nil {
		d.note("waiting for the device", d.drv.sync())
	}
	return d.err
}

// Close gives the device back, and does nothing the second time. Buffers that were not
// released are lost.
func (d *Device) Close() {
	if d.drv == nil {
		return
	}
	d.sums.release()
	d.drv.close()
	d.drv = nil
}

// buffer is memory of a device. The zero buffer may be given to a kernel that does not
// read it.
type buffer struct {
	handle uint64
	bytes  int64
}

// alloc returns a buffer; on failure the zero buffer, and the device keeps the error.
func (d *Device) alloc(bytes int64) (b buffer) {
	if d.err == nil {
		var err error
		b, err = d.tryAlloc(bytes)
		d.note(fmt.Sprintf("taking %d bytes of its memory", bytes), err)
	}
	return b
}

// tryAlloc returns a buffer, or an error that the device does not keep.
func (d *Device) tryAlloc(bytes int64) (b buffer, err error) {
	bytes = max(bytes, 8)
	handle, err := d.drv.alloc(bytes)
	if err != nil {
		return b, err
	}
	d.live++
	d.bytes += bytes
	d.most = max(d.most, d.bytes)
	return buffer{handle, bytes}, nil
}

// release gives buffers back and makes them zero.
func (d *Device) release(buffers ...*buffer) {
	for _, b := range buffers {
		if b.bytes > 0 {
			if d.drv != nil {
				d.drv.release(b.handle)
			}
			d.live--
			d.bytes -= b.bytes
			*b = buffer{}
		}
	}
}

// upload copies s to a buffer, from an element on.
func upload[T any](d *Device, to buffer, at int, s []T) {
	if size := int64(unsafe.Sizeof(*new(T))); d.err == nil && len(s) > 0 {
		d.note("copying to the device", d.drv.upload(to.handle, int64(at)*size, unsafe.Pointer(unsafe.SliceData(s)), int64(len(s))*size, false))
	}
}

// download fills s from a buffer and waits for it.
func download[T any](d *Device, s []T, from buffer) {
	if size := int64(unsafe.Sizeof(*new(T))); d.err == nil && len(s) > 0 {
		d.note("copying from the device", d.drv.download(unsafe.Pointer(unsafe.SliceData(s)), from.handle, 0, int64(len(s))*size, false))
	}
}

// put returns a buffer that holds s.
func put[T any](d *Device, s []T) buffer {
	b := d.alloc(int64(len(s)) * int64(unsafe.Sizeof(*new(T))))
	upload(d, b, 0, s)
	return b
}

// ready returns what has been put on a device, or closes it and returns the device's error.
func ready[T interface{ Close() }](d *Device, v T) (T, error) {
	if d.err != nil {
		v.Close()
		return *new(T), d.err
	}
	return v, nil
}
