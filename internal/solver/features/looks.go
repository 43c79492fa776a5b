package features

import (
	"context"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// A Source is a matrix as the rules of choice see it: all of it, or spread over ranks. It has the same features either way, but for the
// rounding of sums. The methods of one that is spread are collective.
type Source interface {
	Size() (n, nnz int)
	Nodes() int                         // unknowns of one, see precond.BlockSize
	MostRows(such rowTest) bool         // whether most rows, of a sample, are such
	Direction() float64                 // share of what couples unknowns that has a direction, see couplings
	Sums() RowSums                      // of a sample of the rows
	Shape() GraphShape                  // of the neighbourhoods of some rows
	Width(context.Context) (int, error) // see csr.LevelWidth
}

// Source is that of the matrix in the order chosen.
func (s *Matrix) Source() Source {
	if s.Job != nil {
		return SpreadMatrix{s.Job.Matrix, s.Pool}
	}
	return LocalMatrix{s.M}
}

// Rows is the number of rows of the matrix, on all ranks.
func (s *Matrix) Rows() int {
	n, _ := s.Source().Size()
	return n
}

// Nonzeros is that of its nonzeros.
func (s *Matrix) Nonzeros() int {
	_, nnz := s.Source().Size()
	return nnz
}

// LocalMatrix is the source of features of a matrix that is all here.
type LocalMatrix struct{ *csr.Matrix }

func (m LocalMatrix) Size() (n, nnz int) { return m.Rows, m.NNZ() }
func (m LocalMatrix) Nodes() int         { return precond.BlockSize(m.Matrix) }

func (m LocalMatrix) Width(ctx context.Context) (int, error) { return csr.LevelWidth(ctx, m.Matrix) }

// stride is the distance of rows in a sample of those of a matrix.
func stride(rows int) int { return rows/rules.SampledRows + 1 }

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

func (m LocalMatrix) Direction() float64 {
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

// LikeMMatrix reports whether a row is one of a diagonally dominant M-matrix:
// off-diagonal elements of the other sign than the diagonal, whose magnitudes add up to hardly
// more than that. Multigrid suits matrices of such rows, symmetric or not.
func LikeMMatrix(d, sum float64, opposite bool) bool { return opposite && Dominant(d, sum, opposite) }

// Dominant reports whether the diagonal of a row is hardly less than the sum of the others.
func Dominant(d, sum float64, _ bool) bool { return d != 0 && sum <= rules.Dominance*max(d, -d) }

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

func (t *tested) most() bool { return float64(t.good) >= rules.Mostly*float64(t.rows) }

func (m LocalMatrix) MostRows(such rowTest) bool {
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
	if t.sum += sum; sum <= rules.LeastSum {
		return
	}
	t.loaded++
	cols, _ := m.Row(i)
	for _, j := range cols {
		if int(j) != i {
			if t.neighbours++; relative(int(j)) > rules.LeastSum {
				t.alike++
			}
		}
	}
}

func (t *summed) rowSums() (sums RowSums) {
	sums.Mean = t.sum / float64(t.rows)
	sums.Share = float64(t.loaded) / float64(t.rows)
	sums.Surface = t.loaded > 0 && sums.Share <= rules.SurfaceShare &&
		float64(t.alike) >= max(rules.SurfaceNeighbours, rules.SurfaceDenser*sums.Share)*float64(t.neighbours)
	return sums
}

func (m LocalMatrix) Sums() RowSums {
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

// shapeOf counts the rows at distances 2 and 3 from a few of n: their number grows with the
// distance k as k in the plane and as k^2 in space. columns gives those of some rows, which ascend.
func shapeOf(n int64, columns func(rows []int64) [][]int64) GraphShape {
	var at [rules.ShapeLevels + 1]int
	for k := range int64(rules.ShapeStarts) {
		start := (2*k + 1) * n / (2 * rules.ShapeStarts)
		seen, level := map[int64]bool{start: true}, []int64{start}
		for distance := 1; distance <= rules.ShapeLevels; distance++ {
			var next []int64
			for _, cols := range columns(level) {
				for _, j := range cols {
					if !seen[j] {
						seen[j] = true
						next = append(next, j)
					}
				}
				if len(seen) > rules.ShapeNeighbours {
					return Expander
				}
			}
			at[distance] += len(next)
			slices.Sort(next)
			level = next
		}
	}
	switch growth := float64(at[rules.ShapeLevels]) / float64(at[rules.ShapeLevels-1]); {
	case !(growth > rules.PlanarGrowth):
		return Planar
	case growth <= rules.SpatialGrowth:
		return Spatial
	}
	return Expander
}

func (m LocalMatrix) Shape() GraphShape {
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

// A GraphShape is what the neighbourhoods of a matrix's rows look like.
type GraphShape int

const (
	Planar   GraphShape = iota // those of points of a mesh in the plane, or a line
	Spatial                    // in space
	Expander                   // they grow like those of a random graph
)

// Found are the features of a matrix that have been found, each looked for once.
type Found struct {
	Ctx       context.Context // of the set-up, with which looking ends
	shape     Once[GraphShape]
	nodes     Once[int] // unknowns of one
	compact   Once[bool]
	mMatrix   Once[bool]    // see likeMMatrix
	direction Once[float64] // see direction
	sums      Once[RowSums]
}

// Once is a value that is computed when it is wanted first.
type Once[T any] struct {
	Known bool
	Value T
}

func (o *Once[T]) Get(compute func() T) T {
	if !o.Known {
		o.Known, o.Value = true, compute()
	}
	return o.Value
}

func (s *Matrix) Shape() GraphShape {
	return s.Looks.shape.Get(s.Source().Shape)
}

// RowSums are sums of rows relative to their diagonals, in a sample: what A makes of the constant.
type RowSums struct {
	Mean    float64 // of magnitudes, up to 1: the Rayleigh quotient of the constant
	Share   float64 // of the rows, those whose sum is not as good as zero
	Surface bool    // these are the boundary of a mesh: few, and neighbours of each other
}

func (s *Matrix) RowSums() RowSums { return s.Looks.sums.Get(s.Source().Sums) }
