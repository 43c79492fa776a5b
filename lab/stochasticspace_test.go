package lab_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// operations runs all operations of a space and a matrix, and returns the scalars.
func operations[V any, S linop.Scalar[S]](h linop.Space[V, S], a linop.Operator[V, S], v []V) (out []S) {
	s := h.Scalar
	out = append(out, h.Dot(v[0], v[1]), h.AxpyDot(s(0.3), v[0], v[1], v[2]), h.Step(s(-0.7), v[0], v[1], v[2], v[3]))
	rr, rw := h.DoubleStep(s(0.1), v[0], s(1.7), v[1], v[2], v[3], v[4], v[5])
	out = append(out, rr, rw)
	h.Direction(v[0], s(0.9), s(0.2), v[1], v[5])
	h.Scale(s(1.1), v[4])
	h.Xpay(v[4], s(-1.3), v[3])
	hs := make([]S, 3)
	h.MultiDot(hs, v[:3], v[4])
	out = append(out, hs...)
	out = append(out, h.MultiAxpyDot([]S{s(0.5), s(-0.25)}, v[:2], v[4]), a.ApplyDot(v[2], v[0], v[1]))
	dw, ww := a.ApplyDots(v[3], v[1], v[0])
	a.Residual(v[1], v[5], v[0])
	return append(out, dw, ww, rr.Div(rw), rr.Sqrt(), rr.Sub(rw.Neg()).Mul(rw))
}

func stochasticProblem() (*csr.Matrix, [][]float64) {
	m := stochasticLattice(60)
	random := rand.New(rand.NewPCG(1, 1))
	vs := make([][]float64, 6)
	for k := range vs {
		vs[k] = make([]float64, m.Rows)
		for i := range vs[k] {
			vs[k][i] = random.NormFloat64()
		}
	}
	return m, vs
}

