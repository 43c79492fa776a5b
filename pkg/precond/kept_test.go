package precond

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
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
