//go:build cgo && linux

package gpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// control is what testdata/fakecuda.c shares with the test.
type control struct {
	initCode, devices, major, free                       int64
	failCall, failCode, failAlloc, failJIT, failLaunch   int64
	late, roomy                                          int64
	calls, allocs                                        int64
	memory, pinned, contexts, modules, streams, numEvent int64
	mistakes                                             int64
}

// reset makes it a device without faults. What is alive stays counted.
func (c *control) reset() {
	c.initCode, c.devices, c.major, c.free = 0, 1, 8, 12345
	c.failCall, c.failCode, c.failAlloc, c.failJIT, c.failLaunch = 0, 0, 0, 0, 0
	c.late, c.roomy, c.calls, c.allocs = 0, 0, 0, 0
}

// TestFakeCUDA drives cuda.c against a driver on the host, in a separate process, since
// a library stays open.
func TestFakeCUDA(t *testing.T) {
	if file := os.Getenv("FAKECUDA_CONTROL"); file != "" {
		testFakeCUDA(t, mapped(t, file))
		return
	}
	file := filepath.Join(t.TempDir(), "control")
	if err := os.WriteFile(file, make([]byte, unsafe.Sizeof(control{})), 0o666); err != nil {
		t.Fatal(err)
	}
	// What is alive is counted by the driver; a sanitizer that looks for leaks as well stumbles
	// over the Go heap in a process that maps the control. Its strstr is slow on PTX.
	lib := compiledC(t, "fakecuda")
	asan := "ASAN_OPTIONS=detect_leaks=0:intercept_strstr=0:" + os.Getenv("ASAN_OPTIONS")
	t.Log(itself(t, asan, "FAKECUDA_CONTROL="+file, "MPSOLVE_LIBCUDA="+lib, "MPSOLVE_LIBNVML="+lib))
}

