package precond

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Defaults of Options for ILUT and ICT: generous, so that small hard matrices
// take few iterations.
const (
	DefaultDropTol = 1e-5
	DefaultFill    = 10
)

// threshold is the dual rule of [Saad94]: entries below drop times the norm of
// their row of A are left out, and then the smallest until the factors have at
// most perRow entries a row so far. What earlier rows leave, later ones may use.
type threshold struct {
	drop   float64
	perRow float64
	used   float64 // entries kept in the rows so far
	keys   []uint64
}

func (s *setup) threshold(m *csr.Matrix) threshold {
	return threshold{drop: s.DropTol, perRow: s.Fill * float64(m.NNZ()) / float64(m.Rows)}
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
	if most := max(int(min(t.perRow*float64(i+1)-t.used, math.MaxInt32)), 0); len(kept) > most {
		t.largest(kept, most, vals)
		kept = kept[:most]
	}
	t.used += float64(len(kept))
	slices.Sort(kept)
	return kept
}

// largest brings the columns of the most largest values to the front, of equal
// ones those of higher columns, by Hoare's selection.
func (t *threshold) largest(cols []int32, most int, vals []float64) {
	a := t.keys[:0]
	for _, j := range cols {
		a = append(a, uint64(math.Float32bits(float32(math.Abs(vals[j]))))<<32|uint64(j))
	}
	t.keys = a
	for lo, hi := 0, len(a)-1; lo < hi; {
		pivot, i, j := a[lo+(hi-lo)/2], lo, hi
		for i <= j {
			for a[i] > pivot {
				i++
			}
			for a[j] < pivot {
				j--
			}
			if i <= j {
				a[i], a[j] = a[j], a[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case most-1 <= j:
			hi = j
		case most-1 >= i:
			lo = i
		default:
			lo = hi
		}
	}
	for k, key := range a {
		cols[k] = int32(uint32(key))
	}
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
