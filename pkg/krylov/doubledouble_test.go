package krylov

import (
	"context"
	"math/big"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// ddSpace is the space of double-double vectors, written plainly: the methods
// must run on it as they are.
type ddSpace struct{ n int }

type ddVector = []dd.DD

var _ linop.Space[ddVector, dd.DD] = ddSpace{}

func (s ddSpace) Dim() int                { return s.n }
func (s ddSpace) New() ddVector           { return make(ddVector, s.n) }
func (ddSpace) Roundoff() float64         { return 0x1p-104 }
func (ddSpace) Scalar(a float64) dd.DD    { return dd.From(a) }
func (ddSpace) Zero(x ddVector)           { clear(x) }
func (ddSpace) Copy(dst, src ddVector)    { copy(dst, src) }
func (ddSpace) Scale(a dd.DD, x ddVector) { each(x, func(i int) dd.DD { return a.Mul(x[i]) }) }

func (ddSpace) Axpy(a dd.DD, x, y ddVector) {
	each(y, func(i int) dd.DD { return y[i].Add(a.Mul(x[i])) })
}

func (ddSpace) Xpay(x ddVector, a dd.DD, y ddVector) {
	each(y, func(i int) dd.DD { return x[i].Add(a.Mul(y[i])) })
}

func each(y ddVector, f func(i int) dd.DD) {
	for i := range y {
		y[i] = f(i)
	}
}

func (ddSpace) Dot(x, y ddVector) (s dd.DD) {
	for i := range x {
		s = s.Add(x[i].Mul(y[i]))
	}
	return s
}

func (s ddSpace) AxpyDot(a dd.DD, x, y, z ddVector) dd.DD {
	s.Axpy(a, x, y)
	return s.Dot(y, z)
}

func (s ddSpace) Step(a dd.DD, p, x, q, r ddVector) dd.DD {
	s.Axpy(a, p, x)
	return s.AxpyDot(a.Neg(), q, r, r)
}

func (s ddSpace) DoubleStep(a dd.DD, p ddVector, o dd.DD, t, x, q, r, w ddVector) (rr, rw dd.DD) {
	s.Axpy(a, p, x)
	s.Axpy(o, t, x)
	return s.AxpyDot(o.Neg(), q, r, r), s.Dot(r, w)
}

func (s ddSpace) Direction(r ddVector, b, o dd.DD, q, p ddVector) {
	s.Axpy(o.Neg(), q, p)
	s.Xpay(r, b, p)
}

func (s ddSpace) MultiAxpyDot(a []dd.DD, vs []ddVector, w ddVector) dd.DD {
	s.MultiAxpy(a, vs, w)
	return s.Dot(w, w)
}

func (s ddSpace) MultiDot(h []dd.DD, vs []ddVector, w ddVector) {
	for k, v := range vs {
		h[k] = s.Dot(v, w)
	}
}

func (s ddSpace) MultiAxpy(a []dd.DD, vs []ddVector, w ddVector) {
	for k, v := range vs {
		s.Axpy(a[k], v, w)
	}
}

// ddOperator is a float64 matrix on double-double vectors.
type ddOperator struct {
	ddSpace
	m *csr.Matrix
}

func (a ddOperator) Dims() (rows, cols int) { return a.m.Dims() }

func (a ddOperator) Apply(dst, src ddVector) {
	each(dst, func(i int) (s dd.DD) {
		cols, vals := a.m.Row(i)
		for k, j := range cols {
			s = s.Add(dd.From(vals[k]).Mul(src[j]))
		}
		return s
	})
}

func (a ddOperator) ApplyDot(dst, src, w ddVector) dd.DD {
	a.Apply(dst, src)
	return a.Dot(dst, w)
}

func (a ddOperator) ApplyDots(dst, src, w ddVector) (dw, dd dd.DD) {
	a.Apply(dst, src)
	return a.Dot(dst, w), a.Dot(dst, dst)
}

func (a ddOperator) Residual(r, b, x ddVector) {
	a.Apply(r, x)
	each(r, func(i int) dd.DD { return b[i].Sub(r[i]) })
}

// bigResidual is ||b - A x|| / ||b|| in 400-bit arithmetic.
func bigResidual(m *csr.Matrix, x, b ddVector) float64 {
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	sum := func(v dd.DD) *big.Float { s := num(v.Hi); return s.Add(s, num(v.Lo)) }
	rr, bb := num(0), num(0)
	for i := range b {
		r := sum(b[i])
		bb.Add(bb, num(0).Mul(r, r))
		cols, vals := m.Row(i)
		for k, j := range cols {
			p := num(vals[k])
			r.Sub(r, p.Mul(p, sum(x[j])))
		}
		rr.Add(rr, r.Mul(r, r))
	}
	q, _ := rr.Quo(rr, bb).Sqrt(rr).Float64()
	return q
}

// stiff is the square of the second difference on n points: symmetric positive
// definite with a condition number of about (n/2)^4 / 4.
func stiff(n int) *csr.Matrix {
	return entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			for k, v := range []float64{1, -4, 6, -4, 1} {
				if j := i + k - 2; j >= 0 && j < n {
					add(i, j, v)
				}
			}
		}
		add(0, 0, -1)
		add(n-1, n-1, -1)
	})
}

