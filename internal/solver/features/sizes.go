package features

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

func (s *Matrix) Small() bool { return s.Nonzeros() <= rules.SmallNonzeros }

// Compact reports whether complete factors of a larger matrix are expected to cost so little that it
// is worth to find out: it has small separators, as a mesh in the plane, a small one in
// space, or a long one. The factorisation is refused if it takes more, before it begins.
func (s *Matrix) Compact() bool {
	return s.Looks.compact.Get(func() bool {
		if s.Small() || s.Nonzeros() > rules.CompactNonzeros || s.likeMMatrix() {
			return false
		}
		width, err := s.Source().Width(s.Looks.Ctx)
		return err == nil && rules.WidthWork*math.Pow(float64(width), 3) <= rules.CompleteWork*float64(s.Nonzeros())
	})
}

// Refused reports whether complete factors of a matrix of that shape are expected to take more
// than CompleteWork: those of a mesh in space take widthWork n^2, those of a random graph more,
// unless its separators are small.
func (s *Matrix) Refused(shape GraphShape) bool {
	n := float64(s.Rows())
	return shape != Planar && rules.WidthWork*n*n > rules.CompleteWork*float64(s.Nonzeros()) && !s.Compact()
}

// LeastIterations is how many iterations conjugate gradients take at least with the diagonal as
// the preconditioner: sqrt(kappa)/2 ln(2/tol) ([Saad03], equation 6.128), where kappa of D^-1 A
// is estimated by a sample of the rows. On meshes there are many eigenvalues as small as the
// least, and on other graphs few, which take an iteration each: 0.
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

func (s *Matrix) Large() bool { return s.Nonzeros() >= rules.MultigridNonzeros }

func (s *Matrix) ManyRows() bool { return s.Rows() >= rules.SparseRows }

func (s *Matrix) FewRows() bool { return !s.ManyRows() }

func (s *Matrix) LargeDiffusion() bool {
	return s.ManyRows() && !s.Facts.Symmetric && s.likeMMatrix()
}

func (s *Matrix) Diagonal() bool { return s.Facts.DiagonalZero == 0 }

func (s *Matrix) LargeWithNodes() bool { return s.Large() && s.HasNodes() }

func (s *Matrix) DiagonalOfNodes() bool { return s.Diagonal() && s.HasNodes() }

func (s *Matrix) DiagonalAlone() bool { return s.Diagonal() && !s.HasNodes() }

func (s *Matrix) HasNodes() bool { return s.NodeSize() > 1 }

// NodeSize is the number of unknowns of a node.
func (s *Matrix) NodeSize() int {
	return s.Looks.nodes.Get(s.Source().Nodes)
}

func (s *Matrix) likeMMatrix() bool {
	return s.Looks.mMatrix.Get(func() bool { return s.Source().MostRows(LikeMMatrix) })
}

// LikeNetwork reports whether complete factors may be cheap and ILU(0) may not help: a matrix
// with many rows of few nonzeros, most of which are not diagonally dominant, such as of grids
// of power lines. What complete factors take shows when their rows are ordered.
func (s *Matrix) LikeNetwork() bool {
	return s.ManyRows() && s.Nonzeros() <= rules.NetworkNonzeros*s.Rows() && !s.Source().MostRows(Dominant)
}

// Diffuses reports whether ILU(0) is to be relaxed: most rows annihilate the constant, as those of
// differential operators do, which what ILU(0) drops then hardly changes; so fewer iterations are left where
// diffusion couples unknowns in both directions. Where convection decides, ILU(0) follows it and drops little.
func (s *Matrix) Diffuses() bool {
	sums := s.RowSums()
	return s.Shape() != Expander && sums.Share < rules.MostlyLoaded && sums.Mean < rules.LeastLoaded && s.Direction() < rules.MostRelaxed
}

// Transports reports whether transport decides on a mesh. Subdomains of ILU(0) would break its paths, and take
// twice the iterations.
func (s *Matrix) Transports() bool {
	return s.ManyRows() && s.Shape() != Expander && s.Direction() > rules.OneWay && s.likeMMatrix()
}

func (s *Matrix) Direction() float64 {
	return s.Looks.direction.Get(s.Source().Direction)
}
