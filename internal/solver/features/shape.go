package features

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// A GraphShape says how the neighbourhoods of rows in the graph of a matrix grow.
type GraphShape int

const (
	Planar   GraphShape = iota // as in a mesh in the plane, or on a line
	Spatial                    // as in a mesh in space
	Expander                   // as in a random graph
)

// Shape returns the shape of the graph of the matrix.
func (s *Matrix) Shape() GraphShape {
	return s.Features.shape.Get(s.Source().Shape)
}

// shapeOf finds the shape of a graph of n rows. It counts the rows at distances 2 and 3 from a few rows: at distance k their
// number grows like k in the plane and like k^2 in space. Quadratic elements have unknowns on edges, too, beside which those at vertices have twice as many
// neighbours: then it counts from vertices. columns returns the columns of some rows, given in ascending order.
func shapeOf[I index](n int64, columns func(rows []I) [][]I) GraphShape {
	quarter := int(n / 4)
	g := neighbourhoods[I]{columns: columns, seen: newRowSet[I](n), most: min(rules.ShapeNeighbours, max(rules.LeastNeighbours, quarter))}
	starts := make([]I, rules.ShapeStarts)
	for k := range starts {
		share := (float64(k) + math.Sqrt2 - 1) / rules.ShapeStarts // in step with no side of a grid, whose edges look like a plane
		starts[k] = I(share * float64(n))
	}
	growth, denser := g.growth(starts)
	if growth > rules.PlanarGrowth && growth <= rules.SpatialGrowth && denser >= rules.VertexRows && denser <= rules.HubRows {
		g.most = min(g.most, quarter) // in a small body all neighbourhoods are cut off
		if fromVertices, _ := g.growth(starts); fromVertices <= rules.PlanarGrowth {
			return Planar
		}
	}
	switch {
	case !(growth > rules.PlanarGrowth):
		return Planar
	case growth <= rules.SpatialGrowth:
		return Spatial
	}
	return Expander
}

// index is the number of a row: of a matrix on one rank, or of one that ranks share.
type index interface{ int32 | int64 }

// neighbourhoods are the rows near others in a graph.
type neighbourhoods[I index] struct {
	columns func(rows []I) [][]I
	seen    rowSet[I]
	most    int // rows of a neighbourhood
}

// rowSet is a set of few of the rows of a graph: a bit for each row or, where ranks share more rows than one process can have, those in it.
type rowSet[I index] struct {
	bits []uint64
	few  map[I]bool
}

// newRowSet returns an empty set of n rows.
func newRowSet[I index](n int64) rowSet[I] {
	if n > csr.MaxDim {
		return rowSet[I]{few: map[I]bool{}}
	}
	return rowSet[I]{bits: make([]uint64, (n+63)/64)}
}

// add adds a row, and reports whether it was not there.
func (s rowSet[I]) add(row I) bool {
	if s.few != nil {
		there := s.few[row]
		s.few[row] = true
		return !there
	}
	word, bit := &s.bits[row/64], uint64(1)<<(row%64)
	there := *word&bit != 0
	*word |= bit
	return !there
}

// remove removes all rows, which are these.
func (s rowSet[I]) remove(rows []I) {
	clear(s.few)
	for _, row := range rows {
		if s.bits != nil {
			s.bits[row/64] = 0
		}
	}
}

// growth returns the number of rows at distance ShapeLevels from the starts relative to that before, or infinity where a neighbourhood has too many. It replaces each start by its
// densest neighbour, and returns how many times as many neighbours these have.
func (g neighbourhoods[I]) growth(starts []I) (growth, denser float64) {
	var at [rules.ShapeLevels + 1]int
	var ball []I // the rows that are seen
	sparse, dense := 0, 0
	for k, start := range starts {
		ball = append(ball[:0], start)
		g.seen.add(start)
		inner := 0 // rows of the ball before the last level
		for distance := 1; distance <= rules.ShapeLevels; distance++ {
			level, densest := ball[inner:], 0
			inner = len(ball)
			for i, cols := range g.columns(level) {
				switch {
				case distance == 1:
					sparse += len(cols)
				case distance == 2 && len(cols) > densest:
					densest, starts[k] = len(cols), level[i]
				}
				for _, j := range cols {
					if g.seen.add(j) {
						ball = append(ball, j)
					}
				}
				if len(ball) > g.most {
					return math.Inf(1), 1
				}
			}
			dense += densest
			at[distance] += len(ball) - inner
			if distance < rules.ShapeLevels { // columns takes rows in ascending order
				slices.Sort(ball[inner:])
			}
		}
		g.seen.remove(ball)
	}
	return float64(at[rules.ShapeLevels]) / float64(at[rules.ShapeLevels-1]), float64(dense) / float64(sparse)
}

func (m LocalMatrix) Shape() GraphShape {
	var columns [][]int32 // until the next call
	return shapeOf(int64(m.Rows), func(rows []int32) [][]int32 {
		columns = columns[:0]
		for _, i := range rows {
			cols, _ := m.Row(int(i))
			columns = append(columns, cols)
		}
		return columns
	})
}
