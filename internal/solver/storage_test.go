package solver

import (
	"fmt"
	"testing"

	"github.com/mpsolve/mpsolve/internal/quantize"
	"github.com/mpsolve/mpsolve/internal/solver/attempt"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Every set at every accuracy reaches the tolerance that FP64 reaches, by an
// independent measure: reduced precision costs steps, never accuracy.
func TestStorage(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"spd":         rescaled(grid(12, 0, 0), uneven(4), uneven(4)),
		"unsymmetric": rescaled(grid(12, 0.3, 0), uneven(6), uneven(2)),
	} {
		for _, set := range append(quantize.Sets(), formatSet("FP32"), formatSet("BF16"), formatSet("AFX16"), formatSet("FP64")) {
			for _, eps := range []float64{0x1p-53, 0x1p-37, 1e-7, 0x1p-10} {
				t.Run(fmt.Sprint(name, " ", set.Name, " ", eps), func(t *testing.T) {
					r := solved(t, m, rhs(m, 1), nil, solve.Options{Accuracy: solve.Accuracy{Tol: 1e-13}, Storage: solve.Storage{Set: set, Epsilon: eps}})
					if r.Bytes <= 0 || len(r.Formats) == 0 || r.Storage.Epsilon <= 0 {
						t.Errorf("%d bytes in %v at %g", r.Bytes, r.Formats, r.Storage.Epsilon)
					}
				})
			}
		}
	}
}

// An ill-conditioned matrix for which 2^-10 is not enough: the precision is
// raised, and said.
func TestPrecisionIsRaised(t *testing.T) {
	m := rescaled(grid(20, 0, -0.0446), same(1), same(1)) // nearly singular
	var log logged
	r := solved(t, m, rhs(m, 1), nil, log.options(solve.Options{Storage: solve.Storage{Epsilon: 0x1p-10, Layout: adaptive.Slots}, Accuracy: solve.Accuracy{Tol: 1e-12}}))
	if !log.says("continuing with AFX at epsilon 2^-24") || r.Storage.Epsilon >= 0x1p-10 {
		t.Errorf("ended at %g: %q", r.Storage.Epsilon, log.lines)
	}
}

// The criterion is chosen by symmetry; a requested one stays.
func TestStorageDefaults(t *testing.T) {
	for _, c := range []struct {
		in                  solve.Storage
		symmetric, noRefine bool
		set                 string
		criterion           adaptive.Criterion
	}{
		{solve.Storage{}, true, false, "AFX", adaptive.NW},
		{solve.Storage{}, false, false, "AFX", adaptive.CW},
		{solve.Storage{}, false, true, "FP64", adaptive.CW},
		{solve.Storage{Set: formatSet("AP7"), Criterion: adaptive.CW}, true, true, "AP7", adaptive.CW},
	} {
		got := options.StorageWithDefaults(c.in, c.symmetric, c.noRefine)
		if got.Set.Name != c.set || got.Criterion != c.criterion || got.Epsilon != options.DefaultEpsilon {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// The way through the precisions.
func TestNextStorage(t *testing.T) {
	at := func(eps float64) solve.Storage {
		return solve.Storage{Set: formatSet("AFX"), Epsilon: eps, Criterion: adaptive.NW}
	}
	for _, c := range []struct {
		from   solve.Storage
		reason krylov.Reason
		want   string
	}{
		{at(0x1p-10), krylov.Slow, "AFX at epsilon 2^-24, nw"},
		{at(0x1p-24), krylov.Slow, "AFX at epsilon 2^-37, nw"},
		{at(1e-9), krylov.Indefinite, "AFX at epsilon 2^-37, nw"},
		{at(0x1p-37), krylov.Slow, "AFX at epsilon 2^-53, nw"},
		{at(0x1p-53), krylov.Slow, "FP64"},
		{at(0x1p-24), krylov.Stagnation, "FP64"},
		{solve.Storage{Set: formatSet("FP32"), Epsilon: 0x1p-24}, krylov.Slow, "FP64"},
	} {
		if got := attempt.NextStorage(c.from, c.reason).String(); got != c.want {
			t.Errorf("%v after %v: %s, want %s", c.from, c.reason, got, c.want)
		}
	}
}

// A format without the range of the matrix is an error.
func TestStorageRange(t *testing.T) {
	m := dense([]float64{1, 1e-5}, []float64{0, 1})
	if _, err := New(t.Context(), m, solve.Options{Storage: solve.Storage{Set: formatSet("RPRE16")}, Scale: solve.ScaleNone}); err == nil {
		t.Error("a format without the range is no error")
	}
}
