package precond

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
)

// precision is the number of bytes of the numbers of factors, which are made in arithmetic of that precision and applied in float64.
type precision int

const (
	fp32 precision = 4
	fp64 precision = 8
)

const (
	// Factors are tried in FP32 where they take at least singleWork multiplications, about a hundredth of a second.
	singleWork = 1e8
	// mostContraction is the largest part of an error that an iteration of refinement may leave with factors in FP32 [CarsonHigham18]. With 0.1, a plate took ten times the applications of factors in FP64.
	mostContraction = 0x1p-6
	// singleError is about that part for n pivots of which the least is one n-th of its diagonal entry: 0.2e-10 to 1.2e-10 for meshes in the plane and in
	// space, with and without jumps of the coefficient, and for a plate.
	singleError = 1e-10
)

// precisionOf returns the precision of a type of numbers.
func precisionOf[T kernels.Value]() precision {
	if _, single := any(T(0)).(float32); single {
		return fp32
	}
	return fp64
}

func (p precision) String() string {
	if p == fp32 {
		return "FP32"
	}
	return "FP64"
}

// firstPrecision is the precision that factors are made in first.
func (s *setup) firstPrecision(p *frontPlan) precision {
	if s.Epsilon > adaptive.MinEpsilon && p.work.Multiplications >= singleWork {
		return fp32
	}
	return fp64
}

// A pivotRule says how pivots of fronts are chosen: as they come, if accept is there; otherwise by Bunch and Kaufman for a symmetric matrix, and the
// largest of a column for others.
type pivotRule struct {
	accept             func(in precision, k int, pivot float64) (float64, error)
	replaced, negative atomic.Int64 // pivots, and eigenvalues of D unless accept is there
}

// eliminating returns the elimination by a rule.
func eliminating[T kernels.Value](r *pivotRule, symmetric bool) pivoting[T] {
	switch {
	case r.accept != nil:
		return ldl[T](func(k int, pivot float64) (float64, error) { return r.accept(precisionOf[T](), k, pivot) })
	case symmetric:
		return bunchKaufman[T](r)
	}
	return staticPivots[T](r)
}

// errVanishing is the end of factors in FP32 that need more digits.
var errVanishing = errors.New("a pivot is too small")

// fault returns the error of a replaced pivot: in FP32 there are other factors.
func (r *pivotRule) fault(in precision) error {
	if in == fp32 && r.replaced.Load() > 0 {
		return errVanishing
	}
	return nil
}

// factor factors a plan in a precision.
func (s *setup) factor(p *frontPlan, r *pivotRule, in precision) (frontFactors, error) {
	r.replaced.Store(0)
	r.negative.Store(0)
	if in == fp32 {
		f, err := multifrontal(s, p, eliminating[float32](r, p.transpose == nil), r.accept == nil)
		return f, err
	}
	f, err := multifrontal(s, p, eliminating[float64](r, p.transpose == nil), r.accept == nil)
	return f, err
}

// complete factors a plan in FP32 if its factors serve, otherwise in FP64. What they leave of an error is a cheap estimate of the condition of A.
func (s *setup) complete(kind Kind, order string, p *frontPlan, r *pivotRule) (*complete, error) {
	name := fmt.Sprintf("%s, %s", kind, order)
	if s.firstPrecision(p) == fp32 {
		why := ""
		f, err := s.factor(p, r, fp32)
		switch {
		case err == nil:
			c, err := s.newComplete(name, p, f)
			if err != nil {
				return nil, err
			}
			e := s.contraction(c)
			if e <= mostContraction {
				return c, nil
			}
			why = fmt.Sprintf("leave %.0e of an error", e)
		case errors.Is(err, errVanishing):
			why = "have a pivot that is too small"
		default:
			return nil, err
		}
		s.logf("%s: factors in FP32 %s, factors in FP64 follow", kind, why)
	}
	f, err := s.factor(p, r, fp64)
	if err != nil {
		return nil, err
	}
	if n := r.replaced.Load(); n > 0 {
		s.logf(vanishing, kind, replacement, n)
	}
	return s.newComplete(name, p, f)
}

// contraction is the part of an error that an iteration x += M^-1 (b - A x) leaves, in the largest element in the scaling of M: of an error whose elements
// are 1/2 or 3/2, or of the error after that, which is mostly in the directions that M is worst for.
func (s *setup) contraction(c *complete) float64 {
	e, r, d := make([]float64, s.m.Rows), make([]float64, s.m.Rows), make([]float64, s.m.Rows)
	for k, j := range c.unknowns {
		e[j] = c.colScale[k] * (1 + sign(k)/2)
	}
	size := func() (largest float64) {
		for k, j := range c.unknowns {
			largest = max(largest, math.Abs(e[j]/c.colScale[k]))
		}
		return largest
	}
	worst, before := 0.0, size()
	for step := 0; step < 2 && before > 0; step++ {
		s.m.MulVec(r, e)
		c.Apply(d, r)
		for i := range e {
			e[i] -= d[i]
		}
		now := size()
		worst, before = max(worst, now/before), now
	}
	return worst
}
