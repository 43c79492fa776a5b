package solver

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

var (
	allDD    = solve.Vectors{Kind: solve.VectorsDD}
	autoDD   = solve.Vectors{Kind: solve.VectorsAuto}
	switched = solve.Vectors{Kind: solve.VectorsDQ, Window: 4, Deviation: 1e9} // after 4 iterations
)

// Every method solves with every kind of vectors, with preconditioners and without, and the verdict is that of the
// residual recomputed.
func TestVectors(t *testing.T) {
	symmetric, general := rescaled(grid(9, 0, 0), uneven(1), uneven(1)), rescaled(grid(9, 0.3, 0), uneven(1), uneven(2))
	for _, kind := range krylov.Methods {
		m, by := general, []precond.Kind{precond.None, precond.Jacobi, precond.ILU0}
		if kind.Symmetric {
			m, by[2] = symmetric, precond.IC0
		}
		b := rhs(m, 1)
		for _, p := range by {
			for _, v := range []solve.Vectors{allDD, autoDD, switched} {
				r := solved(t, m, b, nil, solve.Options{Method: solve.Method(kind.Name), Precond: solve.Precond{Kind: p}, Vectors: v})
				last := r.Attempts[len(r.Attempts)-1]
				if want := v.Kind != solve.VectorsAuto && (v.Kind == solve.VectorsDD || r.Iterations > 4); (last.Vectors == solve.VectorsDD) != want {
					t.Errorf("%s with %s, vectors %v: ended with vectors %s after %d iterations", kind.Name, p, v, last.Vectors, r.Iterations)
				}
				if r.Vectors != v || r.SpMVs < r.Iterations {
					t.Errorf("%s with %s: vectors %v, want %v; %d products in %d iterations", kind.Name, p, r.Vectors, v, r.SpMVs, r.Iterations)
				}
			}
		}
	}
}

// With double-double vectors x has digits that float64 has not, for a tolerance that needs them.
func TestLowerPart(t *testing.T) {
	for _, reorder := range []solve.Reorder{solve.ReorderNone, solve.ReorderRCM} {
		m := rescaled(grid(9, 0.3, 0), uneven(1), uneven(2))
		b := random(5, m.Rows)
		opt := solve.Options{Precond: solve.Precond{Kind: precond.ILU0}, Vectors: allDD, Accuracy: solve.Accuracy{Tol: 1e-25, Digits: solve.NoDigits}, Reorder: reorder}
		r := mustSolve(t, m, b, nil, opt)
		if r.XLow == nil {
			t.Fatalf("%v: no lower part", r.Reason)
		}
		x := dd.Vec{Hi: r.X, Lo: r.XLow}
		if e := rowErrorDD(m, x, dd.VecOf(b)); !(e <= 2e-25) {
			t.Errorf("row-wise error %g", e)
		}
		if e := rowErrorDD(m, dd.VecOf(r.X), dd.VecOf(b)); e < 1e-22 {
			t.Errorf("float64 has an error of %g: the test shows nothing", e)
		}
		opt.Vectors = solve.Vectors{}
		if r := mustSolve(t, m, b, nil, opt); r.XLow != nil {
			t.Error("float64 vectors have a lower part")
		}
	}
}

// graded is a matrix without structure whose singular values go down to 10^-e.
func graded(n int, e float64) *csr.Matrix {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
		rows[i][i] = math.Pow(10, -e*float64(i)/float64(n-1))
	}
	for k := range uint64(4) { // reflections from both sides
		mirror(rows, testsupport.Random(10+k, n), k%2 == 0)
	}
	return dense(rows...)
}

// mirror multiplies by I - 2 v v^T / v^T v.
func mirror(a [][]float64, v []float64, fromLeft bool) {
	n, vv := len(v), 0.0
	for _, x := range v {
		vv += x * x
	}
	at := func(i, j int) *float64 {
		if fromLeft {
			return &a[j][i]
		}
		return &a[i][j]
	}
	for i := range n {
		s := 0.0
		for j := range n {
			s += *at(i, j) * v[j]
		}
		for j := range n {
			*at(i, j) -= 2 * s / vv * v[j]
		}
	}
}

