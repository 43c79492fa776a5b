package solve

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/mpsolve/mpsolve/internal/ddspace"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dd"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// ddPlace is a place of double-double vectors, written plainly: what a place of another
// kind takes besides a linop.Space.
type ddPlace struct {
	ddspace.Space
	m *csr.Matrix
}

type ddVector = ddspace.Vector

var _ place[ddVector, dd.DD] = ddPlace{}

func newDDPlace(m *csr.Matrix) ddPlace { return ddPlace{ddspace.Space(m.Rows), m} }

func (ddPlace) agree() func(krylov.Reason) krylov.Reason { return nil }

func (ddPlace) err() error       { return nil }
func (ddPlace) close()           {}
func (ddPlace) free(...ddVector) {}

func (ddPlace) upload(x []float64) ddVector { return ddspace.From(x) }

func (ddPlace) download(x []float64, v ddVector) {
	for i := range x {
		x[i] = v[i].Float()
	}
}

func (ddPlace) AbsMax(x ddVector) (largest float64) {
	for _, v := range x {
		largest = max(largest, math.Abs(v.Float()))
	}
	return largest
}

func (p ddPlace) Norm2(x ddVector) (norm float64, e int) { return p.Dot(x, x).Sqrt().Float(), 0 }

func (ddPlace) RowError(r, t ddVector, normX float64, b ddVector) (worst float64) {
	for i := range r {
		worst = max(worst, quotient(math.Abs(r[i].Float()), t[i].Float(), normX, math.Abs(b[i].Float())))
	}
	return worst
}

func (p ddPlace) powers(e []int, sign int) powers[ddVector] { return ddPowers{e, sign} }

type ddPowers struct {
	e    []int
	sign int
}

func (d ddPowers) of(v dd.DD, i, shift int) dd.DD {
	return dd.DD{Hi: csr.Ldexp(v.Hi, d.sign*d.e[i]+shift), Lo: csr.Ldexp(v.Lo, d.sign*d.e[i]+shift)}
}

func (d ddPowers) ldexp(dst, src ddVector, a float64, shift int) {
	ddspace.Set(dst, func(i int) dd.DD { return d.of(src[i].Mul(dd.From(a)), i, shift) })
}

func (d ddPowers) addLdexp(dst, x, z ddVector, shift int) {
	ddspace.Set(dst, func(i int) dd.DD { return x[i].Add(d.of(z[i], i, shift)) })
}

func (d ddPowers) maxExponent(x ddVector) int {
	top := leastExponent
	for i, v := range x {
		if v.Hi != 0 {
			top = max(top, csr.Exponent(v.Hi)+d.sign*d.e[i])
		}
	}
	return top
}

func (p ddPlace) exact() linop.Operator[ddVector, dd.DD] { return ddspace.Operator{M: p.m} }

func (p ddPlace) absApply(dst, x ddVector) { panic("not for this test") }

func (p ddPlace) store(scaled *csr.Matrix, t Storage) (matrix[ddVector, dd.DD], error) {
	return ddMatrix{ddspace.Operator{M: scaled}, stored{storage: t.fp64(), source: scaled}}, nil
}

// ddMatrix is a float64 matrix on double-double vectors.
type ddMatrix struct {
	ddspace.Operator
	stored
}

func (a ddMatrix) about() stored { return a.stored }

func (a ddMatrix) storageError(ddVector, float64, powers[ddVector], int) { panic("plain storage") }

func (a ddMatrix) upload(precond.Preconditioner) (krylov.Preconditioner[ddVector], error) {
	return nil, errors.New("not for double-double")
}

func (a ddMatrix) release() {}

// Refinement at a place of another kind of number: x has twice the digits of float64, and
// nothing of it has gone through float64.
func TestAnotherPlace(t *testing.T) {
	for _, m := range []*csr.Matrix{rescaled(grid(8, 0, 0), uneven(2), uneven(2)), rescaled(grid(8, 0.3, 0), uneven(3), same(-1))} {
		s := newSolver(t, m, Options{Precond: unpreconditioned})
		at := newDDPlace(m)
		f, err := newRefinement(t.Context(), s, at)
		if err != nil {
			t.Fatal(err)
		}
		x, b := at.New(), at.upload(random(1, m.Rows))
		ddspace.Set(b, func(i int) dd.DD { return b[i].Add(dd.From(0x1p-70)) }) // more than float64 holds
		r, err := f.solve(t.Context(), x, b, krylov.Options[ddVector]{Tol: 1e-25, MaxIter: 5000})
		if err != nil || r.Reason != krylov.Converged {
			t.Errorf("%+v, %v", r, err)
		}
		worst := 0.0
		for i := range m.Rows {
			sum, scale := bigDD(b[i]), math.Abs(b[i].Hi)
			cols, vals := m.Row(i)
			for k, j := range cols {
				sum.Sub(sum, new(big.Float).Mul(bigDD(dd.From(vals[k])), bigDD(x[j])))
				scale += math.Abs(vals[k]) * at.AbsMax(x)
			}
			v, _ := sum.Abs(sum).Float64()
			worst = max(worst, v/scale)
		}
		if !(worst <= 2e-25) {
			t.Errorf("row-wise error %g", worst)
		}
	}
}

func bigDD(v dd.DD) *big.Float {
	s := new(big.Float).SetPrec(400).SetFloat64(v.Hi)
	return s.Add(s, big.NewFloat(v.Lo))
}
