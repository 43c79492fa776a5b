package gpu

import (
	"errors"
	"fmt"
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
