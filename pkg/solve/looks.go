package solve

import (
	"context"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// A sight is a matrix as the rules of choice see it: all of it, or spread over ranks. It has the same answers either way, but for the
// rounding of sums. The methods of one that is spread are collective.
type sight interface {
	size() (n, nnz int)
	nodes() int                         // unknowns of one, see precond.BlockSize
	mostRows(such rowTest) bool         // whether most rows, of a sample, are such
	direction() float64                 // share of what couples unknowns that has a direction, see couplings
	sums() rowSums                      // of a sample of the rows
	shape() graphShape                  // of the neighbourhoods of some rows
	width(context.Context) (int, error) // see csr.LevelWidth
}

// sight is that of the matrix in the order chosen.
func (s *Solver) sight() sight {
	if s.job != nil {
		return spreadSight{s.job.Matrix, s.pool}
	}
	return whole{s.m}
}

// rows is the number of rows of the matrix, on all ranks.
func (s *Solver) rows() int {
	n, _ := s.sight().size()
	return n
}

// nonzeros is that of its nonzeros.
func (s *Solver) nonzeros() int {
	_, nnz := s.sight().size()
	return nnz
}

// whole is the sight of a matrix that is all here.
type whole struct{ *csr.Matrix }

func (m whole) size() (n, nnz int) { return m.Rows, m.NNZ() }
func (m whole) nodes() int         { return precond.BlockSize(m.Matrix) }

func (m whole) width(ctx context.Context) (int, error) { return csr.LevelWidth(ctx, m.Matrix) }

const (
	sampledRows = 10000
	mostly      = 0.9  // share of the rows
	dominance   = 1.01 // sum of a row's other magnitudes, relative to its diagonal
)

// stride is the distance of rows in a sample of those of a matrix.
func stride(rows int) int { return rows/sampledRows + 1 }

// couplings are sums over the elements of a sample of the rows of what couples unknowns, sum (|a_ij| + |a_ji|), and of what of it has a direction,
// sum |a_ij - a_ji|. In upwind differences of cell Peclet number p its share is p / (p + 2).
type couplings struct{ apart, sum float64 }

// add adds row i, with the a_ji of each of its elements.
func (c *couplings) add(i int, cols []int32, vals []float64, transposed func(k int) float64) {
	for k, j := range cols {
		if int(j) != i {
			v, w := vals[k], transposed(k)
			c.apart += math.Abs(v - w)
			c.sum += math.Abs(v) + math.Abs(w)
		}
	}
}

func (c *couplings) share() float64 { return c.apart / max(c.sum, math.SmallestNonzeroFloat64) }

func (m whole) direction() float64 {
	var c couplings
	for i := 0; i < m.Rows; i += stride(m.Rows) {
		cols, vals := m.Row(i)
		c.add(i, cols, vals, func(k int) float64 { return m.At(int(cols[k]), i) })
	}
	return c.share()
}

// A rowTest looks at the diagonal of a row, the sum of the other magnitudes, and whether these elements are all of the
// opposite sign.
type rowTest func(d, sum float64, opposite bool) bool

// likeMMatrix reports whether a row is one of a diagonally dominant M-matrix:
// off-diagonal elements of the other sign than the diagonal, whose magnitudes add up to hardly
// more than that. Multigrid suits matrices of such rows, symmetric or not.
func likeMMatrix(d, sum float64, opposite bool) bool { return opposite && dominant(d, sum, opposite) }

// dominant reports whether the diagonal of a row is hardly less than the sum of the others.
func dominant(d, sum float64, _ bool) bool { return d != 0 && sum <= dominance*max(d, -d) }

// tested counts rows and those of them that are such.
type tested struct{ rows, good int }

func (t *tested) add(m *csr.Matrix, i int, such rowTest) {
	cols, vals := m.Row(i)
	d, sum, opposite := m.At(i, i), 0.0, true
	for k, j := range cols {
		if v := vals[k]; int(j) != i {
			sum += max(v, -v)
			opposite = opposite && v*d <= 0
		}
	}
	t.rows++
	if such(d, sum, opposite) {
		t.good++
	}
}

func (t *tested) most() bool { return float64(t.good) >= mostly*float64(t.rows) }

func (m whole) mostRows(such rowTest) bool {
	var t tested
	for i := 0; i < m.Rows; i += stride(m.Rows) {
		t.add(m.Matrix, i, such)
	}
	return t.most()
}

// summed is what a sample of rows adds up to, for rowSums: counts, and the sum of relativeSum.
type summed struct {
	rows, loaded, neighbours, alike int
	sum                             float64
}

// add adds row i, with relativeSum of each row.
func (t *summed) add(m *csr.Matrix, i int, relative func(j int) float64) {
	t.rows++
	sum := relative(i)
	if t.sum += sum; sum <= leastSum {
		return
	}
	t.loaded++
	cols, _ := m.Row(i)
	for _, j := range cols {
		if int(j) != i {
			if t.neighbours++; relative(int(j)) > leastSum {
				t.alike++
			}
		}
	}
}

func (t *summed) rowSums() (sums rowSums) {
	sums.mean = t.sum / float64(t.rows)
	sums.share = float64(t.loaded) / float64(t.rows)
	sums.surface = t.loaded > 0 && sums.share <= surfaceShare &&
		float64(t.alike) >= max(surfaceNeighbours, surfaceDenser*sums.share)*float64(t.neighbours)
	return sums
}

func (m whole) sums() rowSums {
	var t summed
	for i := 0; i < m.Rows; i += stride(m.Rows) {
		t.add(m.Matrix, i, func(j int) float64 { return relativeSum(m.Matrix, j) })
	}
	return t.rowSums()
}

// relativeSum is the magnitude of the sum of row i relative to its diagonal, 1 at most.
func relativeSum(m *csr.Matrix, i int) float64 {
	cols, vals := m.Row(i)
	sum, d := 0.0, 0.0
	for k, j := range cols {
		if sum += vals[k]; int(j) == i {
			d = vals[k]
		}
	}
	return min(math.Abs(sum/d), 1)
}

const (
	shapeStarts     = 8
	shapeLevels     = 3
	shapeNeighbours = 5000
	planarGrowth    = 1.6 // 3/2, and some more near the boundary
	spatialGrowth   = 2.6 // (3/2)^2, likewise
)

// shapeOf counts the rows at distances 2 and 3 from a few of n: their number grows with the
// distance k as k in the plane and as k^2 in space. columns gives those of some rows, which ascend.
func shapeOf(n int64, columns func(rows []int64) [][]int64) graphShape {
	var at [shapeLevels + 1]int
	for k := range int64(shapeStarts) {
		start := (2*k + 1) * n / (2 * shapeStarts)
		seen, level := map[int64]bool{start: true}, []int64{start}
		for distance := 1; distance <= shapeLevels; distance++ {
			var next []int64
			for _, cols := range columns(level) {
				for _, j := range cols {
					if !seen[j] {
						seen[j] = true
						next = append(next, j)
					}
				}
				if len(seen) > shapeNeighbours {
					return expander
				}
			}
			at[distance] += len(next)
			slices.Sort(next)
			level = next
		}
	}
	switch growth := float64(at[shapeLevels]) / float64(at[shapeLevels-1]); {
	case !(growth > planarGrowth):
		return planar
	case growth <= spatialGrowth:
		return spatial
	}
	return expander
}

func (m whole) shape() graphShape {
	return shapeOf(int64(m.Rows), func(rows []int64) [][]int64 {
		columns := make([][]int64, len(rows))
		for k, i := range rows {
			cols, _ := m.Row(int(i))
			for _, j := range cols {
				columns[k] = append(columns[k], int64(j))
			}
		}
		return columns
	})
}
