package precond

import (
	"cmp"
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// chebyshev is a polynomial of a symmetric positive definite A ([Saad03] 12.3),
//
//	M^-1 = (I - q(D^-1 A)) A^-1,  q(t) = product over k of (1 - omega_k t),
//
// where q is the scaled Chebyshev polynomial that is small on [a, b], b a little
// above the largest eigenvalue of D^-1 A and a = b / chebyshevRatio or, if that
// is more, the smallest eigenvalue as far as a few Lanczos steps know it. Since
// q(t) < 1 for 0 < t < a + b, M is positive definite. An application is a step for
// each root 1/omega_k (see relaxation), in an order that keeps intermediate results
// small. It stores D^-1 in FP64 and a work vector.
type chebyshev struct {
	*relaxation[vector, scalar]
	lo, hi float64  // the interval
	many   []vector // of ApplyMany, a work vector for each
	cost   Cost
}

const (
	defaultDegree  = 4
	chebyshevRatio = 100
	// eigenvalueMargin makes up for largestEigenvalue being an estimate from below.
	eigenvalueMargin = 1.1
)

func newChebyshev(s setup) (Preconditioner, error) {
	n := int64(s.m.Rows)
	work := workCost(2 * n)
	a, cost, err := s.operator(work.Bytes)
	if err != nil {
		return nil, err
	}
	w, err := inverseDiagonal(s.m, true, s.pool, func(i int, d float64) (float64, error) {
		return 0, errDiagonal(i, d, true)
	})
	if err != nil {
		return nil, err
	}
	smallest, largest, err := extremeEigenvalues(a, w, thorough, s.pool)
	if err != nil {
		return nil, err
	}
	cost = cost.Add(work).Add(Cost{Values: n, ValueBytes: 8 * n})
	return s.chebyshev(s.space(s.m.Rows), a, w, smallest, largest, cost), nil
}

// newDistributedChebyshev is newChebyshev of a matrix that is spread over ranks: M does not depend on the domains, but for rounding.
func newDistributedChebyshev(s distributed) (Preconditioner, error) {
	n := int64(s.a.Own)
	cost := workCost(2 * int64(s.a.Elements())).Add(Cost{Values: n, ValueBytes: 8 * n})
	a := s.Operator
	if a == nil {
		a = dist.NewCSR(s.a, s.m, s.pool)
	}
	w, err := inverseDiagonal(s.m, true, s.pool, func(at int, d float64) (float64, error) {
		if p := s.a.Parts[s.a.Part(at)]; at < p.First() || at >= p.End() {
			return 1, nil // of a ghost
		}
		return 0, errDiagonal(s.a.Given(at), d, true)
	})
	if err := agree(s.a.Comm, err); err != nil {
		return nil, err
	}
	smallest, largest, err := distributedEigenvalues(s.a.Layout, a, w, thorough, s.pool)
	if err := agree(s.a.Comm, cmp.Or(err, s.interrupted())); err != nil {
		return nil, err
	}
	space := dist.NewSpace(s.a.Layout, s.pool)
	kernels.Use(space, s.kernels)
	return s.chebyshev(space, a, w, smallest, largest, s.total(cost)), nil
}

// chebyshev is the preconditioner with a given estimate of the extreme eigenvalues.
func (s *setup) chebyshev(
	space linop.Host, a linop.Relaxer[vector, scalar], w vector, smallest, largest float64, cost Cost,
) *chebyshev {
	hi := eigenvalueMargin * largest
	lo := max(hi/chebyshevRatio, min(smallest, hi/2))
	degree := s.Degree
	if degree <= 0 {
		degree = defaultDegree
	}
	return &chebyshev{relaxation: newRelaxation(space, a, w, chebyshevSteps(degree+1, lo, hi)), lo: lo, hi: hi, cost: cost}
}

// operator returns A as it is stored already, or stores it if the memory budget allows that
// besides other memory; then cost is its memory.
func (s *setup) operator(other int64) (a linop.Relaxer[vector, scalar], cost Cost, err error) {
	if s.Operator != nil {
		return s.Operator, cost, s.checkMemory(other)
	}
	if err := s.checkMemory(other + s.m.Bytes()); err != nil {
		return nil, cost, err
	}
	return store(s.m, s.Epsilon, s.Options, s.pool)
}

// chebyshevSteps returns the inverses of the roots of the Chebyshev polynomial of degree n
// on [a, b] in Leja's order: each root is, of those left, where the product of the
// factors so far is largest.
func chebyshevSteps(n int, a, b float64) []float64 {
	roots := make([]float64, n)
	for k := range roots {
		roots[k] = (a+b)/2 + (b-a)/2*math.Cos(math.Pi*(float64(k)+0.5)/float64(n))
	}
	for k := range roots {
		best, most := k, -1.0
		for j := k; j < n; j++ {
			product := 1.0
			for _, r := range roots[:k] {
				product *= math.Abs(1 - roots[j]/r)
			}
			if product > most {
				best, most = j, product
			}
		}
		roots[k], roots[best] = roots[best], roots[k]
	}
	for k, r := range roots {
		roots[k] = 1 / r
	}
	return roots
}

func (p *chebyshev) Cost() Cost { return p.cost }

func (p *chebyshev) String() string {
	return fmt.Sprintf("%s, degree %d on [%.2g, %.2g]", Chebyshev, len(p.omega)-1, p.lo, p.hi)
}
