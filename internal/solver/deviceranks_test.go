package solver

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
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
		opt  solve.Options
	}{
		{"cg", rescaled(spd, uneven(2), uneven(2)), solve.Options{}},
		{"gmres, 2^-24", flow, solve.Options{Storage: storageOf("AFX", 0x1p-24)}},
		{"bicgstab, FP64", flow, solve.Options{Method: solve.BiCGStab, Storage: storageOf("FP64", 0)}},
		{"minres, AP7RE", spd, solve.Options{Method: solve.MINRES, Storage: storageOf("AP7RE", 0x1p-24)}},
		{"componentwise", rescaled(spd, uneven(1), uneven(1)), solve.Options{Accuracy: solve.Accuracy{Stop: solve.StopCW}, Scale: solve.ScaleNone}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := rhs(c.m, 1)
			var first []float64
			for _, ranks := range []int{1, 3} {
				x, all := solveWith(t, ranks, 5, c.m, b, func(*dist.Matrix) solve.Options {
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
					if r.Fault != nil || r.result.Reason != krylov.Converged {
						t.Fatalf("%d ranks: %v, %v, %s", ranks, r.result.Reason, r.Fault, r.result.Advice)
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
	for _, opt := range []solve.Options{
		{Precond: solve.Precond{Kind: precond.BlockJacobi}}, {Krylov: solve.Krylov{Basis: linop.BasisFP32}}, {Placement: solve.Placement{HaloEpsilon: 0x1p-37}},
	} {
		opt.Device = new(gpu.Device)
		if err := options.OverDomains(opt); err == nil {
			t.Errorf("%+v is no error", opt)
		}
		opt.Device = nil
		if err := options.OverDomains(opt); err != nil {
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
	_, all := solveWith(t, 2, 4, m, rhs(m, 1), func(a *dist.Matrix) solve.Options {
		d, err := gpu.Open(gpu.Emulate, 0)
		if err != nil {
			t.Error(err)
		}
		t.Cleanup(d.Close)
		if a.Comm.Rank() == 1 {
			gpu.NewSpace(d, 1<<57).New() // more memory than there is
		}
		return solve.Options{Placement: solve.Placement{Device: d}}
	})
	for rank, r := range all {
		if r.Fault == nil {
			t.Errorf("rank %d: %v", rank, r.result.Reason)
		}
	}
}
