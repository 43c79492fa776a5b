package lab

import (
	"context"
	"errors"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// A calibration gives a model with positive constants, and ends when its context ends.
func TestCalibrate(t *testing.T) {
	k := kernels.Default()
	if !k.HasFastSlots() {
		t.Skip("the portable loops are no layouts to choose from")
	}
	m, err := generate.Generate("poisson2d", generate.Params{"n": 20})
	if err != nil {
		t.Fatal(err)
	}
	known := *adaptive.ModelOf(k)
	known.Sizes = adaptive.Sizes{Near: 1 << 20, Shared: 4 << 20}
	measured, err := Calibrate(context.Background(), k, "here", &known, []*csr.Matrix{m})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range measured.Constants() {
		if !(c.Value > 0) {
			t.Errorf("%s: %g %s", c.Name, c.Value, c.Unit)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	cancel(stop)
	if _, err := Calibrate(ctx, k, "here", &known, []*csr.Matrix{m}); !errors.Is(err, stop) {
		t.Errorf("%v, want %v", err, stop)
	}
}
