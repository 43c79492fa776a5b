package gpu

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// launched counts what the devices of all tests ran.
var launched = map[Backend]*[numKernels]int{}

// demanded are the backends that MPSOLVE_TEST_DEVICES names, in words.
func demanded() []string { return strings.Fields(os.Getenv("MPSOLVE_TEST_DEVICES")) }

// TestMain fails where a whole run has left out a kernel on some device, and one with -test.skip on a
// demanded one.
func TestMain(m *testing.M) {
	status := m.Run()
	given := func(name string) bool { return flag.Lookup(name).Value.String() != "" }
	if status == 0 && !given("test.run") && !given("test.fuzz") {
		for b, counts := range launched {
			if testing.Short() && b != Emulate { // which is all that short runs have each kernel on
				continue
			}
			if given("test.skip") && !slices.Contains(demanded(), string(b)) {
				continue
			}
			for k, n := range counts {
				if n == 0 {
					fmt.Printf("no test ran the kernel %s on %s\n", kernels[k].name, b)
					status = 1
				}
			}
		}
	}
	os.Exit(status)
}

// eachDevice runs a test on the emulated device, on those that interpret the kernels' PTX and AMD's
// code, and on every device of this machine; it fails without the demanded ones. Short runs, those
// under a race detector for example, have the emulated one alone.
func eachDevice(t *testing.T, f func(t *testing.T, d *Device)) {
	t.Run(string(Emulate), func(t *testing.T) { f(t, emulated(t)) })
	if !testing.Short() {
		t.Run("ptx", func(t *testing.T) { f(t, ptx(t, 0)) })
		t.Run("amd", func(t *testing.T) { f(t, amd(t, "gfx90a", 0)) })
	}
	for _, b := range Backends {
		if testing.Short() {
			break
		}
		t.Run(string(b), func(t *testing.T) {
			d, err := Open(b, 0)
			switch {
			case err == nil:
			case slices.Contains(demanded(), string(b)):
				t.Fatal(err)
			default:
				t.Skip(err)
			}
			f(t, opened(t, d))
		})
	}
}

// emulated opens the emulated device, or skips.
func emulated(t testing.TB) *Device {
	t.Helper()
	if !built {
		t.Skip("GPU support is not in this build")
	}
	d, err := Open(Emulate, 0)
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, d)
}

// opened closes a device at the end of the test, and checks that everything on it has been
// released.
func opened(t testing.TB, d *Device) *Device {
	b := d.info.Backend
	if launched[b] == nil {
		launched[b] = new([numKernels]int)
	}
	t.Cleanup(func() {
		for k, loaded := range d.kernels {
			launched[b][k] += loaded.launches
		}
		d.Close()
		if d.live != 0 {
			t.Errorf("%d buffers were not released", d.live)
		}
		if err := d.Err(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// eachSpace runs a test on spaces on each device: of small sizes, just around a warp and a
// block, of more elements than threads, and of many blocks, on whose parts a block goes on
// when it adds them up. OpenCL on the CPU compiles every kernel again for so many; vector_dot
// has them there too, in TestScalars.
func eachSpace(t *testing.T, f func(t *testing.T, s *deviceSpace)) {
	eachDevice(t, func(t *testing.T, d *Device) {
		for _, size := range []struct{ n, blocks int }{
			{0, 1}, {1, 1}, {2, 1}, {31, 1}, {33, 1}, {255, 1}, {256, 1}, {257, 2}, {1000, 4}, {7001, 3}, {1500, 512}, {threads*vectorBlocks + 77, 512},
		} {
			if size.blocks > 255 && (d.info.Host || isInterpreted(d)) || size.n > 10000 && testing.Short() {
				continue
			}
			t.Run(fmt.Sprintf("%d in %d blocks", size.n, size.blocks), func(t *testing.T) {
				s := newSpace(d, size.n)
				defer s.Close()
				s.blocks = uint32(size.blocks)
				f(t, s)
			})
		}
	})
}

// For tests that need pkg/solve, which imports this package.
var (
	EachDevice = eachDevice
	OpenPTX    = ptx
	OpenAMD    = amd
)

// The device to take is the freest of the first backend that has a usable one.
func TestBest(t *testing.T) {
	device := func(b Backend, index int, memory, free int64) Found {
		return Found{Info: Info{Backend: b, Index: index, Name: "GPU", Memory: memory, Free: free}}
	}
	broken := func(f Found) Found {
		f.Err = unavailable(f.Backend, &Error{Text: "broken"})
		return f
	}
	host := device(OpenCL, 0, 64, 64)
	host.Host = true
	for _, c := range []struct {
		all  []Found
		want string // backend and index, or words of the error
	}{
		{[]Found{device(CUDA, 0, 8, 3), device(CUDA, 1, 8, 5), device(CUDA, 2, 8, 5), device(HIP, 0, 80, 80)}, "cuda:1"},
		{[]Found{broken(device(CUDA, 0, 8, 8)), device(HIP, 0, 8, 1), device(HIP, 1, 6, 2)}, "hip:1"},
		{[]Found{device(CUDA, 0, 8, 7), device(CUDA, 1, 16, 0)}, "cuda:1"},
		{[]Found{host, device(OpenCL, 1, 8, 0)}, "opencl:1"},
		{[]Found{broken(Found{Info: Info{Backend: CUDA}}), host}, "no such device; cuda: broken; opencl:0 GPU () is the host itself"},
	} {
		info, err := best(c.all)
		switch got := info.String(); {
		case err != nil && (!errors.Is(err, ErrUnavailable) || err.Error() != c.want):
			t.Errorf("error %v, want %s", err, c.want)
		case err == nil && !strings.HasPrefix(got, c.want+" "):
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
