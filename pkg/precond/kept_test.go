package precond

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// What is kept of a pattern changes no bit of an application, but for multigrid, whose transfers are those of the first values; of another
// pattern nothing is taken over.
func TestKept(t *testing.T) {
	first := laplace(t, 24)
	second, other := first.Clone(), laplace(t, 23)
	for i := range second.Rows {
		cols, vals := second.Row(i)
		for k, j := range cols {
			if int(j) == i {
				vals[k] *= 1 + float64(i%7)/4
			}
		}
	}
	applied := func(k Kind, m *csr.Matrix, kept *Kept) vector {
		p := mustNew(t, k, m, Options{Symmetric: true, Kept: kept}, nil)
		x := make(vector, m.Rows)
		p.Apply(x, random(m.Rows, 1))
		return x
	}
	for _, kind := range []Kind{LU, Cholesky, LDL, ILUT, ICT, AMG} {
		kept := new(Kept)
		for step, m := range []*csr.Matrix{first, first, second, other} {
			if kind == AMG && m == other { // the caller drops the transfers: they are of one pattern
				kept.DropTransfers()
			}
			same := slices.Equal(applied(kind, m, kept), applied(kind, m, nil))
			if same == (kind == AMG && m == second) {
				t.Errorf("%s, step %d: the bits are those without Kept: %v", kind, step, same)
			}
		}
		if orders, trees, transfers := len(kept.orders), len(kept.trees), len(kept.transfers); max(orders, trees) > 2 || orders+trees+transfers == 0 {
			t.Errorf("%s: %d orders, %d trees and %d transfers are kept of two patterns", kind, orders, trees, transfers)
		}
		if (kept.Bytes() > 0) != (kind == AMG) {
			t.Errorf("%s: %d bytes", kind, kept.Bytes())
		}
	}
}

// Multigrid from kept transfers has the bits of the first set-up for the same values, where nodes have several unknowns and where coarsening is
// classical as well. Other values change it.
func TestKeptLevels(t *testing.T) {
	pool := newPool(t, 2)
	for name, m := range map[string]*csr.Matrix{
		"elasticity": generated(t, "elasticity3d", generate.Params{"n": 12}), "layers": generated(t, "darcy3d", generate.Params{"n": 16}),
	} {
		for _, coarsening := range []string{coarseningAggregation, coarseningClassical} {
			if name == "elasticity" && coarsening == coarseningClassical {
				continue
			}
			opt := Options{Symmetric: true, Kept: new(Kept), Multigrid: MultigridOptions{Coarsening: coarsening}}
			applied := func(m *csr.Matrix) vector {
				x := make(vector, m.Rows)
				mustNew(t, AMG, m, opt, pool).Apply(x, random(m.Rows, 1))
				return x
			}
			first := applied(m)
			if again := applied(m); !slices.Equal(first, again) {
				t.Errorf("%s, %s: other bits when set up again", name, coarsening)
			}
			other := m.Clone()
			for k := range other.Val {
				other.Val[k] *= 3
			}
			bytes := opt.Kept.Bytes()
			scaled := applied(other)
			for i, v := range first {
				if math.Abs(3*scaled[i]-v) > 1e-3*math.Abs(v)+1e-6 {
					t.Fatalf("%s, %s: element %d of 3 A has %g, that of A %g", name, coarsening, i, scaled[i], v)
				}
			}
			if now := opt.Kept.Bytes(); now != bytes {
				t.Errorf("%s, %s: %d bytes are kept, and then %d", name, coarsening, bytes, now)
			}
		}
	}
}

// A set-up that fails between two levels leaves transfers that the next one drops.
func TestKeptFailed(t *testing.T) {
	m := generated(t, "poisson3d", generate.Params{"n": 16})
	opt := Options{Symmetric: true, Kept: new(Kept)}
	opt.MaxWork = 1
	if _, err := New(t.Context(), AMG, m, opt, nil); !errors.Is(err, ErrWork) || opt.Kept.Bytes() == 0 {
		t.Fatalf("%v, %d bytes", err, opt.Kept.Bytes())
	}
	opt.MaxWork = 0
	want, got := make(vector, m.Rows), make(vector, m.Rows)
	mustNew(t, AMG, m, Options{Symmetric: true}, nil).Apply(want, random(m.Rows, 1))
	for range 2 {
		if mustNew(t, AMG, m, opt, nil).Apply(got, random(m.Rows, 1)); !slices.Equal(got, want) {
			t.Error("other bits after a set-up that failed")
		}
	}
}

// Refused factors have been ordered, which counts what they take; with a larger limit they are made in that order, with the same bits as otherwise.
func TestKeptRefused(t *testing.T) {
	m := generated(t, "elasticity3d", generate.Params{"n": 14})
	for _, kind := range []Kind{LU, Cholesky, LDL} {
		opt := Options{Symmetric: true, Kept: new(Kept)}
		free, err := ForecastComplete(t.Context(), kind, m, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		need := free.Multiplications / float64(m.NNZ())
		want := make(vector, m.Rows)
		opt.Kept = nil
		mustNew(t, kind, m, opt, nil).Apply(want, random(m.Rows, 1))
		opt.Kept = new(Kept)
		for _, share := range []float64{1e-3, 0.01, 0.999} {
			opt.MaxWork = share * need
			_, err := New(t.Context(), kind, m, opt, nil)
			var excess *order.Excess
			if !errors.Is(err, ErrWork) || !errors.As(err, &excess) {
				t.Fatalf("%s: %v", kind, err)
			}
			if excess.Limit != opt.MaxWork || excess.Work > need || excess.Work <= opt.MaxWork || excess.AtLeast != (share < 0.1) || !excess.AtLeast && excess.Work != need {
				t.Errorf("%s: %+v, want %g", kind, excess, need)
			}
		}
		opt.MaxWork = need
		got := make(vector, m.Rows)
		mustNew(t, kind, m, opt, nil).Apply(got, random(m.Rows, 1))
		if !slices.Equal(got, want) {
			t.Errorf("%s: other bits after a refusal", kind)
		}
		if len(opt.Kept.orders) != 2 || opt.Kept.orders[1].kind != orderCuts {
			t.Fatalf("%s: %d orders are kept", kind, len(opt.Kept.orders))
		}
		opt.MaxWork, opt.Kept.orders[1].e = 0, opt.Kept.orders[0].e
		if p := mustNew(t, kind, m, opt, nil); len(opt.Kept.orders) != 2 || !strings.Contains(p.String(), "AMD") {
			t.Errorf("%s: %v, though the order that is kept is another", kind, p)
		}
	}
}
