package lab

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// openEmulated opens the emulated device and makes a matrix whose values need all bits.
func openEmulated(t *testing.T) (*gpu.Device, *csr.Matrix, DeviceOptions) {
	t.Helper()
	d, err := gpu.Open(gpu.Emulate, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(d.Close)
	m, err := generate.Generate("poisson2d", generate.Params{"n": 12, "decades": 1, "seed": 1})
	if err != nil {
		t.Fatal(err)
	}
	list, err := DeviceForms(DeviceLayouts(), []float64{0x1p-53, 0x1p-24})
	if err != nil {
		t.Fatal(err)
	}
	pool := parallel.New(2)
	t.Cleanup(pool.Close)
	return d, m, DeviceOptions{
		Forms: list, Repeat: 2, Budget: 1, Tol: 1e-9, MaxIter: 1000, Pool: pool,
		Note: func(text string) { t.Error(text) }, Progress: func(string) {},
	}
}

func TestDeviceForms(t *testing.T) {
	list, err := DeviceForms([]string{"csr32"}, []float64{0x1p-24})
	if err != nil || len(list) != 2 || list[0].String() != "csr FP64" || list[1].String() != "csr32 FP32" {
		t.Errorf("%v, %v", list, err)
	}
	if list[0].spec.Epsilon != 0x1p-53 || list[1].spec.Epsilon != 0x1p-24 {
		t.Errorf("accuracies %g, %g", list[0].spec.Epsilon, list[1].spec.Epsilon)
	}
}

func TestDeviceProducts(t *testing.T) {
	d, m, opt := openEmulated(t)
	x := make([]float64, m.Cols)
	for j := range x {
		x[j] = 1 / float64(j+3)
	}
	rows, err := DeviceProducts(t.Context(), d, m, x, opt)
	if err != nil || len(rows) != len(opt.Forms) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for k, r := range rows {
		if !(r.Min > 0 && r.Median >= r.Min && r.Build > 0) {
			t.Errorf("%s: %+v", r.Name, r)
		}
		if e := r.Errors.Normwise; !(e <= 4*r.Epsilon) || k > 0 && e < r.Epsilon/1e4 {
			t.Errorf("%s: error %g, epsilon %g", r.Name, e, r.Epsilon)
		}
	}
}

func TestDeviceSolves(t *testing.T) {
	d, m, opt := openEmulated(t)
	for _, method := range DeviceMethods {
		solves, err := DeviceSolves(t.Context(), d, m, method, opt)
		if err != nil || len(solves) != len(opt.Forms) {
			t.Fatalf("%s: %d solves, %v", method, len(solves), err)
		}
		for k, s := range solves {
			if !(s.Residual <= 1.01e-9 && s.Min > 0) || s.Reason != "converged" || s.Iterations == 0 || (s.Steps == 0) != (k == 0) {
				t.Errorf("%s with %s: %+v", method, s.Name, s)
			}
		}
	}
	opt.MaxIter = 3
	limited, err := DeviceSolves(t.Context(), d, m, "cg", opt)
	if err != nil || limited[0].Iterations != 3 || limited[0].Reason == "converged" {
		t.Errorf("%+v, %v", limited, err)
	}
}

// A form in which the matrix cannot be stored is left out and noted.
func TestDeviceLeftOut(t *testing.T) {
	d, m, opt := openEmulated(t)
	opt.Forms[1].store = func(*gpu.Device, *csr.Matrix, adaptive.Spec, *parallel.Pool) (gpu.Matrix, error) {
		return nil, errors.New("too wide")
	}
	var notes []string
	opt.Note = func(text string) { notes = append(notes, text) }
	rows, err := DeviceProducts(t.Context(), d, m, make([]float64, m.Cols), opt)
	if err != nil || len(rows) != len(opt.Forms)-1 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if _, err := DeviceSolves(t.Context(), d, m, "cg", opt); err != nil {
		t.Error(err)
	}
	if len(notes) != 2 || slices.ContainsFunc(notes, func(n string) bool { return !strings.Contains(n, "left out: too wide") }) {
		t.Errorf("notes %q", notes)
	}
}

func TestDeviceInterrupted(t *testing.T) {
	d, m, opt := openEmulated(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := DeviceProducts(ctx, d, m, make([]float64, m.Cols), opt); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := DeviceSolves(ctx, d, m, "cg", opt); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
