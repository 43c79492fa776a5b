//go:build cgo && linux

package gpu

import (
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// realLibrary is a vendor's library.
type realLibrary struct {
	file     string // how its name begins
	source   string // of ours, with the names of the functions
	backend  Backend
	variable string // that has us open the file
	noDevice string // what is said where there is no device
}

var real = []realLibrary{
	{"libcuda.so.390.", "cuda.c", CUDA, "MPSOLVE_LIBCUDA", "cuda: CUDA_ERROR_UNKNOWN: unknown error (cuInit returned 999)"},
	{"libcuda.so.", "cuda.c", CUDA, "MPSOLVE_LIBCUDA", "cuda: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected (cuInit returned 100)"},
	{"libamdhip64.so.", "hip.c", HIP, "MPSOLVE_LIBHIP", "hip: hipErrorNoDevice (hipGetDeviceCount returned 100)"},
	{"libnvidia-ml.so.", "nvml.c", "", "", ""},
}

// otherwise has for functions whose names depend on the version the other name.
var otherwise = map[string]string{
	"cuDevicePrimaryCtxRelease_v2": "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease": "cuDevicePrimaryCtxRelease_v2",
	"hipGetDevicePropertiesR0600": "hipGetDeviceProperties", "hipGetDeviceProperties": "hipGetDevicePropertiesR0600",
}

// Drivers' libraries in the folders of MPSOLVE_TEST_LIBRARIES have every function that we look
// for, and can be opened, and say what docs/gpu.md has for machines without a device. They
// are those of make gpu-libraries.
func TestRealLibraries(t *testing.T) {
	if b := os.Getenv("OPEN"); b != "" {
		_, err := Open(Backend(b), 0)
		fmt.Println("error:", err)
		return
	}
	folders := filepath.SplitList(os.Getenv("MPSOLVE_TEST_LIBRARIES"))
	if len(folders) == 0 {
		t.Skip("no drivers' libraries; make gpu-libraries fetches some")
	}
	for _, folder := range folders {
		found := 0
		if err := filepath.WalkDir(folder, func(path string, file fs.DirEntry, err error) error {
			k := slices.IndexFunc(real, func(r realLibrary) bool { return strings.HasPrefix(file.Name(), r.file) })
			if err != nil || k < 0 || !file.Type().IsRegular() {
				return err
			}
			found++
			hasNames(t, path, real[k].source)
			if real[k].backend != "" {
				saysNoDevice(t, path, filepath.Join(folder, "usr/lib/x86_64-linux-gnu"), real[k])
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		if found == 0 {
			t.Errorf("%s has no library", folder)
		}
	}
}

var literal = regexp.MustCompile(`"((?:cu|hip|nvml)[A-Z]\w+)"`)

// hasNames holds the names in one of our files against the symbols of a library.
func hasNames(t *testing.T, path, source string) {
	f, err := elf.Open(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Error(err)
	}
	has := map[string]bool{}
	for _, s := range symbols {
		has[s.Name] = has[s.Name] || s.Section != elf.SHN_UNDEF
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	names := literal.FindAllSubmatch(text, -1)
	if len(names) < 4 {
		t.Errorf("%s has %d names of functions", source, len(names))
	}
	for _, n := range names {
		if name := string(n[1]); !has[name] && !has[otherwise[name]] {
			t.Errorf("%s has no %s", filepath.Base(path), name)
		}
	}
	t.Logf("%s: %d names", filepath.Base(path), len(names))
}

// saysNoDevice opens a library in a process of its own, which finds what the library needs in
// a folder.
func saysNoDevice(t *testing.T, path, folder string, lib realLibrary) {
	for _, driver := range []string{"/proc/driver/nvidia", "/dev/kfd"} {
		if _, err := os.Stat(driver); err == nil {
			t.Logf("%s: not opened, there is a driver here", filepath.Base(path))
			return
		}
	}
	out := itself(t, "OPEN="+string(lib.backend), lib.variable+"="+path, "LD_LIBRARY_PATH="+folder)
	_, said, _ := strings.Cut(out, "error: ")
	said, _, _ = strings.Cut(said, "\n")
	switch { // what a library needs may lack here
	case said == ErrUnavailable.Error()+": "+lib.noDevice,
		strings.Contains(said, "cannot open shared object file"), strings.Contains(said, "GLIBC"):
		t.Logf("%s: %s", filepath.Base(path), said)
	default:
		t.Errorf("%s: want %q, got\n%s", filepath.Base(path), lib.noDevice, out)
	}
}
