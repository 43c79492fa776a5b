package solve

import (
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Reorder is the order in which the rows and columns of the matrix are stored.
type Reorder string

// The orders. ReorderAuto takes reverse Cuthill-McKee where a model of the
// products says that it pays.
const (
	ReorderNone Reorder = "none" // as given
	ReorderRCM  Reorder = "rcm"  // reverse Cuthill-McKee, see csr.RCM
	ReorderAuto Reorder = "auto"
)

// Reorders lists all orders.
var Reorders = []Reorder{ReorderNone, ReorderRCM, ReorderAuto}

// Ordering is the order that was chosen. The zero value is that of a matrix as
// given.
type Ordering struct {
	Order         Reorder // ReorderNone or ReorderRCM
	Before, After Envelope
	Elapsed       time.Duration // of choosing, computing and applying it

	why         string          // if it is ReorderNone after all
	permutation csr.Permutation // nil: as given
}

// Envelope is how far the entries are from the diagonal, see
// csr.Matrix.Envelope.
type Envelope struct {
	Bandwidth int
	Profile   int64
}

func envelope(m *csr.Matrix) Envelope {
	bandwidth, profile := m.Envelope()
	return Envelope{bandwidth, profile}
}

// Apply returns m in the order that r asks for, which is m itself if it stays as
// it is, on the threads of pool. Only a square matrix can be reordered.
func (r Reorder) Apply(m *csr.Matrix, pool *parallel.Pool) (ordered *csr.Matrix, o Ordering, err error) {
	o = Ordering{Order: ReorderNone, Before: envelope(m)}
	o.After = o.Before
	if r == ReorderNone || r == "" {
		return m, o, nil
	}
	if m.Rows != m.Cols {
		return nil, o, invalid("the matrix is %d x %d; only square ones can be reordered", m.Rows, m.Cols)
	}
	start := time.Now()
	defer func() { o.Elapsed = time.Since(start) }()
	auto := r == ReorderAuto
	var before float64
	if auto {
		if before = lines(m, nil, nil); !reorderingPays(m, before, fewestLines(m)) {
			o.why = fmt.Sprintf("the given order is fast enough, with %.2f cache lines of x per nonzero", before)
			return m, o, nil
		}
	}
	p, err := csr.RCM(m)
	if err != nil {
		return nil, o, err
	}
	q := p.Inverse()
	if auto {
		if after := lines(m, p, q); !reorderingPays(m, before, after) {
			o.why = fmt.Sprintf("rcm saves too little: %.2f cache lines of x per nonzero become %.2f", before, after)
			return m, o, nil
		}
	}
	ordered = m.Permuted(p, q, pool)
	o.Order, o.After, o.permutation = ReorderRCM, envelope(ordered), p
	return ordered, o, nil
}

// Line describes what was done.
func (o Ordering) Line() string {
	if o.Order == ReorderNone {
		return fmt.Sprintf("reorder none: %s; %.3f s", o.why, o.Elapsed.Seconds())
	}
	return fmt.Sprintf("reorder %s: bandwidth %d -> %d, profile %d -> %d, %.3f s", o.Order,
		o.Before.Bandwidth, o.After.Bandwidth, o.Before.Profile, o.After.Profile, o.Elapsed.Seconds())
}

// InputError turns the error of a matrix in this order into an InputError, with a note
// if the rows that it names are not those given.
func (o Ordering) InputError(err error) *InputError {
	if o.permutation != nil {
		return &InputError{err.Error() + " (rows in the order " + string(o.Order) + ")"}
	}
	return &InputError{err.Error()}
}

// forth returns a vector in this order, itself if the order is that given.
func (o Ordering) forth(given []float64) []float64 {
	if o.permutation == nil {
		return given
	}
	v := make([]float64, len(given))
	o.permutation.Apply(v, given)
	return v
}

// back takes back forth.
func (o Ordering) back(v []float64) []float64 {
	if o.permutation == nil {
		return v
	}
	given := make([]float64, len(v))
	o.permutation.Undo(given, v)
	return given
}

// The model of ReorderAuto, with times measured on matrices of 0.5 to 12 million
// nonzeros with two threads. They do not depend on the threads in use, so that
// results do not either.
const (
	reorderProducts = 500     // that a solve takes
	reorderBelow    = 0.7     // of the lines may be left
	reorderRows     = 1 << 16 // up to there 16-bit columns reach all, and x is in the cache
	lineTime        = 1.0     // ns of a product for a line
	orderTime       = 40.0    // ns of reordering for a nonzero
	orderLineTime   = 150.0   // ns of reordering for a line, since it goes from row to row as well
)

// reorderingPays tells whether a matrix should be reordered for which that
// changes the cache lines of x a nonzero, see lines, from before to after: if it
// has many rows, loses enough lines, and
//
//	500 products x time of the lines saved > time of reordering,
//
// where a nonzero takes lineTime (before - after) of a product and
// orderTime + orderLineTime before of reordering. The number of nonzeros cancels.
func reorderingPays(m *csr.Matrix, before, after float64) bool {
	saved := reorderProducts * lineTime * (before - after)
	return m.Rows > reorderRows && after < reorderBelow*before && saved > orderTime+orderLineTime*before
}

const (
	panelRows     = 1024 // rows whose products find the lines of x that they share in the cache
	sampledPanels = 64
	lineElements  = 8 // of x in a cache line of 64 bytes
)

// fewestLines is about the least that lines can become: as many lines as panels
// of rows without holes have diagonal elements.
func fewestLines(m *csr.Matrix) float64 {
	return float64(m.Rows) / lineElements / float64(max(m.NNZ(), 1))
}

// lines counts the distinct cache lines of x that a panel of rows reads, as a
// share of its nonzeros, over panels sampled evenly: of m as it is or, with p and
// its inverse q, of P A P^T. Near 1 every element of x comes from afar; grids in
// their natural order have less than 0.1.
func lines(m *csr.Matrix, p, q csr.Permutation) float64 {
	panels := (m.Rows + panelRows - 1) / panelRows
	samples := min(panels, sampledPanels)
	seen := make([]int32, m.Cols/lineElements+1) // the last sample that read it, from 1
	count, nnz := 0, 0
	for s := range samples {
		lo := s * panels / samples * panelRows
		for i := lo; i < min(lo+panelRows, m.Rows); i++ {
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
				if at := &seen[j/lineElements]; *at != int32(s+1) {
					*at = int32(s + 1)
					count++
				}
			}
		}
	}
	return float64(count) / float64(max(nnz, 1))
}
