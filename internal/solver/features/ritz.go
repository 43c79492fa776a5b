package features

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// RitzSteps is the number of steps that Ritz takes at most.
const RitzSteps = 50

// Ritz returns the least and the largest Ritz value of a symmetric matrix of finite values, and the number of steps of the Lanczos
// process ([GolubVanLoan13], section 10.1). Each step takes one product. The random start vector is always the same. But for
// roundings, relative to ||A||, both values lie between the least and the largest eigenvalue; eigenvalues far from others are found
// first. Vectors are not orthogonalised again, so Ritz values may appear several times, but none lies outside ([Paige76]). The process
// takes 3 vectors.
func Ritz(ctx context.Context, m *csr.Matrix, pool *parallel.Pool) (low, high float64, steps int, err error) {
	norm := Norm1(m)
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

// Gershgorin returns bounds of the eigenvalues of a symmetric matrix: the discs around the diagonal entries of the sums of
// magnitudes of the others [GolubVanLoan13, theorem 8.1.3].
func Gershgorin(m *csr.Matrix) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range m.Rows {
		center, radius := 0.0, 0.0
		cols, vals := m.Row(i)
		for e, j := range cols {
			if int(j) == i {
				center += vals[e]
			} else {
				radius += math.Abs(vals[e])
			}
		}
		low, high = math.Min(low, center-radius), math.Max(high, center+radius)
	}
	return low, high
}

// Norm1 is the largest sum of magnitudes of a column.
func Norm1(m *csr.Matrix) float64 {
	sums, most := make([]float64, m.Cols), 0.0
	for e, j := range m.Col {
		sums[j] += math.Abs(m.Val[e])
	}
	for _, s := range sums {
		most = math.Max(most, s)
	}
	return most
}
