package solve

import (
	"fmt"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// Every set at every accuracy reaches the tolerance that FP64 reaches, by an
// independent measure: reduced precision costs steps, never accuracy.
func TestStorage(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"spd":         rescaled(grid(12, 0, 0), uneven(4), uneven(4)),
		"unsymmetric": rescaled(grid(12, 0.3, 0), uneven(6), uneven(2)),
	} {
		for _, set := range append(adaptive.Sets(), lookup("FP32"), lookup("BF16"), lookup("AFX16"), lookup("FP64")) {
			for _, eps := range []float64{0x1p-53, 0x1p-37, 1e-7, 0x1p-10} {
				t.Run(fmt.Sprint(name, " ", set.Name, " ", eps), func(t *testing.T) {
					r := solved(t, m, rhs(m, 1), nil, Options{Tol: 1e-13, Storage: Storage{Set: set, Epsilon: eps}})
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
	r := solved(t, m, rhs(m, 1), nil, log.options(Options{Storage: Storage{Epsilon: 0x1p-10, Layout: adaptive.Slots}, Tol: 1e-12}))
	if !log.says("continuing with AFX at epsilon 2^-24") || r.Storage.Epsilon >= 0x1p-10 {
		t.Errorf("ended at %g: %q", r.Storage.Epsilon, log.lines)
	}
}

// The criterion is chosen by symmetry; a requested one stays.
func TestStorageDefaults(t *testing.T) {
	for _, c := range []struct {
		in                  Storage
		symmetric, noRefine bool
		set                 string
		criterion           adaptive.Criterion
	}{
		{Storage{}, true, false, "AFX", adaptive.NW},
		{Storage{}, false, false, "AFX", adaptive.CW},
		{Storage{}, false, true, "FP64", adaptive.CW},
		{Storage{Set: lookup("AP7"), Criterion: adaptive.CW}, true, true, "AP7", adaptive.CW},
	} {
		got := c.in.withDefaults(c.symmetric, c.noRefine)
		if got.Set.Name != c.set || got.Criterion != c.criterion || got.Epsilon != DefaultEpsilon {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// The way through the precisions.
func TestNextStorage(t *testing.T) {
	at := func(eps float64) Storage { return Storage{Set: lookup("AFX"), Epsilon: eps, Criterion: adaptive.NW} }
	for _, c := range []struct {
		from   Storage
		reason krylov.Reason
		want   string
	}{
		{at(0x1p-10), krylov.Slow, "AFX at epsilon 2^-24, nw"},
		{at(0x1p-24), krylov.Slow, "AFX at epsilon 2^-37, nw"},
		{at(1e-9), krylov.Indefinite, "AFX at epsilon 2^-37, nw"},
		{at(0x1p-37), krylov.Slow, "AFX at epsilon 2^-53, nw"},
		{at(0x1p-53), krylov.Slow, "FP64"},
		{at(0x1p-24), krylov.Stagnation, "FP64"},
		{Storage{Set: lookup("FP32"), Epsilon: 0x1p-24}, krylov.Slow, "FP64"},
	} {
		if got := c.from.next(c.reason).String(); got != c.want {
			t.Errorf("%v after %v: %s, want %s", c.from, c.reason, got, c.want)
		}
	}
}

// A format without the range of the matrix is an error.
func TestStorageRange(t *testing.T) {
	m := dense([]float64{1, 1e-5}, []float64{0, 1})
	if _, err := New(t.Context(), m, Options{Storage: Storage{Set: lookup("RPRE16")}, Scale: ScaleNone}); err == nil {
		t.Error("a format without the range is no error")
	}
}
