package gpu

import (
	"errors"
	"strings"
	"testing"
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
