//go:build cgo && linux

package gpu

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// compiledC compiles a library of testdata, with more flags.
func compiledC(t *testing.T, name string, flags ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: ", err)
	}
	lib := filepath.Join(t.TempDir(), name+".so")
	flags = append([]string{"-std=c11", "-D_DEFAULT_SOURCE", "-O0", "-fPIC", "-shared", "-o", lib, filepath.Join("testdata", name+".c")}, flags...)
	out, err := testsupport.Command(t, cc, flags...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return lib
}

// itself runs this test in a separate process, since a library stays open, and returns
// what it printed.
func itself(t *testing.T, variables ...string) string {
	t.Helper()
	c := testsupport.Command(t, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), variables...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// Every step on the way to a device has its error, which names the call and the reason.
func TestNoDevice(t *testing.T) {
	if b := os.Getenv("OPEN"); b != "" {
		d, err := Open(Backend(b), 0)
		if err == nil {
			d.Close()
		}
		fmt.Printf("unavailable %v: %v\n", errors.Is(err, ErrUnavailable), err)
		return
	}
	hip := "MPSOLVE_LIBHIP=" + compiledC(t, "fakehip")
	empty := t.TempDir()
	for _, c := range []struct {
		backend     Backend
		variables   string
		unavailable bool
		want        string
	}{
		{CUDA, "MPSOLVE_LIBCUDA=/none/libcuda.so.1", true, "cuda: MPSOLVE_LIBCUDA: /none/libcuda.so.1: cannot open shared object file"},
		{CUDA, "MPSOLVE_LIBCUDA=libm.so.6", true, "cuda: the library has no cuInit: the driver is too old"},
		{CUDA, "MPSOLVE_LIBCUDA=" + empty, true, "cuda: MPSOLVE_LIBCUDA: " + empty},
		{HIP, "MPSOLVE_LIBHIP=/none/libamdhip64.so", true, "hip: MPSOLVE_LIBHIP: /none/libamdhip64.so: cannot open shared object file"},
		{HIP, "MPSOLVE_LIBHIP=libm.so.6", true, "hip: the library has no hipGetDeviceCount: the driver is too old"},
		{HIP, hip + " FAKEHIP=hipGetDeviceCount=35", true, "hip: hipErrorInsufficientDriver (hipGetDeviceCount returned 35)"},
		{HIP, hip + " FAKEHIP=hipGetDeviceCount=100", true, "hip: hipErrorNoDevice: words of the library (hipGetDeviceCount returned 100)"},
		{HIP, hip + " FAKEHIP=devices=0", true, "hip: the driver has no device"},
		{HIP, hip + " FAKEHIP=hipDeviceGet=101", true, "hip: hipError: words of the library (hipDeviceGet returned 101)"},
		{HIP, hip + " FAKEHIP=hipSetDevice=101", true, "(hipSetDevice returned 101)"},
		{HIP, hip + " FAKEHIP=hipStreamCreateWithFlags=2", true, "(hipStreamCreateWithFlags returned 2)"},
		{HIP, hip + " FAKEHIP=hipEventCreateWithFlags=2", true, "(hipEventCreateWithFlags returned 2)"},
		{HIP, hip + " FAKEHIP=hipMemGetInfo=719", false, "hip: looking at the device: hipError: words of the library (hipMemGetInfo returned 719)"},
		{HIP, hip + " FAKEHIP=gfx803", true, "hip (Fake 0): there are no kernels for gfx803"},
		{HIP, hip + " FAKEHIP=hipGetDevicePropertiesR0600=1", false, "hip: looking at the device: hipError: words of the library (hipGetDeviceProperties returned 1)"},
		{HIP, hip + " FAKEHIP=hipModuleLoadDataEx=209", false, "hip (Fake 0): loading the kernels: hipErrorNoBinaryForGpu: words of the library (hipModuleLoadDataEx returned 209)"},
		{HIP, hip + " FAKEHIP=hipModuleGetFunction=500", false, "looking for the kernel vector_scale: hipError: words of the library (hipModuleGetFunction returned 500)"},
		{HIP, hip + " FAKEHIP=hipMalloc=2", false, "bytes of its memory: hipError: words of the library; 1572864 bytes wanted, 1073741824 of 1073741824 are free (hipMalloc returned 2)"},
		{OpenCL, "MPSOLVE_LIBOPENCL=/none/libOpenCL.so.1", true, "opencl: MPSOLVE_LIBOPENCL: /none/libOpenCL.so.1: cannot open shared object file"},
		{OpenCL, "MPSOLVE_LIBOPENCL=libm.so.6", true, "opencl: the library has no clGetPlatformIDs: it is too old"},
	} {
		out := itself(t, append(strings.Fields(c.variables), "OPEN="+string(c.backend))...)
		if want := fmt.Sprintf("unavailable %v: ", c.unavailable); !strings.Contains(out, want) || !strings.Contains(out, c.want) {
			t.Errorf("%s: want %q %q, got\n%s", c.variables, want, c.want, out)
		}
	}
	if _, err := Open(OpenCL, 0); err != nil {
		t.Skip(err)
	}
	out := itself(t, "OCL_ICD_VENDORS="+empty, "OPEN=opencl")
	if want := "opencl: CL_PLATFORM_NOT_FOUND_KHR: no OpenCL driver is installed (clGetPlatformIDs returned -1001)"; !strings.Contains(out, want) {
		t.Errorf("no platform: want %q, got\n%s", want, out)
	}
}

// Errors of an OpenCL compiler have its message.
func TestOpenCLBuildFails(t *testing.T) {
	if _, err := count(OpenCL); err != nil {
		t.Skip(err)
	}
	defer func(f func(Backend, string) []byte) { imageFor = f }(imageFor)
	imageFor = func(Backend, string) []byte { return []byte("__kernel void vector_scale(nonsense x) {}\n") }
	_, err := Open(OpenCL, 0)
	var e *Error
	if !errors.As(err, &e) || e.Call != "clBuildProgram" || !strings.Contains(err.Error(), "CL_BUILD_PROGRAM_FAILURE") || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("error %v", err)
	}
	imageFor = func(Backend, string) []byte { return []byte("__kernel void other(int x) {}\n") }
	if _, err = Open(OpenCL, 0); err == nil || !strings.Contains(err.Error(), "looking for the kernel vector_scale: CL_INVALID_KERNEL_NAME (clCreateKernel returned -46)") {
		t.Errorf("error %v", err)
	}
}

// Out of memory is an error with the bytes wanted; operations from then on do
// nothing, and it can be closed as often as one likes.
func TestOutOfMemory(t *testing.T) {
	for _, b := range append([]Backend{Emulate}, Backends...) {
		t.Run(string(b), func(t *testing.T) {
			d, err := Open(b, 0)
			if err != nil {
				t.Skip(err)
			}
			s := newSpace(d, 1000)
			x := s.New()
			big := newSpace(d, 1<<57)
			v := big.New()
			var e *Error
			if !errors.As(d.Err(), &e) || !strings.Contains(e.Error(), "taking 1152921504606846976 bytes of its memory") {
				t.Errorf("error %v", d.Err())
			}
			big.Scale(known(2), v)
			if f := s.Dot(x, x).Float(); f == f {
				t.Errorf("a product on a device that has failed is %g", f)
			}
			for range 2 {
				big.Close()
				s.Close()
				d.Close()
			}
			if d.live != 0 || d.bytes != 0 {
				t.Errorf("%d buffers, %d bytes are left", d.live, d.bytes)
			}
		})
	}
}
