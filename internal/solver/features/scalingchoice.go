package features

import (
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// MakeScaling computes the scaling of a kind.
func (s *Matrix) MakeScaling(kind solve.Scale) (csr.Scaling, error) {
	if s.Job != nil {
		return s.Job.Scaling(kind, s.Facts.Symmetric, s.Pool)
	}
	switch kind {
	case solve.ScaleRow:
		return csr.RowScaling(s.M, s.Pool), nil
	case solve.ScaleSym:
		if s.Facts.Symmetric {
			return csr.ScalingOfSymmetric(s.M, s.Pool)
		}
		return csr.SymmetricScaling(s.M, s.Pool)
	case solve.ScaleBoth:
		return csr.BothScaling(s.M, s.Pool), nil
	}
	return csr.NoScaling(s.M), nil
}

// Overflows is csr.Scaling.Overflows for the whole matrix.
func (s *Matrix) Overflows(by csr.Scaling) bool {
	if s.Job != nil {
		return dist.Overflows(s.Job.Matrix, by, s.Pool)
	}
	return by.Overflows(s.M, s.Pool)
}

// Uniform is csr.Scaling.Uniform for the whole matrix.
func (s *Matrix) Uniform(by csr.Scaling) (exponent int, ok bool) {
	if s.Job != nil {
		return dist.Uniform(s.Job.Matrix, by)
	}
	return by.Uniform()
}
