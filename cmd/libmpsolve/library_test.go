package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/testsupport"
)

var root = filepath.Join("..", "..")

// TestLibrary builds the library, and runs the examples in C and Fortran and the tests in Python with it.
func TestLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the library, which takes a minute")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the library is built for Linux")
	}
	needs(t, "make", "cc")
	folder := t.TempDir()
	if out, err := testsupport.Within(t, 9*time.Minute, "make", "-s", "-C", root, "libmpsolve", "LIBMPSOLVE="+folder, "VERSION=v1.2.3").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lib, include := filepath.Join(folder, "lib"), filepath.Join(folder, "include")
	t.Setenv("LD_LIBRARY_PATH", lib)
	t.Setenv("MPSOLVE_LIBRARY", filepath.Join(lib, "libmpsolve.so"))
	t.Setenv("PKG_CONFIG_PATH", filepath.Join(lib, "pkgconfig"))

	t.Run("symbols", func(t *testing.T) { symbols(t, filepath.Join(lib, "libmpsolve.so")) })
	t.Run("C", func(t *testing.T) {
		example := filepath.Join(t.TempDir(), "example")
		run(t, "cc", "-std=c99", "-Wall", "-Wextra", "-Werror", filepath.Join(root, "bindings", "c", "example.c"), "-I", include, "-L", lib, "-lmpsolve", "-lm", "-o", example)
		converged(t, run(t, example))
	})
	t.Run("C borders", func(t *testing.T) {
		program := filepath.Join(t.TempDir(), "borders")
		run(t, "cc", "-std=c99", "-Wall", "-Wextra", "-Werror", filepath.Join("testdata", "borders.c"), "-I", include, "-L", lib, "-lmpsolve", "-o", program)
		if out := run(t, program); out != "v1.2.3: all right\n" {
			t.Errorf("output %q", out)
		}
	})
	t.Run("limited address space", func(t *testing.T) {
		program := filepath.Join(t.TempDir(), "program")
		run(t, "cc", filepath.Join("testdata", "forks.c"), "-I", include, "-L", lib, "-lmpsolve", "-o", program)
		if out := run(t, "sh", "-c", "ulimit -v 8000000; exec "+program); out != "the process that began\n" {
			t.Errorf("output %q", out)
		}
	})
	t.Run("pkg-config", func(t *testing.T) {
		needs(t, "pkg-config")
		flags, version := run(t, "pkg-config", "--cflags", "--libs", "mpsolve"), run(t, "pkg-config", "--modversion", "mpsolve")
		if !strings.Contains(flags, "-lmpsolve") || !strings.Contains(flags, "-I"+folder) || version != "1.2.3\n" {
			t.Errorf("pkg-config: %s, %s", flags, version)
		}
	})
	t.Run("Fortran", func(t *testing.T) {
		needs(t, "gfortran")
		work := t.TempDir()
		example := filepath.Join(work, "example")
		run(t, "gfortran", "-std=f2008", "-Wall", "-J", work, filepath.Join(include, "mpsolve.f90"), filepath.Join(root, "bindings", "fortran", "example.f90"), "-L", lib, "-lmpsolve", "-o", example)
		converged(t, run(t, example))
	})
	t.Run("MPI", func(t *testing.T) { eachMPI(t, folder) })
	t.Run("Python", func(t *testing.T) {
		python := withSciPy(t)
		c := testsupport.Within(t, 6*time.Minute, python, "-m", "unittest", "discover", "-s", "tests")
		c.Dir = filepath.Join(root, "bindings", "python")
		c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=.")
		out, err := c.CombinedOutput()
		if err != nil || !regexp.MustCompile(`Ran \d\d+ tests`).Match(out) {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("no %s here", p)
		}
	}
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	c := testsupport.Command(t, name, args...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c, err, out)
	}
	return string(out)
}

func converged(t *testing.T, out string) {
	t.Helper()
	if !strings.Contains(out, "converged; largest") {
		t.Errorf("output %q", out)
	}
}

// withSciPy returns a Python that has SciPy.
func withSciPy(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if testsupport.Command(t, python, "-c", "import scipy.sparse").Run() == nil {
			return python
		}
	}
	t.Skip("no Python with SciPy here")
	return ""
}

// symbols checks that the library exports the functions of the header, and nothing else.
func symbols(t *testing.T, library string) {
	needs(t, "nm")
	header, err := os.ReadFile(filepath.Join(root, "bindings", "c", "mpsolve.h"))
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^[a-z].*?\b(mpsolve_\w+)\(`).FindAllStringSubmatch(string(header), -1) {
		declared[m[1]] = true
	}
	out := run(t, "nm", "-D", "--defined-only", library)
	for line := range strings.Lines(out) {
		name := strings.Fields(line)[2]
		if !declared[name] {
			t.Errorf("%s is visible and not in the header", name)
		}
		delete(declared, name)
	}
	for name := range declared {
		t.Errorf("%s is in the header only", name)
	}
}