// Where the method fails in float64, it goes on in double-double.
func TestAutoSolvesWhatDoubleDoesNot(t *testing.T) {
	m := graded(60, 9)
	b := rhs(m, 1)
	opt := solve.Options{Method: solve.BiCG, Precond: unpreconditioned, Scale: solve.ScaleNone, Accuracy: solve.Accuracy{Digits: solve.NoDigits, Stop: solve.StopRel, Tol: 1e-12}}
	if r := checked(t, m, b, nil, opt); r.Reason.Converged() {
		t.Errorf("float64 converges in %d iterations: the test shows nothing", r.Iterations)
	}
	for _, v := range []solve.Vectors{allDD, autoDD} {
		var log logged
		opt.Vectors = v
		r := solved(t, m, b, nil, log.options(opt))
		if v == autoDD && !log.says("continuing with bicg in double-double") {
			t.Errorf("%s", strings.Join(log.lines, "\n"))
		}
		if len(r.Attempts) > 2 {
			t.Errorf("%+v", r.Attempts)
		}
	}
}

// The bits do not depend on the number of threads.
func TestThreadsVectors(t *testing.T) {
	m := grid(70, 0.3, 0)
	b := rhs(m, 1)
	for _, v := range []solve.Vectors{allDD, switched} {
		var first solve.Result
		for threads := 1; threads <= 3; threads++ {
			r := mustSolve(t, m, b, nil, solve.Options{
				Method:   solve.BiCG,
				Precond:  solve.Precond{Kind: precond.ILU0},
				Vectors:  v,
				Limits:   solve.Limits{MaxIter: 40, Threads: threads},
				Accuracy: solve.Accuracy{Digits: solve.NoDigits, Tol: 1e-4},
			})
			if threads == 1 {
				first = r
			} else if !sameOutcome(r, first) {
				t.Errorf("vectors %v, %d threads: other bits", v, threads)
			}
		}
	}
}

// DQ-SWITCH takes the mean of the squared deviations of the last norms from the first of them.
func TestStall(t *testing.T) {
	norms := []float64{8, 4, 2, 1, 1.5, 1.25, 1, 1.125, 1.0625, 1}
	const p = 3
	for _, below := range []float64{0, 1e-3, 1e-2, 0.1, 0.3, 1} {
		s, want := refine.NewStall(solve.Vectors{Window: p, Deviation: below}), false
		for k, norm := range norms {
			if k >= p-1 {
				v := 0.0
				for _, n := range norms[k-p+1 : k+1] {
					v += math.Pow((n-norms[k-p+1])/norms[k-p+1], 2) / p
				}
				want = want || v < below
			}
			for range 2 { // asked again
				if got := s.At(krylov.Progress{Iterations: k + 1, Residual: norm}); got != want {
					t.Errorf("below %g, iteration %d: %v", below, k+1, got)
				}
			}
		}
	}
}

// Every kind of vectors can be built, and its help text begins with its word, by which it is read.
func TestVectorsOf(t *testing.T) {
	for _, k := range solve.VectorKinds {
		if of := vectorsOf[k]; of.refine == nil || !strings.HasPrefix(of.help, string(k)) {
			t.Errorf("%s has the help text %q, or nothing builds it", k, of.help)
		}
		if v, err := rules.ParseVectors(string(k)); err != nil || v.Kind != k {
			t.Errorf("%s is read as %+v, %v", k, v, err)
		}
	}
	if len(vectorsOf) != len(solve.VectorKinds) {
		t.Errorf("%d rows for %d kinds", len(vectorsOf), len(solve.VectorKinds))
	}
}

