package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unsafe"
)

// Backend names a way to a device.
type Backend string

// The backends.
const (
	CUDA    Backend = "cuda"
	HIP     Backend = "hip"
	OpenCL  Backend = "opencl"
	Emulate Backend = "emulate"
)

// Backends lists those that run on devices, in the order in which they are tried.
var Backends = []Backend{CUDA, HIP, OpenCL}

// ErrUnavailable is wrapped by the errors of Open: there is no such device that could be
// used.
var ErrUnavailable = errors.New("no such device")

// notInBuild is the message of a build without backends.
const notInBuild = "GPU support is not in this build (it was built without cgo, or for a system that has none)"

// Error is a failure of a device, or of the library that drives it.
type Error struct {
	Backend Backend
	Device  string // its name; "" if there is none yet
	Doing   string // what was being done, in words
	Call    string // the library's function; "" if none was called
	Code    int    // that it returned
	Text    string // the library's words, or ours
}

func (e *Error) Error() string {
	s := string(e.Backend)
	if e.Device != "" {
		s += " (" + e.Device + ")"
	}
	return s + ": " + e.Reason()
}

// Reason is the error without backend and device.
func (e *Error) Reason() string {
	s := e.Text
	if e.Doing != "" {
		s = e.Doing + ": " + s
	}
	if e.Call != "" {
		s += fmt.Sprintf(" (%s returned %d)", e.Call, e.Code)
	}
	return s
}

// reason is the error of the device alone, without ErrUnavailable.
func reason(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return err
}

// Info describes a device.
type Info struct {
	Backend      Backend `json:"backend"`
	Index        int     `json:"index"`
	Name         string  `json:"name,omitempty"`
	Architecture string  `json:"architecture,omitempty"`          // such as sm_90 or gfx942
	Units        int     `json:"units,omitempty"`                 // multiprocessors or compute units
	Memory       int64   `json:"memory_bytes,omitempty"`          // 0: not known
	Free         int64   `json:"free_bytes,omitempty"`            // 0: not known
	Bandwidth    float64 `json:"peak_bytes_per_second,omitempty"` // of the memory, by its clock and width; 0: not known
	Integrated   bool    `json:"integrated,omitempty"`            // shares the memory of the host
	Host         bool    `json:"host,omitempty"`                  // is the host's processors, driven by OpenCL
	Old          bool    `json:"-"`                               // too old for the kernels
}

func (i Info) String() string {
	return fmt.Sprintf("%s:%d %s (%s)", i.Backend, i.Index, i.Name, i.Architecture)
}

// Found is a device, or why a backend has none.
type Found struct {
	Info
	Err error // wraps ErrUnavailable; of the device, or if Name is "" of its backend
}

// Devices lists the devices of some backends, or of every one, in the order in which they are tried, without
// opening any. Their free memory is what NVIDIA's management library or AMD's kernel driver
// say. A backend without devices has one entry with the reason.
func Devices(of ...Backend) []Found {
	if len(of) == 0 {
		of = Backends
	}
	var all []Found
	for _, b := range of {
		n, err := count(b)
		if err == nil && n == 0 {
			err = errNone()
		}
		if err != nil {
			all = append(all, Found{Info{Backend: b}, unavailable(b, err)})
		}
		for i := range n {
			all = append(all, found(b, i))
		}
	}
	return all
}

// found describes a device.
func found(b Backend, index int) Found {
	info, err := look(b, index)
	info.Backend, info.Index = b, index
	if err != nil {
		return Found{info, unavailable(b, err)}
	}
	_, err = info.image()
	return Found{info, err}
}

// Best returns the device to take where none was named: of the first backend that has one
// which can run the kernels and is not the host itself, the device with the most free memory,
// or with the most memory if that is not known of all. Of equal ones it takes the first. Its
// error has the reason of every backend. It opens no device.
func Best() (Info, error) {
	if !built {
		return Info{}, fmt.Errorf("%w: %s", ErrUnavailable, notInBuild)
	}
	return best(Devices())
}

func best(all []Found) (Info, error) {
	var usable []Info
	why := ErrUnavailable
	for _, f := range all {
		switch {
		case f.Err == nil && !f.Host:
			if len(usable) == 0 || usable[0].Backend == f.Backend {
				usable = append(usable, f.Info)
			}
		case f.Err == nil:
			why = fmt.Errorf("%w; %s is the host itself", why, f.Info)
		default:
			why = fmt.Errorf("%w; %w", why, reason(f.Err))
		}
	}
	if len(usable) == 0 {
		return Info{}, why
	}
	known := !slices.ContainsFunc(usable, func(i Info) bool { return i.Free == 0 })
	room := func(i Info) int64 {
		if known {
			return i.Free
		}
		return i.Memory
	}
	return slices.MaxFunc(usable, func(a, b Info) int { return cmp.Compare(room(a), room(b)) }), nil
}

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
