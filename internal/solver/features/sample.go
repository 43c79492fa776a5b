package features

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A Source computes the features of a matrix for the rules of choice. The matrix may be spread over ranks: then the methods are
// collective, and the features are the same but for the rounding of sums.
type Source interface {
	Size() (n, nnz int)
	Nodes() int                         // unknowns of a node, see precond.BlockSize
	MostRows(such rowTest) bool         // whether most rows of a sample pass the test
	Spread() float64                    // of the numbers of nonzeros of the rows of a sample, see Matrix.spread
	Couplings() Couplings               // of the rows of a sample
	Sums() RowSums                      // of a sample of the rows
	Shape() GraphShape                  // of the neighbourhoods of some rows
	Width(context.Context) (int, error) // see csr.LevelWidth

	AbsSums() []float64                                            // sum_j |a_ij| of each row
	Extremes(sums []float64) (least, most float64)                 // of AbsSums
	Scaling(kind solve.Scale, symmetric bool) (csr.Scaling, error) // the scaling of a kind
	Overflows(by csr.Scaling) bool                                 // see csr.Scaling.Overflows
	Uniform(by csr.Scaling) (exponent int, ok bool)                // see csr.Scaling.Uniform
}

// Source returns the source of the features of the matrix in the order chosen.
func (s *Matrix) Source() Source {
	if s.Job != nil {
		return SpreadMatrix{s.Job.Matrix, s.Pool}
	}
	return LocalMatrix{s.M, s.Pool}
}

// Rows returns the number of rows of the matrix, of all ranks together.
func (s *Matrix) Rows() int {
	n, _ := s.Source().Size()
	return n
}

// Nonzeros returns the number of nonzeros of the matrix, of all ranks together.
func (s *Matrix) Nonzeros() int {
	_, nnz := s.Source().Size()
	return nnz
}

// LocalMatrix is the source of the features of a matrix on one rank.
type LocalMatrix struct {
	*csr.Matrix
	pool *parallel.Pool
}

func (m LocalMatrix) Size() (n, nnz int) { return m.Rows, m.NNZ() }
func (m LocalMatrix) Nodes() int         { return precond.BlockSize(m.Matrix) }

func (m LocalMatrix) Width(ctx context.Context) (int, error) { return csr.LevelWidth(ctx, m.Matrix) }

// stride returns the distance between the rows of a sample.
func stride(rows int) int { return rows/rules.SampledRows + 1 }

// Couplings are sums over a sample of the rows: of (|a_ij| + |a_ji|) of all couplings between unknowns, of |a_ij - a_ji| of the couplings with a direction,
// and of |a_ij| - |a_ji| for j < i less that for j > i. In upwind differences of cell Peclet number p, the share of a direction is p / (p + 2).
type Couplings struct{ sum, apart, ahead float64 }

// add adds row i; transposed returns a_ji for the k-th element a_ij of the row.
func (c *Couplings) add(i int, cols []int32, vals []float64, transposed func(k int) float64) {
	for k, j := range cols {
		if int(j) != i {
			v, w := vals[k], transposed(k)
			c.apart += math.Abs(v - w)
			c.sum += math.Abs(v) + math.Abs(w)
			if ahead := math.Abs(v) - math.Abs(w); int(j) < i {
				c.ahead += ahead
			} else {
				c.ahead -= ahead
			}
		}
	}
}

// Direction returns the share of the couplings with a direction.
func (c Couplings) Direction() float64 { return c.apart / max(c.sum, math.SmallestNonzeroFloat64) }

// Ordered returns the share of the couplings with a direction that all follow the order of the rows, or all go against it: 0 where as many do one as the other.
func (c Couplings) Ordered() float64 {
	return math.Abs(c.ahead) / max(c.sum, math.SmallestNonzeroFloat64)
}

// Recirculates reports whether transport decides, and goes along the order of the rows as often as against it.
func (c Couplings) Recirculates() bool {
	return c.Direction() > rules.OneWay && c.Ordered() <= rules.OneWay
}

func (m LocalMatrix) Couplings() (c Couplings) {
	for i := 0; i < m.Rows; i += stride(m.Rows) {
		cols, vals := m.Row(i)
		c.add(i, cols, vals, func(k int) float64 { return m.At(int(cols[k]), i) })
	}
	return c
}

// A rowTest tests a row by its diagonal element d, the sum of the other magnitudes, and whether all other elements have the
// opposite sign of d.
type rowTest func(d, sum float64, opposite bool) bool

// LikeMMatrix reports whether a row is like a row of a diagonally dominant M-matrix: the off-diagonal elements have the opposite
// sign of the diagonal, and their magnitudes add up to hardly more. Multigrid suits matrices of such rows, symmetric or not.
func LikeMMatrix(d, sum float64, opposite bool) bool { return opposite && Dominant(d, sum, opposite) }

