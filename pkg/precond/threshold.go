package precond

import (
	"cmp"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Defaults of Options for ILUT and ICT: generous, so that small hard matrices
// take few iterations.
const (
	DefaultDropTol = 1e-4
	DefaultFill    = 10
)

// threshold is the dual rule of [Saad94]: entries below drop times the norm of
// their row of A are left out, and then the smallest until the factors have at
// most perRow entries a row so far. What earlier rows leave, later ones may use.
type threshold struct {
	drop   float64
	perRow float64
	used   float64 // entries kept in the rows so far
}

func (o Options) threshold(m *csr.Matrix) threshold {
	return threshold{drop: o.DropTol, perRow: o.Fill * float64(m.NNZ()) / float64(m.Rows)}
}

func (t *threshold) fills() bool { return true }

func (t *threshold) keep(i int, norm float64, cols []int32, vals []float64) []int32 {
	if i == 0 {
		t.used = 0
	}
	least, kept := t.drop*norm, cols[:0]
	for _, j := range cols {
		if !(math.Abs(vals[j]) <= least) {
			kept = append(kept, j)
		}
	}
	if most := int(math.Min(t.perRow*float64(i+1)-t.used, math.MaxInt32)); len(kept) > most {
		slices.SortFunc(kept, func(j, k int32) int {
			if c := cmp.Compare(math.Abs(vals[k]), math.Abs(vals[j])); c != 0 {
				return c
			}
			return cmp.Compare(j, k)
		})
		kept = kept[:max(most, 0)]
	}
	t.used += float64(len(kept))
	slices.Sort(kept)
	return kept
}

// bandOrder orders a matrix by reverse Cuthill-McKee, in which incomplete factors
// fill less.
func bandOrder(m *csr.Matrix, pool *linop.Pool) (*csr.Matrix, placement, error) {
	p, err := csr.RCM(m)
	if err != nil {
		return nil, placement{}, err
	}
	return m.Permuted(p, p.Inverse(), pool), placement{row: p, col: p}, nil
}