func toDD(x []float64) ddVector {
	y := make(ddVector, len(x))
	for i, v := range x {
		y[i] = dd.From(v)
	}
	return y
}

// One source of CG: in double-double it needs clearly fewer iterations for the
// same tolerance, since it loses its conjugacy later.
func TestDoubleDoubleCGNeedsFewerIterations(t *testing.T) {
	a := stiff(200)
	b := random(1, a.Rows)
	opt := hostOptions{Tol: 1e-8, MaxIter: 20000}
	plain := solveWith(t, "cg", a, make([]float64, a.Rows), b, opt)

	x, space := make(ddVector, a.Rows), ddSpace{a.Rows}
	better := NewCG[ddVector, dd.DD](space).Solve(context.Background(), ddOperator{space, a}, x, toDD(b),
		Options[ddVector]{Tol: 1e-8, MaxIter: 20000})
	if plain.Reason != Converged || better.Reason != Converged || 4*better.Iterations > 3*plain.Iterations {
		t.Errorf("float64: %v after %d iterations; double-double: %v after %d",
			plain.Reason, plain.Iterations, better.Reason, better.Iterations)
	}
	if res := bigResidual(a, x, toDD(b)); res > 1.001e-8 {
		t.Errorf("double-double residual %g", res)
	}
}

// All methods reach residuals in double-double that no float64 vector has.
func TestDoubleDoubleReachesFarther(t *testing.T) {
	a := stiff(24)
	b := random(2, a.Rows)
	space := ddSpace{a.Rows}
	opt := GMRESOptions{Restart: a.Rows}
	cgs2 := GMRESOptions{Restart: a.Rows, Orthogonalization: CGS2}
	for _, m := range []Method[ddVector, dd.DD]{
		NewCG[ddVector, dd.DD](space), NewBiCGStab[ddVector, dd.DD](space), NewMINRES[ddVector, dd.DD](space),
		NewGMRES[ddVector, dd.DD](space, opt), NewGMRES[ddVector, dd.DD](space, cgs2),
	} {
		for _, by := range []Preconditioner[ddVector]{nil, ddOperator{space, jacobi(a, 1)}} {
			for _, flexible := range []bool{false, true} {
				x := space.New()
				r := m.Solve(context.Background(), ddOperator{space, a}, x, toDD(b),
					Options[ddVector]{Tol: 1e-26, Precond: by, Flexible: flexible})
				if res := bigResidual(a, x, toDD(b)); r.Reason != Converged || !(res < 1e-25) {
					t.Errorf("%s: %v after %d iterations, residual %g", m.Name(), r.Reason, r.Iterations, res)
				}
			}
		}
		y := make([]float64, a.Rows)
		solveWith(t, m.Name()+map[string]string{"gmres": " full"}[m.Name()], a, y, b, hostOptions{Tol: 1e-26})
		if res := bigResidual(a, toDD(y), toDD(b)); res < 1e-18 {
			t.Errorf("%s: float64 reaches %g too: the test shows nothing", m.Name(), res)
		}
	}
}
