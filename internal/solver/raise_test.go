package solver

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// shortSystem returns a system whose numbers have 30 bits, so that they are exact down to 2^-1040.
func shortSystem(n int) (*csr.Matrix, []float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	short := func() float64 { return math.Ldexp(float64(rng.IntN(1<<30)+1), -29) }
	m, b := &csr.Matrix{Rows: n, Cols: n, RowPtr: []int64{0}}, make([]float64, n)
	for i := range n {
		for _, j := range []int{i - 7, i - 1, i, i + 1, i + 7} {
			if j >= 0 && j < n {
				v := short() - 1
				if j == i {
					v = 8 - short()
				}
				m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, v)
			}
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Col)))
		b[i] = short() - 1
	}
	return m, b
}

// times returns 2^e v.
func times(e int, v []float64) []float64 {
	out := make([]float64, len(v))
	for i, a := range v {
		out[i] = dd.Ldexp(a, e)
	}
	return out
}

// timesMatrix returns 2^e m.
func timesMatrix(e int, m *csr.Matrix) *csr.Matrix {
	out := *m
	out.Val = times(e, m.Val)
	return &out
}

// about is what a result says about its x.
func about(r solve.Result) string {
	s := fmt.Sprint(r.Reason, r.Digits, r.Errors)
	if p := r.Precise; p != nil {
		s += fmt.Sprint(" precise ", p.Believed, p.Proved, p.Elements, p.Error, p.Bound)
	}
	return s
}

// A system times a power of two has the same x, with as many digits, although products of its numbers are not exact in double-double.
func TestTinySystems(t *testing.T) {
	m, b := shortSystem(200)
	for _, c := range []struct {
		name string
		e    int // with which all numbers are exact
		opt  solve.Options
	}{
		{"default", -1040, solve.Options{}},
		{"double-double", -1040, solve.Options{Vectors: solve.Vectors{Kind: solve.VectorsDD}}},
		{"30 digits", -1040, solve.Options{Accuracy: solve.Accuracy{Digits: 30}}},
		{"30 digits of a sum", -980, solve.Options{Accuracy: solve.Accuracy{Digits: 30, Lower: []*csr.Matrix{timesMatrix(-60, m)}}}},
	} {
		at := func(e int) (solve.Result, []string) {
			var lines []string
			opt := c.opt
			opt.Log = func(line string) { lines = append(lines, line) }
			opt.Lower = nil
			for _, part := range c.opt.Lower {
				opt.Lower = append(opt.Lower, timesMatrix(e, part))
			}
			r, err := newSolver(t, timesMatrix(e, m), opt).Solve(t.Context(), times(e, b), nil)
			if err != nil {
				t.Fatal(err)
			}
			return r, lines
		}
		want, _ := at(0)
		got, lines := at(c.e)
		if got.Reason != krylov.Converged || !slices.Equal(got.X, want.X) || about(got) != about(want) {
			t.Errorf("%s: %s\ninstead of %s", c.name, about(got), about(want))
		}
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "scaled A and b times 2^") }) {
			t.Errorf("%s: the log does not say that the system is multiplied: %q", c.name, lines)
		}
	}
}

// Other solves of a tiny system have the x of the system itself as well: for several right-hand sides, for a singular matrix, and after an Update.
func TestTinySystemsElsewhere(t *testing.T) {
	const e = -1040
	m, b := shortSystem(200)
	solveMany := func(m *csr.Matrix, e int) (x [][]float64) {
		s := newSolver(t, m, solve.Options{})
		results, err := s.SolveMany(t.Context(), [][]float64{times(e, b), times(e-1, b)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			x = append(x, r.X)
		}
		return x
	}
	want := solveMany(m, 0)
	if got := solveMany(timesMatrix(e, m), e); !slices.EqualFunc(got, want, slices.Equal) {
		t.Error("SolveMany: another x")
	}
	singular := *m
	singular.Val = slices.Clone(m.Val)
	for i := range m.Rows { // rows whose sums are zero
		sum := 0.0
		cols, vals := singular.Row(i)
		for k, j := range cols {
			if int(j) != i {
				sum += vals[k]
			}
		}
		vals[slices.Index(cols, int32(i))] = -sum
	}
	const plain = -90 // a matrix of numbers near 1 may have its null space filled otherwise, with other roundings
	if want, got := solveMany(timesMatrix(plain, &singular), plain), solveMany(timesMatrix(e, &singular), e); !slices.EqualFunc(got, want, slices.Equal) {
		t.Error("SolveMany, singular: another x")
	}
	s := newSolver(t, m, solve.Options{Limits: solve.Limits{Threads: 1}})
	for _, e := range []int{e, 0} {
		if err := s.Update(t.Context(), times(e, m.Val)); err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(t.Context(), times(e, b), nil)
		if err != nil || !slices.Equal(r.X, want[0]) {
			t.Errorf("Update to 2^%d A: another x, %v", e, err)
		}
	}
}

// An x beyond float64 is an error that says so.
func TestTinyMatrixWithLargeRhs(t *testing.T) {
	m, b := shortSystem(50)
	_, err := newSolver(t, timesMatrix(-1040, m), solve.Options{}).Solve(t.Context(), times(200, b), nil)
	var input *solve.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "beyond the range of float64") {
		t.Errorf("the error is %v", err)
	}
}
