package backend

import (
	"context"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// WideMethod is a method with double-double vectors for corrections A d = r in float64. It takes r exactly, and rounds d at the end.
type WideMethod struct {
	krylov.Method[dd.Vec, dd.DD]
	at   *hostDD
	of   linop.Relaxer[vector, scalar] // the same matrix as a
	a    *linop.Timed[dd.Vec, dd.DD]
	x, b []float64 // lower parts
}

// NewWideMethod returns the method of a name with double-double vectors.
func NewWideMethod(name solve.Method, at *Host, opt krylov.MethodOptions) (krylov.Method[vector, scalar], error) {
	wide := NewHostDD(at)
	method, err := krylov.New(string(name), wide, opt)
	return &WideMethod{Method: method, at: wide, x: at.New(), b: at.New()}, err
}

// A Multiplying method is told which matrix it multiplies with.
type Multiplying[V any, S linop.Scalar[S]] interface {
	Multiplies(m Matrix[V, S])
}

// Multiplies makes m the matrix that the method multiplies with, whatever operator is passed to Solve.
func (w *WideMethod) Multiplies(m Matrix[vector, scalar]) {
	if of := m.About().Relaxer; w.of != of {
		w.of, w.a = of, &linop.Timed[dd.Vec, dd.DD]{Operator: m.(Widening).Wide()}
	}
}

// Solve implements krylov.Method.
func (w *WideMethod) Solve(ctx context.Context, a linop.Operator[vector, scalar], x, b vector, opt krylov.Options[vector]) krylov.Result {
	wide := krylov.Options[dd.Vec]{
		Tol: opt.Tol, MaxIter: opt.MaxIter, Monitor: opt.Monitor, Flexible: opt.Flexible, Agree: opt.Agree,
		Watch: opt.Watch, Replaces: opt.Replaces, Unconfirmed: opt.Unconfirmed,
		Measure: func(x, r dd.Vec) float64 { return opt.Measure(x.Hi, r.Hi) },
	}
	if opt.Precond != nil {
		wide.Precond = w.at.precond(opt.Precond)
	}
	clear(w.x)
	clear(w.b)
	count, elapsed := w.a.Count, w.a.Elapsed
	result := w.Method.Solve(ctx, w.a, dd.Vec{Hi: x, Lo: w.x}, dd.Vec{Hi: b, Lo: w.b}, wide)
	if t, ok := a.(*linop.Timed[vector, scalar]); ok {
		t.Count += w.a.Count - count
		t.Elapsed += w.a.Elapsed - elapsed
	}
	return result
}