// SignsOfM reports whether the off-diagonal elements of a row have the opposite sign of the diagonal.
func SignsOfM(d, _ float64, opposite bool) bool { return d != 0 && opposite }

// bends reports whether the other magnitudes of a row add up to about twice the diagonal, as in differences of fourth order.
func bends(d, sum float64, _ bool) bool { return d != 0 && sum >= rules.Bending*max(d, -d) }

// Dominant reports whether the diagonal element is larger than the sum of the other magnitudes, or hardly less.
func Dominant(d, sum float64, _ bool) bool { return d != 0 && sum <= rules.Dominance*max(d, -d) }

// tested counts the rows tested, and the rows that passed.
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

// summed are the counts and sums over a sample of rows from which rowSums computes RowSums.
type summed struct {
	rows, loaded, negative, neighbours, alike int
	sum, excess                               float64
}

// add adds row i; relative returns the relativeSum of a neighbour.
func (t *summed) add(m *csr.Matrix, i int, relative func(j int) float64) {
	t.rows++
	cols, vals := m.Row(i)
	d, others, signed := 0.0, 0.0, 0.0
	for k, v := range vals {
		if signed += v; int(cols[k]) == i {
			d = v
		} else {
			others += math.Abs(v)
		}
	}
	if d != 0 {
		t.excess += max(-1, 1-others/math.Abs(d))
	}
	sum := relativeTo(d, signed)
	if t.sum += sum; sum <= rules.LeastSum {
		return
	}
	t.loaded++
	if signed*d < 0 {
		t.negative++
	}
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
	sums.Excess = t.excess / float64(t.rows)
	sums.Share = float64(t.loaded) / float64(t.rows)
	sums.Negative = float64(t.negative) / float64(t.rows)
	sums.Surface = t.loaded > 0 && sums.Share <= rules.SurfaceShare &&
		float64(t.alike) >= max(rules.SurfaceNeighbours, rules.SurfaceDenser*sums.Share)*float64(t.neighbours)
	return sums
}

func (m LocalMatrix) Sums() RowSums {
	var t summed
	negated := make([]float64, m.Rows) // those that are known, since the neighbours of full rows are asked for many times
	for i := 0; i < m.Rows; i += stride(m.Rows) {
		t.add(m.Matrix, i, func(j int) float64 {
			if !math.Signbit(negated[j]) {
				negated[j] = -relativeSum(m.Matrix, j)
			}
			return -negated[j]
		})
	}
	return t.rowSums()
}

// relativeTo returns the magnitude of a sum, relative to the diagonal d, but at most 1.
func relativeTo(d, sum float64) float64 { return min(math.Abs(sum/d), 1) }

// relativeSum returns relativeTo of the sum of row i.
func relativeSum(m *csr.Matrix, i int) float64 {
	cols, vals := m.Row(i)
	sum, d := 0.0, 0.0
	for k, j := range cols {
		if sum += vals[k]; int(j) == i {
			d = vals[k]
		}
	}
	return relativeTo(d, sum)
}

// Found are the features of a matrix that have been found. Each is computed once.
type Found struct {
	Ctx       context.Context // of the set-up; its end interrupts the search
	shape     Once[GraphShape]
	nodes     Once[int]     // unknowns of a node
	width     Once[int]     // see Matrix.Width
	spread    Once[float64] // see Matrix.spread
	signs     Once[bool]    // see Diffusion
	mMatrix   Once[bool]    // see LikeMMatrix
	couplings Once[Couplings]
	sums      Once[RowSums]
}

// Once is a value that is computed when it is first needed.
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

// Class describes a matrix so coarsely that one setting may suit all matrices of a class. Sizes are the powers of 4 next to them.
func (s *Matrix) Class() string {
	power, shape := func(n int) int { return bits.Len(uint(n)) / 2 }, []string{"planar", "spatial", "expander"}[s.Shape()]
	return fmt.Sprintf("symmetric: %v, diagonal of one sign: %v, %s, nodes of %d, 4^%d rows, 4^%d nonzeros a row", s.Facts.Symmetric, s.Facts.DiagonalSign() != 0,
		shape, s.NodeSize(), power(s.Rows()), power(s.Nonzeros()/max(1, s.Rows())))
}

// RowSums describe the sums of the rows relative to their diagonals, in a sample: the product of A with the constant vector.
type RowSums struct {
	Mean    float64 // mean of the magnitudes, at most 1: the Rayleigh quotient of the constant
	Share   float64 // share of the rows whose sum is not zero to rounding
	Surface bool    // these rows are the boundary of a mesh: few, and neighbours of each other

	Negative float64 // share of the rows whose sum has the opposite sign of the diagonal
	Excess   float64 // mean of 1 - sum_(j != i) |a_ij|/|a_ii|, at least -1: of strictly dominant rows the least eigenvalue of D^-1 A is above the least excess
}

// RowSums returns the row sums of a sample.
func (s *Matrix) RowSums() RowSums { return s.Features.sums.Get(s.Source().Sums) }
