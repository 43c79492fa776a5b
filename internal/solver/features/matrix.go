package features

import (
	"errors"
	"math"
	"slices"

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

// KnownParts are the facts that verification has found about the matrix, as given and in the order chosen.
type KnownParts struct{ Given, Ordered verify.Known }

// InputError turns an error about the matrix into a solve.InputError, unless a device failed or there is too little memory.
func (s *Matrix) InputError(err error) error {
	var device *gpu.Error
	if errors.As(err, &device) || errors.Is(err, solve.ErrMemory) || errors.Is(err, precond.ErrMemory) {
		return err
	}
	return s.Order.InputError(err)
}

// Small reports whether complete factors are worth counting whatever the shape of the graph.
func (s *Matrix) Small() bool { return s.Nonzeros() <= rules.SmallNonzeros }

// Tiny reports whether the matrix is so small that complete factors come first, unless their count forbids it.
func (s *Matrix) Tiny() bool { return s.Rows() <= rules.FewRows && s.Small() }

// Overweighs reports whether an element of a symmetric matrix on one rank shows that the matrix is indefinite: a_ij^2 >= a_ii a_jj, and rows i and
// j differ, so that a multiple of one does not cancel the other.
func (s *Matrix) Overweighs() bool {
	m := s.M
	d := m.Diagonal(s.Pool)
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			other, _ := m.Row(int(j))
			if v := vals[k]; int(j) < i && len(other) != len(cols) && (v/d[i])*(v/d[j]) >= 1 {
				return true
			}
		}
	}
	return false
}

// Narrow reports whether complete factors of a matrix that is not small are expected to cost so little that they are worth
// counting: the matrix has small separators, as a mesh in the plane, or a small or long mesh in space. If the count is too large, the
// factorisation is refused before it begins.
func (s *Matrix) Narrow() bool {
	return s.Features.narrow.Get(func() bool {
		if s.Small() || s.Nonzeros() > rules.NarrowNonzeros {
			return false
		}
		width, err := s.Source().Width(s.Features.Ctx)
		return err == nil && rules.WidthWork*math.Pow(float64(width), 3) <= rules.CompleteWork*float64(s.Nonzeros())
	})
}

// Compact reports whether the matrix is Narrow, and multigrid is not expected to do with less than complete factors.
func (s *Matrix) Compact() bool { return !s.Small() && !s.likeMMatrix() && s.Narrow() }

// CompactModest reports whether the matrix is Compact, and so small that setting up multigrid to see would take as long as complete factors.
func (s *Matrix) CompactModest() bool { return s.Nonzeros() <= rules.ModestNonzeros && s.Compact() }

// CompactLarge reports whether the matrix is Compact, and large.
func (s *Matrix) CompactLarge() bool { return s.Nonzeros() > rules.ModestNonzeros && s.Compact() }

// Refused reports whether complete factors are expected to take more than rules.CompleteWork. The factors of a mesh in space take
// rules.WidthWork n^2 multiplications, those of a random graph more, unless the separators are small.
func (s *Matrix) Refused() bool {
	n := float64(s.Rows())
	return rules.WidthWork*n*n > rules.CompleteWork*float64(s.Nonzeros()) && s.Shape() != Planar && !s.Compact()
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

func (s *Matrix) FewRows() bool { return !s.ManyRows() }

func (s *Matrix) LargeDiffusion() bool {
	return s.ManyRows() && !s.Facts.Symmetric && s.likeMMatrix()
}

func (s *Matrix) Diagonal() bool { return s.Facts.DiagonalZero == 0 }

func (s *Matrix) LargeWithNodes() bool { return s.Large() && s.HasNodes() }

func (s *Matrix) HasNodes() bool { return s.NodeSize() > 1 }

// NodeSize returns the number of unknowns of a node.
func (s *Matrix) NodeSize() int {
	return s.Features.nodes.Get(s.Source().Nodes)
}

func (s *Matrix) likeMMatrix() bool {
	return s.Features.mMatrix.Get(func() bool { return s.Source().MostRows(LikeMMatrix) })
}

// LikeNetwork reports whether complete factors may be cheap where ILU(0) may not help: the matrix has many rows of few
// nonzeros, of which too few are diagonally dominant, as in grids of power lines. Ordering the rows shows what complete factors take.
func (s *Matrix) LikeNetwork() bool {
	return s.ManyRows() && s.Nonzeros() <= rules.NetworkNonzeros*s.Rows() && !s.Source().MostRows(Dominant)
}

// CompactOrIndefinite reports whether complete factors come before incomplete ones: the matrix is Compact, or it is symmetric with diagonal
// elements of both signs, of which incomplete factors are of little use.
func (s *Matrix) CompactOrIndefinite() bool {
	return s.Facts.Symmetric && s.Facts.DiagonalSign() == 0 && s.Nonzeros() <= rules.NarrowNonzeros || s.Compact()
}

// NarrowOrNetwork reports whether complete factors of a large matrix are worth counting where multigrid has failed: the matrix is Narrow, or a
// network of any shape but a mesh in space.
func (s *Matrix) NarrowOrNetwork() bool { return s.network() && s.Shape() != Spatial || s.Narrow() }

// Network reports whether complete factors are worth counting before multigrid is tried: the matrix has many rows of few nonzeros, whose numbers vary more
// than those of meshes. A few far connections make the graph of a circuit or of a power network wide, but fill little.
func (s *Matrix) Network() bool {
	if !s.network() {
		return false
	}
	mean, squares := float64(s.Nonzeros())/float64(s.Rows()), 0.0
	for i := range s.M.Rows {
		d := float64(s.M.RowPtr[i+1]-s.M.RowPtr[i]) - mean
		squares += float64(d * d)
	}
	return math.Sqrt(squares/float64(s.Rows())) > rules.NetworkSpread*mean
}

func (s *Matrix) network() bool {
	return s.ManyRows() && s.Nonzeros() <= rules.NetworkNonzeros*s.Rows() && s.Nonzeros() <= rules.NarrowNonzeros
}

// Diffuses reports whether relaxed ILU(0) suits the matrix: most rows sum to zero, as those of differential operators, and
// diffusion couples the unknowns in both directions. With relaxation the factors keep the row sums, which saves iterations. Where
// convection decides, ILU(0) follows it and drops little.
func (s *Matrix) Diffuses() bool {
	sums := s.RowSums()
	return s.Shape() != Expander && sums.Share < rules.MostlyLoaded && sums.Mean < rules.LeastLoaded && s.Direction() < rules.MostRelaxed
}

// Transports reports whether transport decides on a mesh. There ILU(0) by subdomains would break the paths of transport and take
// twice the iterations.
func (s *Matrix) Transports() bool {
	return s.ManyRows() && s.Shape() != Expander && s.Direction() > rules.OneWay && s.likeMMatrix()
}

// Direction returns the share of the couplings with a direction.
func (s *Matrix) Direction() float64 {
	return s.Features.direction.Get(s.Source().Direction)
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
