package cli

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/gpu"
)

// emulated reports whether this build has an emulated device.
func emulated(t testing.TB) bool {
	d, err := gpu.Open(gpu.Emulate, 0)
	if err != nil {
		t.Log(err)
		return false
	}
	d.Close()
	return true
}

// fakeCUDA compiles a fake CUDA driver for the host and returns its path; "" if that is not possible.
func fakeCUDA(t testing.TB) string {
	cc, err := exec.LookPath("cc")
	if err != nil || runtime.GOOS != "linux" || !emulated(t) {
		return ""
	}
	lib := filepath.Join(t.TempDir(), "libcuda.so")
	source := filepath.Join("..", "..", "pkg", "gpu", "testdata", "fakecuda.c")
	if out, err := testsupport.Command(t, cc, "-std=c11", "-D_DEFAULT_SOURCE", "-O0", "-fPIC", "-shared", "-o", lib, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return lib
}