// mapped is the control in a file.
func mapped(t *testing.T, file string) *control {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := syscall.Mmap(int(f.Fd()), 0, int(unsafe.Sizeof(control{})), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	return (*control)(unsafe.Pointer(unsafe.SliceData(b)))
}

func testFakeCUDA(t *testing.T, c *control) {
	t.Run("errors", func(t *testing.T) { fakeErrors(t, c) })
	t.Run("best", func(t *testing.T) { fakeBest(t, c) })
	t.Run("late", func(t *testing.T) { fakeLate(t, c) })
	t.Run("short of memory", func(t *testing.T) { fakeShort(t, c) })
	t.Run("memory", func(t *testing.T) {
		c.reset()
		whole := fakeSolve(t, c, nil)
		for n := range whole.allocs {
			fakeSolve(t, c, func() { c.failAlloc = n + 1 }, "CUDA_ERROR_OUT_OF_MEMORY", "wanted")
		}
		t.Logf("%d allocations", whole.allocs)
	})
	t.Run("lost", func(t *testing.T) {
		c.reset()
		whole := fakeSolve(t, c, nil)
		step := int64(1)
		if testing.Short() {
			step = 37
		}
		for n := int64(0); n < whole.calls; n += step {
			code := []int64{700, 999}[n%2]
			fakeSolve(t, c, func() { c.failCall, c.failCode = n+1, code }, "CUDA_ERROR_", "words of the driver")
		}
		t.Logf("%d calls", whole.calls)
	})
}

// fakeErrors checks the error of Open, or of a launch, for each fault.
func fakeErrors(t *testing.T, c *control) {
	for name, f := range map[string]struct {
		set  func()
		want []string
	}{
		"no device":    {func() { c.initCode = 100 }, []string{"cuda: CUDA_ERROR_NO_DEVICE: words of the driver (cuInit returned 100)"}},
		"mismatch":     {func() { c.initCode = 803 }, []string{"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "cuInit returned 803"}},
		"none":         {func() { c.devices = 0 }, []string{"the driver has no device"}},
		"too old":      {func() { c.major = 6 }, []string{"Fake 0", "sm_60 is too old"}},
		"does not JIT": {func() { c.failJIT = 1 }, []string{"CUDA_ERROR_INVALID_PTX", "line 7: words of the compiler", "cuModuleLoadDataEx"}},
		"launch":       {func() { c.failLaunch = 1 }, []string{"running vector_", "CUDA_ERROR_LAUNCH_FAILED", "cuLaunchKernel returned 719"}},
		"memory":       {func() { c.failAlloc = 1 }, []string{"CUDA_ERROR_OUT_OF_MEMORY", "bytes wanted, 12345 of"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.reset()
			fakeSolve(t, c, f.set, f.want...)
		})
	}
	c.reset()
	if n := len(Devices()); n < 3 {
		t.Errorf("%d entries", n)
	}
	if _, err := Open(CUDA, 1); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "no device 1, the only one is 0") {
		t.Error(err)
	}
}

// fakeBest checks which of several devices is the one to take. Best makes no context: a call
// that needs one would be a mistake.
func fakeBest(t *testing.T, c *control) {
	for _, f := range []struct {
		roomy, free int64
		want        string
	}{
		{0, 12345, "cuda:0 Fake 0 (sm_80)"},
		{3, 12345, "cuda:2 Fake 2 (sm_80)"},
		{3, 0, "cuda:0 Fake 0 (sm_80)"},       // nobody says how much is free
		{3, 1 << 30, "cuda:0 Fake 0 (sm_80)"}, // more than there is: that of another device
	} {
		c.reset()
		c.devices, c.roomy, c.free, c.contexts = 4, f.roomy, f.free, 0
		if i, err := Best(); err != nil || i.String() != f.want {
			t.Errorf("%+v: %v, %v", f, i, err)
		}
		if c.mistakes != 0 || c.contexts != 0 {
			t.Errorf("%+v: %+v", f, *c)
		}
	}
	c.reset()
}

// fakeLate has everything done as late as a driver may: code that reads the host's memory
// without waiting, or writes what has yet to be copied, gets other bits.
func fakeLate(t *testing.T, c *control) {
	c.reset()
	c.late = 1
	d, err := Open(CUDA, 0)
	if err != nil {
		t.Fatal(err)
	}
	d, reference := opened(t, d), emulated(t)
	m := generated(t, "convdiff2d", generate.Params{"n": 25, "peclet": 1})
	spd := generated(t, "poisson2d", generate.Params{"n": 25})
	for name := range methods {
		m := m
		if name == "cg" || name == "minres" {
			m = spd
		}
		opt := krylov.Options[*Vector]{Tol: 1e-10}
		want, wanted, _ := solve(t, reference, m, name, opt)
		if x, r, _ := solve(t, d, m, name, opt); r.Iterations != wanted.Iterations || !slices.Equal(x, want) {
			t.Errorf("%s: other bits after %d iterations than the emulated device after %d", name, r.Iterations, wanted.Iterations)
		}
	}
	defer func(words int) { stagingWords = words }(stagingWords)
	stagingWords = 1024
	big := generated(t, "powerlaw", generate.Params{"n": 5000})
	spec := afx(t, adaptive.CW, 0x1p-30)
	want, got := readBack(slotted(t, reference, big, spec, 1)), readBack(slotted(t, d, big, spec, 2))
	if n := len(want.stream) - slotPadding; !slices.Equal(got.ptr, want.ptr) || n < 4*stagingWords || !slices.Equal(got.stream[:n], want.stream[:n]) {
		t.Errorf("other slots than on the emulated device, of %d words", n)
	}
}

// fakeShort lets each allocation for a matrix in slots fail in turn, the estimates of whose
// size are too low and then too high: what is not needed is done without, and otherwise
// the error is that of the device.
func fakeShort(t *testing.T, c *control) {
	defer func(words int) { stagingWords = words }(stagingWords)
	stagingWords = 1024
	const n = 60000
	m := matrixOf(t, n, n, func(rng *rand.Rand, i int, add func(int, float64)) {
		add(i, 1)
		for k := range i / 3000 % 17 {
			add((i+k*k)%n, rng.NormFloat64())
		}
	})
	spec := afx(t, adaptive.NW, 0x1p-40)
	want := readBack(slotted(t, emulated(t), m, spec, 1))
	words := len(want.stream) - slotPadding
	without := 0
	c.reset()
	for fail := int64(0); ; fail++ {
		d, err := Open(CUDA, 0)
		if err != nil {
			t.Fatal(err)
		}
		last := c.allocs
		if c.failAlloc = 0; fail > 0 {
			c.failAlloc = c.allocs + fail
		}
		a, err := NewMatrix(d, m, spec, nil)
		switch {
		case err == nil:
			if got := readBack(a); !slices.Equal(got.stream[:words], want.stream[:words]) {
				t.Errorf("allocation %d fails: other slots", fail)
			}
			if a.Close(); fail > 0 && c.allocs >= c.failAlloc {
				without++
			}
		case fail == 0 || !strings.Contains(err.Error(), "CUDA_ERROR_OUT_OF_MEMORY"):
			t.Error(err)
		}
		d.Close()
		if c.memory != 0 || c.pinned != 0 || d.live != 0 {
			t.Fatalf("left alive: %+v", *c)
		}
		if c.allocs-last < fail {
			break
		}
	}
	if without < 2 {
		t.Errorf("%d allocations can be done without, want two at least", without)
	}
}

// fakeSolve opens the device, with a fault, and solves a system by CG. It returns the
// calls made. The error has the words wanted; nothing is left alive.
func fakeSolve(t *testing.T, c *control, fault func(), want ...string) control {
	t.Helper()
	c.reset()
	if fault != nil {
		fault()
	}
	calls, err := fakeCG(t, c)
	made := *c
	made.calls = calls
	switch {
	case fault == nil && err != nil:
		t.Error(err)
	case fault != nil && err == nil:
		t.Errorf("%+v: no error", made)
	}
	for _, w := range want {
		if err != nil && !strings.Contains(err.Error(), w) {
			t.Errorf("%+v: %q does not say %q", made, err, w)
		}
	}
	if c.memory != 0 || c.pinned != 0 || c.contexts != 0 || c.modules != 0 || c.streams != 0 || c.numEvent != 0 || c.mistakes != 0 {
		t.Fatalf("left alive, or mistakes: %+v", *c)
	}
	return made
}

// fakeCG returns the calls made until the device was closed.
func fakeCG(t *testing.T, c *control) (calls int64, err error) {
	d, err := Open(CUDA, 0)
	if err != nil {
		return c.calls, err
	}
	defer d.Close()
	m := generated(t, "poisson2d", generate.Params{"n": 5})
	space := newSpace(d, m.Rows)
	defer space.Close()
	a, err := NewCSR(d, m)
	if err != nil {
		return c.calls, err
	}
	defer a.Close()
	x, b := space.New(), space.New()
	ones := make([]float64, m.Rows)
	for i := range ones {
		ones[i] = 1
	}
	space.Upload(b, ones)
	r := krylov.NewCG[*Vector, Scalar](space).Solve(context.Background(), a, x, b, krylov.Options[*Vector]{})
	space.Download(ones, x)
	if d.Err() == nil && r.Reason != krylov.Converged {
		t.Errorf("%+v", r)
	}
	return c.calls, d.Err()
}

// A driver from before 450 lacks the second version of a function, and runs.
func TestOldCUDA(t *testing.T) {
	if os.Getenv("FAKECUDA") != "" {
		d, err := Open(CUDA, 0)
		if err != nil {
			t.Fatal(err)
		}
		d.Close()
		return
	}
	lib := compiledC(t, "fakecuda", "-DcuDevicePrimaryCtxRelease_v2=cuDevicePrimaryCtxRelease")
	t.Log(itself(t, "FAKECUDA=devices=1", "MPSOLVE_LIBCUDA="+lib, "ASAN_OPTIONS=detect_leaks=0:intercept_strstr=0:"+os.Getenv("ASAN_OPTIONS")))
}
