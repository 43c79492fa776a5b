package lab

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

func streamOptions(sizes, threads []int) StreamOptions {
	return StreamOptions{Sizes: sizes, Threads: threads, Repeat: 3, Progress: func(string) {}}
}

// Each kernel is measured for each size and number of threads, with the bytes of BabelStream.
func TestStreamThreads(t *testing.T) {
	list, err := Stream(t.Context(), streamOptions([]int{1, 1000}, []int{1, 3}))
	if err != nil {
		t.Fatal(err)
	}
	arrays := []int64{2, 2, 3, 3, 2}
	for k, r := range list {
		n, threads := []int{1, 1000}[k/10], []int{1, 3}[k/5%2]
		if r.N != n || r.Threads != threads || r.Kernel != StreamKernels()[k%5].Name || r.Bytes != 8*int64(n)*arrays[k%5] {
			t.Errorf("result %d is %+v", k, r)
		}
		if !(r.Min > 0 && r.Min <= r.Median) || len(r.Rounds) != 3 || !(r.Best() >= r.Typical()) {
			t.Errorf("result %d: times %+v", k, r.Time)
		}
	}
	if len(list) != 20 {
		t.Errorf("%d results, want 20", len(list))
	}
}

// The emulated device has the same kernels.
func TestDeviceStream(t *testing.T) {
	d, err := gpu.Open(gpu.Emulate, 0)
	if err != nil {
		t.Skip(err)
	}
	defer d.Close()
	before, _ := d.Bytes()
	list, err := DeviceStream(t.Context(), d, streamOptions([]int{1000}, nil))
	if err != nil || len(list) != 5 || list[4].Kernel != "dot" || list[0].Threads != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if now, _ := d.Bytes(); now != before {
		t.Errorf("%d bytes were not released", now-before)
	}
}

// wrongArrays leave one element of an array unchanged.
type wrongArrays struct {
	*hostArrays
	in func(*hostArrays) []float64
}

func (w wrongArrays) fetch() (a, b, c []float64, err error) {
	w.in(w.hostArrays)[1] = 7
	return w.hostArrays.fetch()
}

// A kernel with a wrong result is an error.
func TestStreamIsChecked(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for want, in := range map[string]func(*hostArrays) []float64{
		"array a": func(h *hostArrays) []float64 { return h.a },
		"array b": func(h *hostArrays) []float64 { return h.b },
		"array c": func(h *hostArrays) []float64 { return h.c },
	} {
		if err := checkStream(wrongArrays{newHostArrays(100, pool), in}, 100); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	h := newHostArrays(100, pool)
	if err := checkStream(wrongDot{h}, 100); err == nil || !strings.Contains(err.Error(), "inner product") {
		t.Errorf("inner product: %v", err)
	}
	if err := checkStream(newHostArrays(1001, pool), 1001); err != nil {
		t.Error(err)
	}
}

// wrongDot returns a wrong inner product.
type wrongDot struct{ *hostArrays }

func (w wrongDot) dot() float64 { return 1.001 * w.hostArrays.dot() }

// An interrupt ends the measurement.
func TestStreamInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	opt := streamOptions([]int{100, 1 << 20}, []int{1})
	opt.Repeat = 1 << 30
	opt.Progress = func(string) { cancel(cause) }
	if list, err := Stream(ctx, opt); err != cause || slices.ContainsFunc(list, func(r StreamResult) bool { return r.N > 100 }) {
		t.Errorf("%v, %v", list, err)
	}
}
