package solve

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dist"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Ranks with a device each solve what one rank solves with as many domains, to the same bits, whatever the method and the storage.
func TestDeviceRanks(t *testing.T) {
	if d, err := gpu.Open(gpu.Emulate, 0); err != nil {
		t.Skip(err)
	} else {
		d.Close()
	}
	spd, flow := grid(16, 0, 0), grid(16, 0.3, 0)
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		opt  Options
	}{
		{"cg", rescaled(spd, uneven(2), uneven(2)), Options{}},
		{"gmres, 2^-24", flow, Options{Storage: storageOf("AFX", 0x1p-24)}},
		{"bicgstab, FP64", flow, Options{Method: BiCGStab, Storage: storageOf("FP64", 0)}},
		{"minres, AP7RE", spd, Options{Method: MINRES, Storage: storageOf("AP7RE", 0x1p-24)}},
		{"componentwise", rescaled(spd, uneven(1), uneven(1)), Options{Stop: StopCW, Scale: ScaleNone}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := rhs(c.m, 1)
			var first []float64
			for _, ranks := range []int{1, 3} {
				x, all := solveWith(t, ranks, 5, c.m, b, func(*dist.Matrix) Options {
					opt := c.opt
					d, err := gpu.Open(gpu.Emulate, 0)
					if err != nil {
						t.Error(err)
					}
					before := bytesOn(d)
					t.Cleanup(func() {
						if err := d.Err(); err != nil || bytesOn(d) != before {
							t.Errorf("%d bytes were not released, error %v", bytesOn(d)-before, err)
						}
						d.Close()
					})
					opt.Device = d
					return opt
				})
				for _, r := range all {
					if r.err != nil || r.result.Reason != krylov.Converged {
						t.Fatalf("%d ranks: %v, %v, %s", ranks, r.result.Reason, r.err, r.result.Advice)
					}
				}
				if e, err := verify.Compute(c.m, x, b, nil); err != nil || !(e.Row <= 1e-10) && c.opt.Stop == "" {
					t.Errorf("%d ranks: errors %+v, %v", ranks, e, err)
				}
				if first == nil {
					first = x
				}
				if !slices.Equal(x, first) {
					t.Errorf("%d ranks: other bits than one rank", ranks)
				}
			}
		})
	}
}

// What devices of several domains do not have is said before anything is set up.
func TestDeviceRanksOptions(t *testing.T) {
	for _, opt := range []Options{
		{Precond: Precond{Kind: precond.BlockJacobi}}, {Basis: linop.BasisFP32}, {HaloEpsilon: 0x1p-37},
	} {
		opt.Device = new(gpu.Device)
		if err := opt.OverDomains(); err == nil {
			t.Errorf("%+v is no error", opt)
		}
		opt.Device = nil
		if err := opt.OverDomains(); err != nil {
			t.Errorf("on the host: %v", err)
		}
	}
}

// A device of one rank that fails ends the solve of all, with its error (Concurrent).
func TestDeviceRankFailsConcurrent(t *testing.T) {
	m := grid(16, 0.3, 0)
	if d, err := gpu.Open(gpu.Emulate, 0); err != nil {
		t.Skip(err)
	} else {
		d.Close()
	}
	_, all := solveWith(t, 2, 4, m, rhs(m, 1), func(a *dist.Matrix) Options {
		d, err := gpu.Open(gpu.Emulate, 0)
		if err != nil {
			t.Error(err)
		}
		t.Cleanup(d.Close)
		if a.Comm.Rank() == 1 {
			gpu.NewSpace(d, 1<<57).New() // more memory than there is
		}
		return Options{Device: d}
	})
	for rank, r := range all {
		if r.err == nil {
			t.Errorf("rank %d: %v", rank, r.result.Reason)
		}
	}
}
