package solve

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// ddPlace is a place of double-double vectors, written plainly: what a place of another
// kind takes.
type ddPlace struct{ m *csr.Matrix }

type ddVector = []dd.DD

var _ place[ddVector, dd.DD] = ddPlace{}

func (p ddPlace) Dim() int                { return p.m.Rows }
func (p ddPlace) New() ddVector           { return make(ddVector, p.m.Rows) }
func (ddPlace) Scalar(a float64) dd.DD    { return dd.From(a) }
func (ddPlace) Roundoff() float64         { return 0x1p-104 }
func (ddPlace) Zero(x ddVector)           { clear(x) }
func (ddPlace) Copy(dst, src ddVector)    { copy(dst, src) }
func (ddPlace) Scale(a dd.DD, x ddVector) { set(x, func(i int) dd.DD { return a.Mul(x[i]) }) }
func (ddPlace) Axpy(a dd.DD, x, y ddVector) {
	set(y, func(i int) dd.DD { return y[i].Add(a.Mul(x[i])) })
}
func (ddPlace) Xpay(x ddVector, a dd.DD, y ddVector) {
	set(y, func(i int) dd.DD { return x[i].Add(a.Mul(y[i])) })
}

func (ddPlace) Dot(x, y ddVector) (s dd.DD) {
	for i := range x {
		s = s.Add(x[i].Mul(y[i]))
	}
	return s
}

func (p ddPlace) AxpyDot(a dd.DD, x, y, z ddVector) dd.DD {
	p.Axpy(a, x, y)
	return p.Dot(y, z)
}

func (p ddPlace) Step(a dd.DD, d, x, q, r ddVector) dd.DD {
	p.Axpy(a, d, x)
	return p.AxpyDot(a.Neg(), q, r, r)
}

func (p ddPlace) DoubleStep(a dd.DD, d ddVector, o dd.DD, t, x, q, r, w ddVector) (rr, rw dd.DD) {
	p.Axpy(a, d, x)
	p.Axpy(o, t, x)
	return p.AxpyDot(o.Neg(), q, r, r), p.Dot(r, w)
}

func (p ddPlace) Direction(r ddVector, b, o dd.DD, q, d ddVector) {
	p.Axpy(o.Neg(), q, d)
	p.Xpay(r, b, d)
}

func (p ddPlace) MultiDot(h []dd.DD, vs []ddVector, w ddVector) {
	for k, v := range vs {
		h[k] = p.Dot(v, w)
	}
}

func (p ddPlace) MultiAxpy(a []dd.DD, vs []ddVector, w ddVector) {
	for k, v := range vs {
		p.Axpy(a[k], v, w)
	}
}

func (p ddPlace) MultiAxpyDot(a []dd.DD, vs []ddVector, w ddVector) dd.DD {
	p.MultiAxpy(a, vs, w)
	return p.Dot(w, w)
}

func set(y ddVector, value func(i int) dd.DD) {
	for i := range y {
		y[i] = value(i)
	}
}

func (ddPlace) agree() func(krylov.Reason) krylov.Reason { return nil }

func (ddPlace) err() error       { return nil }
func (ddPlace) close()           {}
func (ddPlace) free(...ddVector) {}

func (p ddPlace) upload(x []float64) ddVector {
	v := p.New()
	set(v, func(i int) dd.DD { return dd.From(x[i]) })
	return v
}

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
	set(dst, func(i int) dd.DD { return d.of(src[i].Mul(dd.From(a)), i, shift) })
}

func (d ddPowers) addLdexp(dst, x, z ddVector, shift int) {
	set(dst, func(i int) dd.DD { return x[i].Add(d.of(z[i], i, shift)) })
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

func (p ddPlace) exact() linop.Operator[ddVector, dd.DD] { return ddMatrix{p, stored{}} }

func (p ddPlace) absApply(dst, x ddVector) { panic("not for this test") }

func (p ddPlace) store(scaled *csr.Matrix, t Storage) (matrix[ddVector, dd.DD], error) {
	return ddMatrix{ddPlace{scaled}, stored{storage: t.fp64(), source: scaled}}, nil
}

// ddMatrix is a float64 matrix on double-double vectors.
type ddMatrix struct {
	ddPlace
	stored
}

func (a ddMatrix) Dims() (rows, cols int) { return a.m.Dims() }

func (a ddMatrix) Apply(dst, src ddVector) {
	set(dst, func(i int) (s dd.DD) {
		cols, vals := a.m.Row(i)
		for k, j := range cols {
			s = s.Add(dd.From(vals[k]).Mul(src[j]))
		}
		return s
	})
}

func (a ddMatrix) ApplyDot(dst, src, w ddVector) dd.DD {
	a.Apply(dst, src)
	return a.Dot(dst, w)
}

func (a ddMatrix) ApplyDots(dst, src, w ddVector) (dw, dd dd.DD) {
	a.Apply(dst, src)
	return a.Dot(dst, w), a.Dot(dst, dst)
}

func (a ddMatrix) Residual(r, b, x ddVector) {
	a.Apply(r, x)
	set(r, func(i int) dd.DD { return b[i].Sub(r[i]) })
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
		at := ddPlace{m}
		f, err := newRefinement(t.Context(), s, at)
		if err != nil {
			t.Fatal(err)
		}
		x, b := at.New(), at.upload(random(1, m.Rows))
		set(b, func(i int) dd.DD { return b[i].Add(dd.From(0x1p-70)) }) // more than float64 holds
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