func TestParseVectors(t *testing.T) {
	for text, want := range map[string]solve.Vectors{
		"double": {Kind: solve.VectorsDouble}, "dd": allDD, "auto": autoDD, "dq": {Kind: solve.VectorsDQ},
		"dq:50,1e-1": {Kind: solve.VectorsDQ, Window: 50, Deviation: 0.1},
	} {
		v, err := rules.ParseVectors(text)
		if err != nil || v != want {
			t.Errorf("%q: %+v, %v", text, v, err)
		}
		if again, err := rules.ParseVectors(rules.VectorsText(v)); err != nil || again != rules.VectorsWithDefaults(v) {
			t.Errorf("%q: %q is read as %+v, %v", text, rules.VectorsText(v), again, err)
		}
	}
	for _, text := range []string{"", "quad", "DD", "dd:", "auto:100,1", "dq:", "dq:100", "dq:1,1", "dq:0,1", "dq:-5,1", "dq:5,0", "dq:5,-1", "dq:5,NaN", "dq:5,Inf", "dq:1e3,1", "dq:99999999,1", "dq:5,1,2"} {
		if v, err := rules.ParseVectors(text); err == nil {
			t.Errorf("%q is read as %+v", text, v)
		}
	}
}

// What vectors cannot be combined with is an error of the options.
func TestVectorsRefused(t *testing.T) {
	for _, v := range []solve.Vectors{allDD, autoDD, {Kind: solve.VectorsDQ}} {
		opt := solve.Options{Vectors: v}
		if err := rules.Validate(opt); err != nil {
			t.Error(err)
		}
		if err := rules.OverDomains(opt); err != nil || rules.OnDevice(opt) == nil {
			t.Errorf("vectors %v run on a device, or not over domains: %v", v, err)
		}
		opt.Method = solve.BiCG
		if rules.OverDomains(opt) == nil {
			t.Errorf("vectors %v run with bicg over domains", v)
		}
		opt.Method = solve.Auto
		opt.NoRefine = true
		if err := rules.Validate(opt); (err != nil) != (v != allDD) {
			t.Errorf("vectors %v without refinement: %v", v, err)
		}
		opt = solve.Options{Vectors: v, Checkpoint: solve.Checkpoints{Save: func(solve.Checkpoint) {}}}
		if rules.Validate(opt) == nil {
			t.Errorf("vectors %v have checkpoints", v)
		}
		if _, err := New(t.Context(), &csr.Matrix{Rows: 1, Cols: 2, RowPtr: []int64{0, 2}, Col: []int32{0, 1}, Val: []float64{1, 2}}, solve.Options{Vectors: v, Method: solve.LSQR}); err == nil {
			t.Errorf("vectors %v solve least squares", v)
		}
	}
	for _, v := range []solve.Vectors{{Kind: "quad"}, {Kind: solve.VectorsDD, Window: 3}, {Kind: solve.VectorsDQ, Window: 1}, {Kind: solve.VectorsDQ, Deviation: math.NaN()}} {
		if rules.Validate((solve.Options{Vectors: v})) == nil {
			t.Errorf("vectors %+v are valid", v)
		}
	}
}

