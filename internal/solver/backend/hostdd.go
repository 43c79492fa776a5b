package backend

import (
	"context"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// hostDD is the backend with double-double vectors in memory. Preconditioners and measures are in FP64, and read the upper parts.
type hostDD struct {
	linop.HostDD
	upper *Host
	kept  dd.Vec // the last x that ToHost has rounded, see Lower
}

var _ Backend[dd.Vec, dd.DD] = (*hostDD)(nil)

func NewHostDD(upper *Host) *hostDD {
	p := &hostDD{HostDD: linop.NewHostDD(upper.Host), upper: upper}
	kernels.Use(p.HostDD, upper.kernels)
	return p
}

func (*hostDD) Agree() func(krylov.Reason) krylov.Reason { return nil }
func (*hostDD) Fault() error                             { return nil }
func (*hostDD) Close()                                   {}
func (*hostDD) GiveBack(...dd.Vec)                       {}

func (*hostDD) FromHost(x []float64) dd.Vec { return dd.VecOf(x) }

func (*hostDD) ToHost(x []float64, v dd.Vec) { copy(x, v.Hi) }

// Keep keeps an x whose upper part the host has taken.
func (p *hostDD) Keep(x dd.Vec) { p.kept = x }

// Lower returns the lower part of the x that was kept last; nil if x is another vector.
func (p *hostDD) Lower(x []float64) []float64 {
	if !slices.Equal(p.kept.Hi, x) {
		return nil
	}
	return p.kept.Lo
}

func (p *hostDD) RowError(r, t dd.Vec, normX float64, b dd.Vec) float64 {
	return p.upper.RowError(r.Hi, t.Hi, normX, b.Hi)
}

func (p *hostDD) Powers(e []int, sign int) Powers[dd.Vec] {
	return powersDD{p, p.upper.Powers(e, sign).(hostPowers)}
}

// powersDD are powers of two, by which both parts are multiplied exactly.
type powersDD struct {
	at *hostDD
	by hostPowers
}

func (d powersDD) Ldexp(dst, src dd.Vec, a float64, shift int) {
	d.by.Ldexp(dst.Hi, src.Hi, a, shift)
	d.by.Ldexp(dst.Lo, src.Lo, a, shift)
}

func (d powersDD) AddLdexp(dst, x, z dd.Vec, shift int) {
	d.at.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			e := d.by.sign*d.by.e[i] + shift
			dst.Set(i, x.At(i).Add(dd.DD{Hi: dd.Ldexp(z.Hi[i], e), Lo: dd.Ldexp(z.Lo[i], e)}))
		}
	})
}

func (d powersDD) MaxExponent(x dd.Vec) int { return d.by.MaxExponent(x.Hi) }

// sumNorms implements virtual.
func (d powersDD) sumNorms(x, z dd.Vec, shift int) (sum, largest float64, ok bool) {
	return d.by.sumNorms(x.Hi, z.Hi, shift)
}

// rowError implements virtual.
func (d powersDD) rowError(r dd.Vec, shift int, t dd.Vec, normX float64, b dd.Vec) (e float64, ok bool) {
	return d.by.rowError(r.Hi, shift, t.Hi, normX, b.Hi)
}

func (p *hostDD) Exact() linop.Operator[dd.Vec, dd.DD] {
	return p.CSR(p.upper.m)
}

func (p *hostDD) AbsApply(dst, x dd.Vec) {
	p.upper.AbsApply(dst.Hi, x.Hi)
	clear(dst.Lo)
}

func (p *hostDD) Store(scaled *csr.Matrix, t solve.Storage) (Matrix[dd.Vec, dd.DD], error) {
	a, err := p.upper.stored(scaled, t)
	if err != nil {
		return nil, err
	}
	m := matrixDD{a.Wide(), p, a}
	if _, ok := m.Operator.(linop.Transposer[dd.Vec, dd.DD]); ok {
		return transposableDD{m}, nil
	}
	return m, nil
}

// CSR returns the operator of m in FP64.
func (p *hostDD) CSR(m *csr.Matrix) linop.CSRDD { return p.upper.csrDD(m) }

