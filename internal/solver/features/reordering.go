package features

import (
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Lines returns the number of distinct cache lines of x that a panel of rows reads, per nonzero, over evenly sampled panels. It is for
// m in its order or, with p and its inverse q, for P A P^T. Near 1, nearly every nonzero reads a line of its own; grids in their
// natural order have less than 0.1.
func Lines(m *csr.Matrix, p, q csr.Permutation) float64 {
	panels := (m.Rows + rules.PanelRows - 1) / rules.PanelRows
	samples := min(panels, rules.SampledPanels)
	seen := make([]int32, m.Cols/rules.LineElements+1) // the last sample that read it, from 1
	count, nnz := 0, 0
	for s := range samples {
		lo := s * panels / samples * rules.PanelRows
		for i := lo; i < min(lo+rules.PanelRows, m.Rows); i++ {
			row := i
			if p != nil {
				row = int(p[i])
			}
			cols, _ := m.Row(row)
			nnz += len(cols)
			for _, j := range cols {
				if q != nil {
					j = q[j]
				}
				if at := &seen[j/rules.LineElements]; *at != int32(s+1) {
					*at = int32(s + 1)
					count++
				}
			}
		}
	}
	return float64(count) / float64(max(nnz, 1))
}

// FewestLines returns about the least possible value of Lines: panels read no lines but those of their diagonal elements.
func FewestLines(m *csr.Matrix) float64 {
	return float64(m.Rows) / rules.LineElements / float64(max(m.NNZ(), 1))
}

// ReorderingPays reports whether reordering pays that changes Lines from before to after: the matrix has many rows, after is small
// enough beside before, and
//
//	500 products x time of the lines saved > time of reordering,
//
// where each nonzero saves LineTime (before - after) in a product and costs OrderTime + OrderLineTime before in reordering. The
// number of nonzeros cancels.
func ReorderingPays(m *csr.Matrix, before, after float64) bool {
	saved := rules.ReorderProducts * rules.LineTime * (before - after)
	return m.Rows > rules.ReorderRows && after < rules.ReorderBelow*before && saved > rules.OrderTime+rules.OrderLineTime*before
}

// envelope returns the bandwidth max |i - j| of the entries and the profile, the sum over the rows of the distance from the first entry to
// the diagonal where it is before that.
func envelope(m *csr.Matrix) (e Envelope) {
	for i := range m.Rows {
		cols, _ := m.Row(i)
		if len(cols) == 0 {
			continue
		}
		below, above := i-int(cols[0]), int(cols[len(cols)-1])-i
		e.Bandwidth = max(e.Bandwidth, below, above)
		e.Profile += int64(max(below, 0))
	}
	return e
}

// Reordered returns m in the order that r asks for, computed on the threads of pool. It returns m itself if the order stays. Only a
// square matrix can be reordered.
func Reordered(r solve.Reorder, m *csr.Matrix, pool *parallel.Pool) (ordered *csr.Matrix, o Ordering, err error) {
	if o, err = FindOrder(r, m, pool); err != nil {
		return nil, o, err
	}
	return o.Apply(m, pool), o, nil
}

// FindOrder returns the order that r asks for, see Reordered, which is yet to be applied.
func FindOrder(r solve.Reorder, m *csr.Matrix, pool *parallel.Pool) (o Ordering, err error) {
	o = Ordering{Order: solve.ReorderNone, Before: envelope(m)}
	o.After = o.Before
	if r == solve.ReorderNone || r == "" || m.Rows != m.Cols && r == rules.ReorderNodes {
		return o, nil
	}
	if m.Rows != m.Cols {
		return o, rules.Invalid("the matrix is %d x %d; only square ones can be reordered", m.Rows, m.Cols)
	}
	start := time.Now()
	defer func() { o.Elapsed = time.Since(start) }()
	if r != solve.ReorderRCM {
		if size, p := NodeOrder(m, pool); p != nil {
			o.Order, o.NodeSize, o.Permutation = rules.ReorderNodes, size, p
			return o, nil
		}
		if r == rules.ReorderNodes {
			return o, nil
		}
	}
	auto := r == solve.ReorderAuto
	var before float64
	if auto {
		if before = Lines(m, nil, nil); !ReorderingPays(m, before, FewestLines(m)) {
			o.Why = fmt.Sprintf("the given order is fast enough, with %.2f cache lines of x per nonzero", before)
			return o, nil
		}
	}
	p, err := csr.RCM(context.Background(), m)
	if err != nil {
		return o, err
	}
	if auto {
		if after := Lines(m, p, p.Inverse()); !ReorderingPays(m, before, after) {
			o.Why = fmt.Sprintf("rcm saves too little: %.2f cache lines of x per nonzero become %.2f", before, after)
			return o, nil
		}
	}
	o.Order, o.Permutation = solve.ReorderRCM, p
	return o, nil
}

// Apply returns m in this order: m itself if that is the order given.
func (o *Ordering) Apply(m *csr.Matrix, pool *parallel.Pool) *csr.Matrix {
	if o.Permutation == nil {
		return m
	}
	start := time.Now()
	ordered := m.Permuted(o.Permutation, o.Permutation.Inverse(), pool)
	o.After = envelope(ordered)
	o.Elapsed += time.Since(start)
	return ordered
}

// An Ordering is the order that was chosen for the rows and columns. The zero value is the order given.
type Ordering struct {
	Order         solve.Reorder // none, rcm or nodes
	NodeSize      int           // unknowns of a node, if it is nodes
	Before, After Envelope
	Elapsed       time.Duration // of choosing, computing and applying it

	Why         string          // why the order is ReorderNone after all
	Permutation csr.Permutation // nil: the order given
}

// An Envelope says how far the entries are from the diagonal, see csr.Matrix.Envelope.
type Envelope struct {
	Bandwidth int
	Profile   int64
}

// Line describes the ordering in one line.
func (o Ordering) Line() string {
	if o.Order == solve.ReorderNone {
		return fmt.Sprintf("reorder none: %s; %.3f s", o.Why, o.Elapsed.Seconds())
	}
	if o.Order == rules.ReorderNodes {
		return fmt.Sprintf("reorder nodes: the %d unknowns of a node, which have the same neighbours, are numbered side by side; %.3f s", o.NodeSize, o.Elapsed.Seconds())
	}
	return fmt.Sprintf("reorder %s: bandwidth %d -> %d, profile %d -> %d, %.3f s", o.Order,
		o.Before.Bandwidth, o.After.Bandwidth, o.Before.Profile, o.After.Profile, o.Elapsed.Seconds())
}

// InputError turns the error about a matrix in this order into a solve.InputError, with a note if rows are not in the order given.
func (o Ordering) InputError(err error) *solve.InputError {
	if o.Permutation != nil {
		return &solve.InputError{Msg: err.Error() + " (rows in the order " + string(o.Order) + ")"}
	}
	return &solve.InputError{Msg: err.Error()}
}

// Forth returns a vector, given in the original order, in this order. It returns the vector itself if the orders are equal.
func (o Ordering) Forth(given []float64) []float64 {
	if o.Permutation == nil {
		return given
	}
	v := make([]float64, len(given))
	for k, i := range o.Permutation {
		v[k] = given[i]
	}
	return v
}

// Back is the inverse of Forth.
func (o Ordering) Back(v []float64) []float64 {
	if o.Permutation == nil {
		return v
	}
	given := make([]float64, len(v))
	for k, i := range o.Permutation {
		given[i] = v[k]
	}
	return given
}
