package precond

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// An effort is how many Lanczos steps an estimate takes: most or, from least on, as many as add more
// than littleGrowth of it to the largest eigenvalue. One that is alone, as of coarse levels of elasticity,
// comes late, within two or three steps.
type effort struct{ least, most int }

var (
	thorough = effort{15, 15} // within a few per cent
	quick    = effort{8, 15}  // within the margin of smoothers
)

const littleGrowth = 0.02

// largestEigenvalue estimates the largest eigenvalue of D^-1 A; see extremeEigenvalues.
func largestEigenvalue(a linop.Operator[vector, scalar], w vector, pool *parallel.Pool) (float64, error) {
	_, largest, err := extremeEigenvalues(a, w, quick, pool)
	return largest, err
}

// extremeEigenvalues estimates the smallest eigenvalue of D^-1 A from above and
// the largest one from below, A symmetric positive definite and D^-1 = diag(w), by
// Lanczos steps in the inner product of D: the steps of conjugate gradients
// preconditioned with D from a fixed random residual, whose coefficients make up
// the tridiagonal matrix ([Saad03] 6.7.3). Each takes a product with A; it
// allocates 4 vectors. The error is ErrNotDefinite if a step shows that A is not.
func extremeEigenvalues(a linop.Operator[vector, scalar], w vector, steps effort, pool *parallel.Pool) (smallest, largest float64, err error) {
	space := linop.NewHost(len(w), pool)
	r := space.New()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range r {
		r[i] = rng.Float64() - 0.5
	}
	return lanczos(space, a, w, r, steps)
}

// distributedEigenvalues is extremeEigenvalues of a matrix that is spread over ranks, from a residual whose elements are random
// functions of their rows. Collective.
func distributedEigenvalues(
	l *dist.Layout, a linop.Operator[vector, scalar], w vector, steps effort, pool *parallel.Pool,
) (smallest, largest float64, err error) {
	space := dist.NewSpace(l, pool)
	r := space.New()
	for _, p := range l.Parts {
		for i := range p.Own {
			r[p.First()+i] = float64(int64(mixed(uint64(p.Row+int64(i))))) * 0x1p-64 // in [-1/2, 1/2)
		}
	}
	return lanczos(space, a, w, r, steps)
}

// mixed is a hash of x: the output of SplitMix64 [Steele14] in state x.
func mixed(x uint64) uint64 {
	x = (x + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// lanczos does the steps of extremeEigenvalues from the residual r, which it overwrites.
func lanczos(
	space linop.Host, a linop.Operator[vector, scalar], w, r vector, steps effort,
) (smallest, largest float64, err error) {
	z, p, q := space.New(), space.New(), space.New()
	space.Mul(1, w, r, z)
	space.Copy(p, z)
	rho := space.Dot(r, z)
	first := rho
	var diagonal, off []float64
	last := 0.0 // beta / alpha of the step before
	for range min(steps.most, space.Dim()) {
		pq := a.ApplyDot(q, p, p)
		alpha := rho / pq
		if !(alpha > 0) || math.IsInf(alpha.Float(), 0) {
			return 0, 0, fmt.Errorf("%w: p·Ap = %g with p·Dp = %g", ErrNotDefinite, pq, rho)
		}
		space.Axpy(-alpha, q, r)
		space.Mul(1, w, r, z)
		before := rho
		rho = space.Dot(r, z)
		beta := rho / before
		diagonal = append(diagonal, 1/alpha.Float()+last)
		sofar := largest
		largest = largestOfTridiagonal(diagonal, off)
		if !(rho > 0x1p-80*first) { // p spans an invariant space
			break
		}
		if len(diagonal) >= steps.least && largest-sofar < littleGrowth*largest {
			break
		}
		off = append(off, beta.Sqrt().Float()/alpha.Float())
		last = (beta / alpha).Float()
		space.Xpay(z, beta, p)
	}
	for i := range diagonal {
		diagonal[i] = -diagonal[i]
	}
	return -largestOfTridiagonal(diagonal, off), largest, nil
}

// largestOfTridiagonal returns the largest eigenvalue of the symmetric matrix
// with that diagonal and off[i] in places i, i+1, by bisection: all pivots of
// T - x I are negative if and only if x is above it.
func largestOfTridiagonal(diagonal, off []float64) float64 {
	low, high := math.Inf(-1), math.Inf(-1)
	before := 0.0
	for i, d := range diagonal {
		after := 0.0
		if i < len(diagonal)-1 {
			after = off[i]
		}
		low, high = max(low, d), max(high, d+before+after)
		before = after
	}
	for range 60 {
		x := low + (high-low)/2
		pivot, above := -1.0, true
		for i, d := range diagonal {
			e := 0.0
			if i > 0 {
				e = off[i-1]
			}
			pivot = d - x - e*e/pivot
			above = above && pivot < 0
		}
		if above {
			high = x
		} else {
			low = x
		}
	}
	return high
}