// csrDD is CSR for double-double vectors.
func (h *Host) csrDD(m *csr.Matrix) linop.CSRDD {
	a := linop.NewCSRDD(m, nil, h.pool)
	kernels.Use(a, h.kernels)
	return a
}

// Wide returns the stored matrix as an operator on double-double vectors. Storage.DD has chosen a layout that has such products.
func (a HostMatrix) Wide() linop.Operator[dd.Vec, dd.DD] {
	if a.reduced == nil {
		return a.at.csrDD(a.Source)
	}
	wide, err := a.reduced.DD()
	if err != nil {
		panic(err)
	}
	return wide
}

// matrixDD is a stored matrix for double-double vectors, whole or that ranks share.
type matrixDD struct {
	linop.Operator[dd.Vec, dd.DD]
	at *hostDD
	of interface {
		About() Stored
		tolerances(r vector) // see StorageError
	}
}

func (a matrixDD) About() Stored { return a.of.About() }

func (a matrixDD) StorageError(r dd.Vec, norm float64, d Powers[dd.Vec], e int) {
	a.of.tolerances(r.Hi)
	clear(r.Lo)
	d.Ldexp(r, r, norm, e)
}

func (a matrixDD) Ready(made precond.Preconditioner) (krylov.Preconditioner[dd.Vec], error) {
	return a.at.precond(made), nil
}

func (matrixDD) Release() {}

// transposableDD is a matrixDD that has products with its transpose.
type transposableDD struct{ matrixDD }

// ApplyT computes dst = A^T src.
func (a transposableDD) ApplyT(dst, src dd.Vec) {
	a.Operator.(linop.Transposer[dd.Vec, dd.DD]).ApplyT(dst, src)
}

// precondDD applies a preconditioner of float64 vectors to upper parts, which is a linear map to 53 bits. A diagonal preconditioner
// multiplies in double-double instead (diagonalDD): then the map is linear to 106 bits, as the methods assume.
type precondDD struct{ krylov.Preconditioner[vector] }

func (p *hostDD) precond(by krylov.Preconditioner[vector]) krylov.Preconditioner[dd.Vec] {
	if of, ok := by.(interface{ Data() precond.Data }); ok {
		if w, ok := of.Data().(precond.Diagonal); ok {
			return diagonalDD{w, p}
		}
	}
	return precondDD{by}
}

// Apply implements krylov.Preconditioner.
func (p precondDD) Apply(dst, src dd.Vec) {
	p.Preconditioner.Apply(dst.Hi, src.Hi)
	clear(dst.Lo)
}

// ApplyT implements krylov.TransposedPreconditioner.
func (p precondDD) ApplyT(dst, src dd.Vec) {
	p.Preconditioner.(krylov.TransposedPreconditioner[vector]).ApplyT(dst.Hi, src.Hi)
	clear(dst.Lo)
}

// diagonalDD is a diagonal M^-1.
type diagonalDD struct {
	w  []float64
	at *hostDD
}

// Apply implements krylov.Preconditioner.
func (p diagonalDD) Apply(dst, src dd.Vec) {
	p.at.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst.Set(i, src.At(i).Mul(dd.From(p.w[i])))
		}
	})
}

// ApplyT implements krylov.TransposedPreconditioner.
func (p diagonalDD) ApplyT(dst, src dd.Vec) { p.Apply(dst, src) }

// WideMethod is a method with double-double vectors for corrections A d = r in float64. It takes r exactly, and rounds d at the end.
type WideMethod struct {
	krylov.Method[dd.Vec, dd.DD]
	at   *hostDD
	of   linop.Relaxer[vector, scalar] // the same matrix as a
	a    *Timed[dd.Vec, dd.DD]
	x, b []float64 // lower parts
}

// InMemory returns the backend of the vectors of a space if they are in memory, and ranks share them or nobody; nil: they are not.
func InMemory(space any) *Host {
	switch at := space.(type) {
	case *Host:
		return at
	case *rankHost:
		return at.Host
	}
	return nil
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
		w.of, w.a = of, &Timed[dd.Vec, dd.DD]{Operator: m.(Widening).Wide()}
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
	if t, ok := a.(*Timed[vector, scalar]); ok {
		t.Count += w.a.Count - count
		t.Elapsed += w.a.Elapsed - elapsed
	}
	return result
}
