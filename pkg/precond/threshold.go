package precond

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Defaults of Options for ILUT and ICT: generous, so that small hard matrices
// take few iterations.
const (
	DefaultDropTol = 1e-5
	DefaultFill    = 10
)

// A selection says which entries the factors keep. The zero value is the pattern of A; one
// that fills is the dual rule of [Saad94]: entries below drop times the norm of
// their row of A are dropped, and then the smallest until the factors have at
// most perRow entries a row so far. What earlier rows leave, later ones may use.
type selection struct {
	fills  bool // entries may appear where A has none
	drop   float64
	perRow float64
	used   float64 // entries kept in the rows so far
	keys   []uint64
}

// threshold returns the selection of the options for factors of m.
func (s *setup) threshold(m *csr.Matrix) selection {
	return selection{fills: true, drop: s.DropTol, perRow: s.Fill * float64(m.NNZ()) / float64(m.Rows)}
}

// drops reports whether v is too small in a row of that norm.
func (t *selection) drops(v, norm float64) bool { return t.fills && math.Abs(v) <= t.drop*norm }

// keep returns, in order, the columns of row i that are kept: cols are those of the
// factors, in order unless entries were filled in, vals their values by column, norm is that
// of row i of A.
func (t *selection) keep(i int, norm float64, cols []int32, vals []float64) []int32 {
	if !t.fills {
		return cols
	}
	kept := cols[:0]
	for _, j := range cols {
		if !t.drops(vals[j], norm) {
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
func (t *selection) largest(cols []int32, most int, vals []float64) {
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

// nearlyComplete is the drop tolerance up to which the factors are nearly complete, so that
// what counts is how much these fill.
const nearlyComplete = 1e-7

// ordered puts a matrix into the order of Incomplete.order: reverse Cuthill-McKee, in which
// incomplete factors fill less and are closer to the complete ones, or minimum degree, in
// which complete ones fill least.
func (s *setup) ordered(m *csr.Matrix) (*csr.Matrix, placement, error) {
	kind := s.order
	switch {
	case kind == orderAuto && s.DropTol <= nearlyComplete:
		kind = orderAMD
	case kind == orderAuto:
		kind = orderRCM
	case kind != orderAMD && kind != orderRCM:
		return nil, placement{}, fmt.Errorf("unknown order %q", s.order)
	}
	p, err := s.Kept.order(m, kind, func() (csr.Permutation, error) {
		if kind == orderRCM {
			return csr.RCM(s.ctx, m)
		}
		e, err := csr.AMD(s.ctx, m)
		return e.Order, err
	})
	if err != nil {
		return nil, placement{}, ErrInterrupted
	}
	return m.Permuted(p, p.Inverse(), s.pool), placement{row: p, col: p}, nil
}
