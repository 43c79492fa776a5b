package features

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// RitzSteps is the number of steps that Ritz takes at most.
const RitzSteps = 50

// Ritz returns the least and the largest Ritz value of a symmetric matrix of finite values, and the number of steps of the Lanczos
// process ([GolubVanLoan13], section 10.1). Each step takes one product. The random start vector is always the same. But for
// roundings, relative to ||A||, both values lie between the least and the largest eigenvalue; eigenvalues far from others are found
// first. Vectors are not orthogonalised again, so Ritz values may appear several times, but none lies outside ([Paige76]). The process
// takes 3 vectors.
func Ritz(ctx context.Context, m *csr.Matrix, pool *parallel.Pool) (low, high float64, steps int, err error) {
	norm := m.Norm1()
	if norm == 0 {
		return 0, 0, 0, nil
	}
	_, e := math.Frexp(norm) // no eigenvalue is beyond 2^e
	space, a := linop.NewHost(m.Rows, pool), linop.NewCSR(m, pool)
	v, before, w := space.New(), space.New(), space.New()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range v {
		v[i] = random.Float64() - 0.5
	}
	space.Scale(1/space.Dot(v, v).Sqrt(), v)
	var diagonal, off []float64
	for beta := 0.0; len(diagonal) < min(RitzSteps, m.Rows); {
		if err := ctx.Err(); err != nil {
			return 0, 0, 0, err
		}
		a.Apply(w, v)
		for i := range w {
			w[i] = math.Ldexp(w[i], -e)
		}
		space.Axpy(linop.Float64(-beta), before, w)
		alpha := space.Dot(v, w)
		space.Axpy(-alpha, v, w)
		diagonal = append(diagonal, alpha.Float())
		if beta = space.Dot(w, w).Sqrt().Float(); beta < 0x1p-40 { // v is in an invariant space
			break
		}
		off = append(off, beta)
		space.Scale(linop.Float64(1/beta), w)
		before, v, w = v, w, before
	}
	k := len(diagonal)
	t := mat.NewSymDense(k, nil)
	for i := range k {
		if t.SetSym(i, i, diagonal[i]); i+1 < k {
			t.SetSym(i, i+1, off[i])
		}
	}
	var eigen mat.EigenSym
	if math.IsInf(norm, 1) || !eigen.Factorize(t, false) {
		return 0, 0, 0, errors.New("the norm of the matrix is beyond the range of float64")
	}
	values := eigen.Values(nil)
	return math.Ldexp(values[0], e), math.Ldexp(values[k-1], e), k, nil
}
