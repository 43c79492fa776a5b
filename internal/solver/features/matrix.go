package features

import (
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// AbsSums returns sum_j |a_ij| of each row. The caller must not change the slice.
func (s *Matrix) AbsSums() []float64 {
	if s.Sums == nil {
		s.Sums = s.Source().AbsSums()
	}
	return s.Sums
}

// ExtremeSums returns the least and the largest element of AbsSums.
func (s *Matrix) ExtremeSums() (least, most float64) {
	return s.Source().Extremes(s.AbsSums())
}

// Matrix is the matrix of a system, and its features.
type Matrix struct {
	Facts csr.Facts
	Order Ordering

	Given    *csr.Matrix // as given: the verdict is about this matrix
	M        *csr.Matrix // the same matrix in the order chosen
	Pool     *parallel.Pool
	Job      *ranks.Job  // ranks that share the matrix; nil: this rank has all of it
	Features Found       // of M
	Sums     []float64   // sum_j |a_ij| of each row of M; nil: not computed yet
	Known    *KnownParts // of Given and M
}

// KnownParts are the facts that verification has found about the matrix, as given and in the order chosen, and its structure.
type KnownParts struct {
	Given, Ordered verify.Known
	structure      structure
}

// InputError turns an error about the matrix into a solve.InputError, unless a device failed or there is too little memory.
func (s *Matrix) InputError(err error) error {
	var device *gpu.Error
	if errors.As(err, &device) || errors.Is(err, solve.ErrMemory) || errors.Is(err, precond.ErrMemory) {
		return err
	}
	return s.Order.InputError(err)
}

// Tiny reports whether the matrix is so small that a look at each of its elements costs next to nothing.
func (s *Matrix) Tiny() bool { return s.Rows() <= rules.FewRows && s.Nonzeros() <= rules.SmallNonzeros }

// Overweighs reports whether an element of a symmetric matrix on one rank shows that the matrix is indefinite: a_ij^2 >= a_ii a_jj, and rows i and
// j differ, so that a multiple of one does not cancel the other.
func (s *Matrix) Overweighs() bool {
	m, d := s.M, s.M.Diagonal(s.Pool)
	var found atomic.Bool
	s.Pool.RunRanges(csr.Panels(m), func(_, lo, hi int) {
		for i := lo; i < hi && !found.Load(); i++ {
			cols, vals := m.Row(i)
			for k, j := range cols {
				v := vals[k]
				if int(j) >= i || v*v < d[i]*d[j] { // which may be beyond float64
					continue
				}
				if other, _ := m.Row(int(j)); len(other) != len(cols) && (v/d[i])*(v/d[j]) >= 1 {
					found.Store(true)
				}
			}
		}
	})
	return found.Load()
}

// Look finds features that every choice among methods depends on, two at a time. Ranks that share a matrix find them together, when they are needed.
func (s *Matrix) Look() {
	if s.Job != nil {
		return
	}
	s.Pool.Each(2, func(part int) {
		if part == 0 {
			s.Shape()
		} else {
			s.NodeSize()
			s.LikeMMatrix()
			s.RowSums()
		}
	})
}

// Width returns the width of the levels of the graph of a matrix that is not too large for that, see csr.LevelWidth; 0: not known. Separators
// are no larger, as those of a long mesh.
func (s *Matrix) Width() int {
	return s.Features.width.Get(func() int {
		if s.Nonzeros() > rules.NarrowNonzeros {
			return 0
		}
		width, err := s.Source().Width(s.Features.Ctx)
		if err != nil {
			return 0
		}
		return width
	})
}

// LeastIterations estimates a lower bound of the iterations of conjugate gradients with the diagonal as the preconditioner:
// sqrt(kappa)/2 ln(2/tol) ([Saad03], equation 6.128), with kappa of D^-1 A estimated from a sample of the rows. The bound holds for
// meshes, which have many eigenvalues near the least. It is 0 for other graphs, which have few of them: each takes one iteration.
func (s *Matrix) LeastIterations() float64 {
	sums := s.RowSums()
	if s.Shape() == Expander || !(sums.Mean < 1) {
		return 0
	}
	root := 1 / math.Sqrt(max(sums.Mean, rules.LeastSum))
	if sums.Share < rules.MostlyLoaded { // the constant is not the first eigenvector
		root *= rules.Smoother
	}
	if sums.Surface && s.Facts.Symmetric {
		root = max(root, rules.SurfaceRoot/sums.Share)
	}
	return math.Log(2/krylov.DefaultTol) / 2 * root
}

// Large reports whether multigrid is worth trying first.
func (s *Matrix) Large() bool { return s.Nonzeros() >= rules.MultigridNonzeros }

func (s *Matrix) ManyRows() bool { return s.Rows() >= rules.SparseRows }

// Diffusion reports whether multigrid may suit a matrix that is not symmetric: most rows have the signs of an M-matrix, as those of upwind differences and of
// Markov chains have, the former with dominant rows, the latter with dominant columns.
func (s *Matrix) Diffusion() bool {
	return !s.Facts.Symmetric && s.Features.signs.Get(func() bool { return s.Source().MostRows(SignsOfM) })
}

func (s *Matrix) Diagonal() bool { return s.Facts.DiagonalZero == 0 }

func (s *Matrix) HasNodes() bool { return s.NodeSize() > 1 }

// NodeSize returns the number of unknowns of a node.
func (s *Matrix) NodeSize() int {
	return s.Features.nodes.Get(s.Source().Nodes)
}

// LikeMMatrix reports whether most rows are like those of an M-matrix.
func (s *Matrix) LikeMMatrix() bool {
	return s.Features.mMatrix.Get(func() bool { return s.Source().MostRows(LikeMMatrix) })
}

// Network reports whether complete factors are expected to fill little whatever the shape of the graph: the matrix has rows of few nonzeros, whose
// numbers vary more than those of meshes. A few far connections make the graph of a circuit or of a power network wide, but fill little.
func (s *Matrix) Network() bool {
	return s.Nonzeros() <= rules.NetworkNonzeros*s.Rows() && s.spread() > rules.NetworkSpread
}

// Bends reports whether the matrix is that of a plate or a shell: its condition grows like the square of the number of rows.
func (s *Matrix) Bends() bool {
	return s.Facts.Symmetric && s.Shape() == Planar && !s.HasNodes() && s.Source().MostRows(bends)
}

// Irregular reports whether the numbers of nonzeros of the rows vary, as those of unstructured meshes and of networks do. Their rows mostly have no
// order in which neighbours are near, either.
func (s *Matrix) Irregular() bool { return s.spread() > rules.MeshSpread }

// spread returns the standard deviation of the number of nonzeros of a row, relative to its mean.
func (s *Matrix) spread() float64 {
	return s.Features.spread.Get(s.Source().Spread)
}

func (m LocalMatrix) Spread() float64 {
	var c counted
	for i := 0; i < m.Rows; i += stride(m.Rows) {
		c.add(m.Matrix, i)
	}
	return c.spread()
}

// counted are the counts of a sample of rows from which spread computes Matrix.spread.
type counted struct{ rows, sum, squares int64 }

func (t *counted) add(m *csr.Matrix, i int) {
	d := m.RowPtr[i+1] - m.RowPtr[i]
	t.rows++
	t.sum += d
	t.squares += d * d
}

func (t *counted) spread() float64 {
	mean := float64(t.sum) / float64(t.rows)
	return math.Sqrt(max(0, float64(t.squares)/float64(t.rows)-float64(mean*mean))) / mean
}

// Diffuses reports whether relaxed ILU(0) suits the matrix: most rows sum to zero, as those of differential operators, and
// diffusion couples the unknowns in both directions. With relaxation the factors keep the row sums, which saves iterations. Where
// convection decides, ILU(0) follows it and drops little.
func (s *Matrix) Diffuses() bool {
	sums := s.RowSums()
	return s.Shape() != Expander && sums.Share < rules.MostlyLoaded && sums.Mean < rules.LeastLoaded && s.Couplings().Direction() < rules.MostRelaxed
}

// Transports reports whether transport decides on a mesh. There ILU(0) by subdomains would break the paths of transport and take
// twice the iterations.
func (s *Matrix) Transports() bool {
	return s.ManyRows() && s.Shape() != Expander && s.Couplings().Direction() > rules.OneWay && s.LikeMMatrix()
}

// FewSweeps returns about how many iterations BiCGStab takes with ILU(0) where these are few, since transport goes along the order of the rows, or relaxed factors
// suit a mesh in space with some convection ([Gustafsson78]); 0: they are many.
func (s *Matrix) FewSweeps() float64 {
	switch c := s.Couplings(); {
	case s.Facts.Symmetric || s.Shape() == Expander || !s.LikeMMatrix():
		return 0
	case c.Ordered() > rules.OneWay:
		return rules.SweepIterations
	case s.Shape() == Spatial && c.Direction() > rules.LeastDirection && s.Diffuses():
		return rules.SweepRoot * math.Sqrt(math.Cbrt(float64(s.Rows())))
	}
	return 0
}

// Couplings returns the couplings of a sample of the rows.
func (s *Matrix) Couplings() Couplings {
	return s.Features.couplings.Get(s.Source().Couplings)
}

func (m LocalMatrix) AbsSums() []float64 { return m.RowSums(m.pool) }

func (m LocalMatrix) Extremes(sums []float64) (least, most float64) {
	return slices.Min(sums), slices.Max(sums)
}

func (m LocalMatrix) Scaling(kind solve.Scale, symmetric bool) (csr.Scaling, error) {
	switch kind {
	case solve.ScaleRow:
		return csr.RowScaling(m.Matrix, m.pool), nil
	case solve.ScaleSym:
		return csr.SymmetricScaling(m.Matrix, symmetric, m.pool)
	case solve.ScaleBoth:
		return csr.BothScaling(m.Matrix, m.pool), nil
	}
	return csr.NoScaling(m.Matrix), nil
}

func (m LocalMatrix) Overflows(by csr.Scaling) bool { return by.Overflows(m.Matrix, m.pool) }

func (m LocalMatrix) Uniform(by csr.Scaling) (exponent int, ok bool) {
	differs := func(e []int) bool { return slices.ContainsFunc(e, func(v int) bool { return v != e[0] }) }
	if len(by.Row) == 0 || len(by.Col) == 0 || differs(by.Row) || differs(by.Col) {
		return 0, false
	}
	return by.Row[0] + by.Col[0], true
}

func (m SpreadMatrix) AbsSums() []float64 { return dist.RowSums(m.Matrix, m.pool) }

func (m SpreadMatrix) Scaling(kind solve.Scale, symmetric bool) (csr.Scaling, error) {
	return ranks.Scaling(m.Matrix, kind, symmetric, m.pool)
}

func (m SpreadMatrix) Overflows(by csr.Scaling) bool { return dist.Overflows(m.Matrix, by, m.pool) }

func (m SpreadMatrix) Uniform(by csr.Scaling) (exponent int, ok bool) {
	return dist.Uniform(m.Matrix, by)
}
