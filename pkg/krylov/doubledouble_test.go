package krylov

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// bigResidual is ||b - A x|| / ||b|| in 400-bit arithmetic.
func bigResidual(m *csr.Matrix, x, b dd.Vec) float64 {
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	sum := func(v dd.DD) *big.Float { s := num(v.Hi); return s.Add(s, num(v.Lo)) }
	rr, bb := num(0), num(0)
	for i := range b.Len() {
		r := sum(b.At(i))
		bb.Add(bb, num(0).Mul(r, r))
		cols, vals := m.Row(i)
		for k, j := range cols {
			p := num(vals[k])
			r.Sub(r, p.Mul(p, sum(x.At(int(j)))))
		}
		rr.Add(rr, r.Mul(r, r))
	}
	q, _ := rr.Quo(rr, bb).Sqrt(rr).Float64()
	return q
}

// All methods reach residuals in double-double that no float64 vector has, on an
// asynchronous space too; GMRES in one cycle.
func TestDoubleDoubleReachesFarther(t *testing.T) {
	a, pool := stiff(24), newPool(t, 2)
	b := random(2, a.Rows)
	space, op, diagonal := linop.NewHostDD(linop.NewHost(a.Rows, pool)), linop.NewCSRDD(a, nil, pool), linop.NewCSRDD(jacobi(a, 1), nil, pool)
	for _, v := range methods {
		if v.restarted() || v.name == "gmres growing" {
			continue
		}
		for _, by := range []Preconditioner[dd.Vec]{nil, diagonal} {
			for _, flexible := range []bool{false, true} {
				opt := Options[dd.Vec]{Tol: 1e-26, Precond: by, Flexible: flexible}
				x := space.New()
				r := create[dd.Vec, dd.DD](t, v.name, space).Solve(context.Background(), op, x, dd.VecOf(b), opt)
				checkFarther(t, v, r, bigResidual(a, x, dd.VecOf(b)))
				if v.async {
					async := distant[dd.Vec, dd.DD]{space, &queue{stride: 8}}
					r := create[dd.Vec, late[dd.DD]](t, v.name, async).Solve(context.Background(), far[dd.Vec, dd.DD]{op, async}, x, dd.VecOf(b), opt)
					checkFarther(t, v, r, bigResidual(a, x, dd.VecOf(b)))
				}
			}
		}
		y := make([]float64, a.Rows)
		solveWith(t, v.name, a, y, b, hostOptions{Tol: 1e-26})
		if res := bigResidual(a, dd.VecOf(y), dd.VecOf(b)); res < 1e-18 {
			t.Errorf("%s: float64 reaches %g too: the test shows nothing", v.name, res)
		}
	}
}

func checkFarther(t *testing.T, v variant, r Result, residual float64) {
	t.Helper()
	if r.Reason != Converged || !(residual < 1e-25) || v.method == "gmres" && r.Iterations > 24 {
		t.Errorf("%s: %v after %d iterations, residual %g", v.name, r.Reason, r.Iterations, residual)
	}
}

// BenchmarkDoubleDouble reports the time of iterations on double-double vectors as a multiple of that on float64 vectors in
// the same layout, of minima that are measured in turn, with matrices beyond the caches.
func BenchmarkDoubleDouble(b *testing.B) {
	set, err := adaptive.LookupSet("FP64")
	if err != nil {
		b.Fatal(err)
	}
	for _, g := range []struct {
		kind string
		edge float64
	}{{"poisson3d", 125}, {"elasticity3d", 45}} {
		m, err := generate.Generate(g.kind, generate.Params{"n": g.edge})
		if err != nil {
			b.Fatal(err)
		}
		for _, layout := range []adaptive.Layout{adaptive.CSR, adaptive.SELL8} {
			for _, threads := range []int{1, 2} {
				pool := newPool(b, threads)
				space, twice := linop.NewHost(m.Rows, pool), linop.NewHostDD(linop.NewHost(m.Rows, pool))
				stored, err := adaptive.Build(m, adaptive.Spec{Layout: layout, Epsilon: 0x1p-53, Set: set}, pool)
				if err != nil {
					b.Fatal(err)
				}
				storedDD, err := stored.DD()
				if err != nil {
					b.Fatal(err)
				}
				a := transposed[[]float64, linop.Float64]{Operator: stored, Transpose: stored}
				aDD := transposed[dd.Vec, dd.DD]{Operator: storedDD, Transpose: storedDD}
				rhs := random(3, m.Rows)
				for _, name := range []string{"cg", "bicg"} {
					b.Run(fmt.Sprintf("%s/%s/%s/%d", g.kind, layout, name, threads), func(b *testing.B) {
						few, many, fewDD, manyDD := math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)
						for b.Loop() {
							few, many = min(few, solveTime(b, name, space, a, rhs, 5)), min(many, solveTime(b, name, space, a, rhs, 20))
							fewDD, manyDD = min(fewDD, solveTime(b, name, twice, aDD, dd.VecOf(rhs), 5)), min(manyDD, solveTime(b, name, twice, aDD, dd.VecOf(rhs), 20))
						}
						b.ReportMetric(0, "ns/op")
						b.ReportMetric(1e3*(many-few)/15, "ms-double")
						b.ReportMetric(1e3*(manyDD-fewDD)/15, "ms-dd")
						b.ReportMetric((manyDD-fewDD)/(many-few), "ratio")
					})
				}
			}
		}
	}
}

// solveTime is the seconds of a solve of some iterations.
func solveTime[V any, S linop.Scalar[S]](b *testing.B, name string, space linop.Space[V, S], a linop.Operator[V, S], rhs V, iterations int) float64 {
	x, method := space.New(), create(b, name, space)
	start := time.Now()
	r := method.Solve(context.Background(), a, x, rhs, Options[V]{Tol: 1e-26, MaxIter: iterations})
	elapsed := time.Since(start).Seconds()
	if r.Iterations != iterations {
		b.Fatalf("%+v", r)
	}
	return elapsed
}

// transposed is an operator with its transpose.
type transposed[V, S any] struct {
	linop.Operator[V, S]
	Transpose linop.Operator[V, S]
}

func (a transposed[V, S]) ApplyT(dst, src V) { a.Transpose.Apply(dst, src) }
