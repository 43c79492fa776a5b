package features

import (
	"errors"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
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
