package precond

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// chebyshev is a polynomial of a symmetric positive definite A ([Saad03] 12.3),
//
//	M^-1 = (I - q(D^-1 A)) A^-1,  q(t) = product over k of (1 - omega_k t),
//
// where q is the scaled Chebyshev polynomial that is small on [a, b], b a little
// above the largest eigenvalue of D^-1 A and a = b / chebyshevRatio or, if that
// is more, the smallest eigenvalue as far as a few Lanczos steps know it. Since
// q(t) < 1 for 0 < t < a + b, M is positive definite. An application is one step
//
//	x_(k+1) = x_k + omega_k D^-1 (r - A x_k)
//
// for each root 1/omega_k from x_0 = 0, in an order that keeps intermediate
// results small; the first needs no product with A, the other ones, of which
// there are degree, are a product each that reads and writes 4 vectors besides.
// It stores D^-1 in FP64 and a work vector.
type chebyshev struct {
	a      linop.Relaxer[vector, scalar]
	space  *linop.Host
	w      vector // D^-1
	work   vector
	omega  []scalar
	lo, hi float64 // the interval
	cost   Cost
}

const (
	defaultDegree  = 4
	chebyshevRatio = 100
	// eigenvalueMargin makes up for largestEigenvalue being an estimate from below.
	eigenvalueMargin = 1.1
)

func newChebyshev(m *csr.Matrix, opt Options, pool *linop.Pool) (Preconditioner, error) {
	work := int64(2 * 8 * m.Rows)
	p := &chebyshev{space: linop.NewHost(m.Rows, pool), a: opt.Operator}
	if p.a == nil {
		if err := opt.allow(work + m.Bytes()); err != nil {
			return nil, err
		}
		var err error
		if p.a, p.cost, err = store(m, opt.Epsilon, pool); err != nil {
			return nil, err
		}
	} else if err := opt.allow(work); err != nil {
		return nil, err
	}
	n := int64(m.Rows)
	p.cost = p.cost.Add(Cost{Values: n, ValueBytes: 8 * n, Bytes: work, FP64Bytes: work})
	p.w, p.work = m.Diagonal(pool), p.space.New()
	for i, d := range p.w {
		if p.w[i] = 1 / d; !(d > 0) || math.IsInf(p.w[i], 0) {
			return nil, fmt.Errorf("%w: diagonal entry %d is %g", ErrNotDefinite, i+1, d)
		}
	}
	smallest, largest, err := extremeEigenvalues(p.a, p.w, lanczosSteps, pool)
	if err != nil {
		return nil, err
	}
	p.hi = eigenvalueMargin * largest
	p.lo = max(p.hi/chebyshevRatio, min(smallest, p.hi/2))
	degree := opt.Degree
	if degree <= 0 {
		degree = defaultDegree
	}
	for _, root := range chebyshevRoots(degree+1, p.lo, p.hi) {
		p.omega = append(p.omega, scalar(1/root))
	}
	return p, nil
}

// chebyshevRoots returns the roots of the Chebyshev polynomial of degree n on
// [a, b] in Leja's order: each is, of those left, where the product of the
// factors so far is largest.
func chebyshevRoots(n int, a, b float64) []float64 {
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
	return roots
}

// Apply computes dst = M^-1 src.
func (p *chebyshev) Apply(dst, src vector) {
	x, y := dst, p.work
	if len(p.omega)%2 == 0 { // an odd number of steps between the two follows
		x, y = y, x
	}
	p.space.Mul(p.omega[0], p.w, src, x)
	for _, omega := range p.omega[1:] {
		p.a.Relax(y, x, src, p.w, omega)
		x, y = y, x
	}
}

func (p *chebyshev) Cost() Cost { return p.cost }

func (p *chebyshev) String() string {
	return fmt.Sprintf("%s, degree %d on [%.2g, %.2g]", Chebyshev, len(p.omega)-1, p.lo, p.hi)
}
