package factor

import (
	"errors"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Precision is the number of bytes of the numbers of factors, which are made in arithmetic of that precision and applied in float64.
type Precision int

const (
	FP32 Precision = 4
	FP64 Precision = 8
)

// precisionOf returns the precision of a type of numbers.
func precisionOf[T kernels.Value]() Precision {
	if _, single := any(T(0)).(float32); single {
		return FP32
	}
	return FP64
}

func (p Precision) String() string {
	if p == FP32 {
		return "FP32"
	}
	return "FP64"
}

// A Rule says how pivots of fronts are chosen: as they come, if Accept is there; otherwise by Bunch and Kaufman for a symmetric matrix, and the
// largest of a column for others.
type Rule struct {
	Accept             func(in Precision, k int, pivot float64) (float64, error)
	Replaced, Negative atomic.Int64 // pivots, and eigenvalues of D unless Accept is there
}

// eliminating returns the elimination by a rule.
func eliminating[T kernels.Value](r *Rule, symmetric bool) pivoting[T] {
	switch {
	case r.Accept != nil:
		return ldl[T](func(k int, pivot float64) (float64, error) { return r.Accept(precisionOf[T](), k, pivot) })
	case symmetric:
		return bunchKaufman[T](r)
	}
	return staticPivots[T](r)
}

// ErrSmall is the end of factors in FP32 that need more digits.
var ErrSmall = errors.New("a pivot is too small")

// fault returns the error of a replaced pivot: in FP32 there are other factors.
func (r *Rule) fault(in Precision) error {
	if in == FP32 && r.Replaced.Load() > 0 {
		return ErrSmall
	}
	return nil
}

// Factor factors a matrix by a tree and a rule. The factors have the same bits for any number of threads. The error is that of a watch, of which each thread has
// its own, of Rule.Accept, or ErrSmall where a pivot was replaced in FP32.
func Factor(m *Matrix, t *Tree, r *Rule, in Precision, pool *parallel.Pool, watch func() Watch) (Factors, error) {
	r.Replaced.Store(0)
	r.Negative.Store(0)
	if in == FP32 {
		return factorIn[float32](m, t, r, pool, watch)
	}
	return factorIn[float64](m, t, r, pool, watch)
}

func factorIn[T kernels.Value](m *Matrix, t *Tree, r *Rule, pool *parallel.Pool, watch func() Watch) (Factors, error) {
	f, err := multifrontal(m, t, eliminating[T](r, m.Symmetric()), r.Accept == nil, pool, watch)
	if err != nil {
		return nil, err
	}
	return f, nil
}