// stochasticLattice is the Laplacian of an n by n grid with uneven values.
func stochasticLattice(n int) *csr.Matrix {
	m := &csr.Matrix{Rows: n * n, Cols: n * n, RowPtr: []int64{0}}
	for i := range n * n {
		for _, j := range []int{i - n, i - 1, i, i + 1, i + n} {
			if j < 0 || j >= n*n {
				continue
			}
			m.Col = append(m.Col, int32(j))
			m.Val = append(m.Val, 1/float64(3+(i+j)%7))
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
	}
	return m
}

func stochasticRun(m *csr.Matrix, vs [][]float64, threads int, seed uint64, accurate bool) (v []lab.TripleVector, out []lab.StochasticNumber, met lab.Instabilities) {
	pool := parallel.New(threads)
	defer pool.Close()
	by := lab.NewStochasticArithmetic(seed)
	h := lab.NewStochasticSpace(m.Rows, by, pool)
	for _, x := range vs {
		v = append(v, lab.TriplesOf(x))
	}
	var a linop.Operator[lab.TripleVector, lab.StochasticNumber] = lab.NewStochasticOperator(h, m)
	if accurate {
		a = lab.StochasticAccurate{StochasticOperator: lab.NewStochasticOperator(h, m)}
	}
	out = operations(h, a, v)
	return v, out, by.Instabilities()
}

// TestSpaceIsRight compares with double-double arithmetic: every sample is right up to roundings, and the samples
// differ.
func TestSpaceIsRight(t *testing.T) {
	m, vs := stochasticProblem()
	var exact []testsupport.Vector
	for _, x := range vs {
		exact = append(exact, testsupport.From(x))
	}
	want := operations(testsupport.Space(m.Rows), linop.Operator[testsupport.Vector, dd.DD](testsupport.Operator{M: m}), exact)
	for _, accurate := range []bool{false, true} {
		v, out, _ := stochasticRun(m, vs, 1, 5, accurate)
		for k, s := range out {
			for _, got := range s.Samples {
				if w := want[k].Float(); math.Abs(got-w) > 1e-11*(1+math.Abs(w)) {
					t.Errorf("scalar %d: %g, want %g", k, got, w)
				}
			}
			if d := lab.SignificantDigits(s.Samples); d < 8 || d >= lab.Full64 {
				t.Errorf("scalar %d: %.1f digits of %v", k, d, s.Samples)
			}
		}
		for k := range v {
			for i, x := range v[k] {
				for _, got := range x {
					if w := exact[k][i].Float(); math.Abs(got-w) > 1e-12*(10+math.Abs(w)) {
						t.Fatalf("vector %d, element %d: %g, want %g", k, i, got, w)
					}
				}
			}
		}
	}
}

func TestSpaceThreads(t *testing.T) {
	m, vs := stochasticProblem()
	v1, s1, met1 := stochasticRun(m, vs, 1, 9, true)
	v3, s3, met3 := stochasticRun(m, vs, 3, 9, true)
	for k := range s1 {
		if s1[k].Samples != s3[k].Samples {
			t.Errorf("scalar %d differs", k)
		}
	}
	for k := range v1 {
		if !slices.Equal(v1[k], v3[k]) {
			t.Errorf("vector %d differs", k)
		}
	}
	if met1 != met3 {
		t.Errorf("instabilities differ: %+v, %+v", met1, met3)
	}
}

// TestInstabilities provokes each kind once.
func TestInstabilities(t *testing.T) {
	by := lab.NewStochasticArithmetic(1)
	h := lab.NewStochasticSpace(3, by, nil)
	tenth := h.Scalar(1).Div(h.Scalar(10))
	if met := by.Instabilities(); met != (lab.Instabilities{}) {
		t.Fatalf("a quotient: %+v", met)
	}
	sum := tenth
	for range 9 {
		sum = sum.Add(tenth)
	}
	noise := sum.Sub(h.Scalar(1)) // nothing but roundings
	want := lab.Instabilities{Cancellations: 1}
	if met := by.Instabilities(); met != want {
		t.Fatalf("a cancellation: %+v", met)
	}
	if text := lab.FormatTriple(noise.Samples); text != "@.0" {
		t.Errorf("%v is printed as %s", noise.Samples, text)
	}
	h.Scalar(1).Div(noise)
	noise.Mul(tenth)
	noise.Mul(noise)
	noise.Mul(noise).Sqrt() // the square of noise may be significant: it is not counted for certain
	before := by.Instabilities().Roots
	noise.Sqrt()
	noise.Float()
	met := by.Instabilities()
	if met.Divisions != 1 || met.Multiplications != 2 || met.Roots != before+1 || met.Decisions != 1 {
		t.Errorf("%+v", met)
	}
	x := lab.TriplesOf([]float64{1, 1, 1})
	y := lab.TriplesOf([]float64{1, 2, 3})
	h.Axpy(sum.Neg(), x, y) // the first element cancels
	if met := by.Instabilities(); met.Cancellations != 2 {
		t.Errorf("an update that cancels once: %+v", met)
	}
	if text := lab.FormatTriple(lab.Triple{0.999, 1, 1.001}); text != "1.0e+00" {
		t.Errorf("a number of 2.6 digits is printed as %s", text)
	}
}

// TestDigitsOfAnInnerProduct: cancellation costs as many digits as the condition number of the sum predicts.
func TestDigitsOfAnInnerProduct(t *testing.T) {
	x := generate.RandomVector(2000, 1)
	pool := parallel.New(1)
	defer pool.Close()
	h := lab.NewStochasticSpace(len(x), lab.NewStochasticArithmetic(4), pool)
	y := make([]float64, len(x))
	for i := range y {
		y[i] = 1
	}
	plain := lab.SignificantDigits(h.Dot(lab.TriplesOf(x), lab.TriplesOf(y)).Samples)
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	for _, lost := range []float64{3, 6, 9} {
		z := slices.Clone(x)
		z[0] -= sum - sum*math.Pow(10, -lost)
		left := lab.SignificantDigits(h.Dot(lab.TriplesOf(z), lab.TriplesOf(y)).Samples)
		if math.Abs(plain-left-lost) > 1.5 {
			t.Errorf("%.1f digits of %.1f are left where %.0f cancel", left, plain, lost)
		}
	}
}