// BenchmarkVectors measures an iteration of conjugate gradients, beyond the caches: ms, and what double-double takes relative to float64
// in the layout that the rules choose for double-double.
func BenchmarkVectors(b *testing.B) {
	for _, c := range []struct {
		kind   string
		n      float64
		layout adaptive.Layout
	}{{"stencil27", 85, adaptive.SELL8}, {"elasticity3d", 42, adaptive.BCRS4x1}} {
		m, err := generate.Generate(c.kind, generate.Params{"n": c.n})
		if err != nil {
			b.Fatal(err)
		}
		right := rhs(m, 1)
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("%s/%d", c.kind, threads), func(b *testing.B) {
				opt := solve.Options{Method: solve.CG, Precond: unpreconditioned, Scale: solve.ScaleNone, Krylov: solve.Krylov{NoRefine: true}, Accuracy: solve.Accuracy{Digits: solve.NoDigits, Tol: 1e-30}, Limits: solve.Limits{Threads: threads}}
				fp64 := solve.Storage{Set: formatSet("FP64"), Layout: c.layout}
				cases := map[string]func(*solve.Options){
					"double":     func(o *solve.Options) { o.Storage = fp64 },
					"double-csr": func(*solve.Options) {},
					"dd":         func(o *solve.Options) { o.Vectors = allDD },
					"dd-csr": func(o *solve.Options) {
						o.Vectors, o.Storage = allDD, solve.Storage{Set: formatSet("FP64"), Layout: adaptive.CSR}
					},
				}
				least, solvers := map[string][2]float64{}, map[string]*Solver{}
				for name, with := range cases {
					opt := opt
					with(&opt)
					s, err := New(b.Context(), m, opt)
					if err != nil {
						b.Fatal(err)
					}
					defer s.Close()
					solvers[name], least[name] = s, [2]float64{math.Inf(1), math.Inf(1)}
				}
				for b.Loop() {
					for name, s := range solvers {
						took := least[name]
						for k, iterations := range []int{2, 22} {
							s.Opt.MaxIter = iterations
							r, err := s.Solve(b.Context(), right, nil)
							if err != nil || r.Iterations != iterations {
								b.Fatal(r.Reason, r.Iterations, err)
							}
							took[k] = min(took[k], (r.Time.Total - r.Time.Verify).Seconds())
						}
						least[name] = took
					}
				}
				each := func(name string) float64 { return (least[name][1] - least[name][0]) / 20 * 1e3 }
				for name := range solvers {
					b.ReportMetric(each(name), name+"-ms")
				}
				b.ReportMetric(each("dd")/each("double"), "dd/double")
				b.ReportMetric(each("dd-csr")/each("double-csr"), "in-csr")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// Products with double-double vectors use the layout that suits them, that is requested, or that memory allows.
func TestVectorsLayouts(t *testing.T) {
	m := rescaled(grid(40, 0, 0), uneven(1), uneven(1))
	b := rhs(m, 1)
	afx := solve.Storage{Epsilon: 0x1p-24}
	for _, c := range []struct {
		opt  solve.Options
		says []string
	}{
		{solve.Options{}, []string{"precision FP64", "layout FP64 SELL-8"}},
		{solve.Options{Krylov: solve.Krylov{NoRefine: true}, Accuracy: solve.Accuracy{Tol: 1e-6}}, []string{"layout FP64 SELL-8"}},
		{solve.Options{Storage: solve.Storage{Set: formatSet("FP64"), Layout: adaptive.BCRS4x1}}, []string{"layout FP64 blocks of four rows and one column (requested)"}},
		{solve.Options{Storage: solve.Storage{Set: formatSet("FP64"), Layout: adaptive.CSR}}, []string{"layout FP64 CSR (requested)"}},
		{solve.Options{Storage: afx}, []string{"precision AFX at epsilon 2^-24"}},
		{solve.Options{Storage: solve.Storage{Epsilon: 0x1p-24, Layout: adaptive.Slots}, Accuracy: solve.Accuracy{Tol: 1e-14}}, []string{"layout slots"}},
		{solve.Options{Precond: solve.Precond{Kind: precond.Cholesky}}, []string{choice.StoredPlain[:12]}},
	} {
		for _, method := range []solve.Method{solve.CG, solve.BiCG} {
			var log logged
			c.opt.Method, c.opt.Vectors = method, allDD
			if c.opt.Precond.Kind == "" {
				c.opt.Precond.Kind = precond.None
			}
			solved(t, m, b, nil, log.options(c.opt))
			for _, text := range c.says {
				if !log.says(text) {
					t.Errorf("%s: no %q in\n%s", method, text, strings.Join(log.lines, "\n"))
				}
			}
		}
	}
}

// With too little memory for a layout filled up with zeros another layout is chosen, unless the layout is requested: then that is an error.
func TestVectorsMemory(t *testing.T) {
	m := grid(40, 0, 0)
	b := rhs(m, 1)
	opt := solve.Options{Method: solve.CG, Precond: unpreconditioned, Vectors: allDD, Limits: solve.Limits{MaxMemory: 1 << 40, Threads: 1}, Accuracy: solve.Accuracy{Digits: solve.NoDigits}}
	s, err := New(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.MaxMemory = s.SolveBytes()
	s.Close()
	var log logged
	solved(t, m, b, nil, log.options(opt))
	if !log.says("sell8 takes too much memory") {
		t.Error(strings.Join(log.lines, "\n"))
	}
	opt.Storage = solve.Storage{Set: formatSet("FP64"), Layout: adaptive.SELL8}
	if _, err := New(t.Context(), m, opt); !errors.Is(err, solve.ErrMemory) {
		t.Errorf("SELL-8 in too little memory: %v", err)
	}
}
