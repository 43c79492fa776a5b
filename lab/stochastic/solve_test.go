package stochastic

import (
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// TestStochasticSolves: for each method the three samples are solved as one, and agree to about the tolerance.
func TestStochasticSolves(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		opt  solve.Options
	}{
		{"cg", testsupport.Grid(20, 0, 0), solve.Options{Method: solve.CG}},
		{"minres", testsupport.Grid(20, 0, 0), solve.Options{Method: solve.MINRES}},
		{"gmres", testsupport.Grid(20, 0.3, 0), solve.Options{Method: solve.GMRES}},
		{"bicgstab", testsupport.Grid(20, 0.3, 0), solve.Options{Method: solve.BiCGStab}},
		{"scaled", rescaled(testsupport.Grid(8, 0.3, 0)), solve.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := make([]float64, c.m.Rows)
			want := testsupport.Random(1, c.m.Cols)
			c.m.MulVec(b, want)
			c.opt.Tol = 1e-13
			r, err := Solve(t.Context(), c.m, b, nil, c.opt, 1)
			if err != nil || r.Reason != krylov.Converged {
				t.Fatalf("%v, %v", r.Reason, err)
			}
			for i, digits := range r.Significant() {
				if !(digits >= 4 && digits <= Full64) {
					t.Errorf("%.1f digits of x_%d = %v", digits, i, r.Samples[i])
				}
				if Mean(r.Samples[i]) != r.X[i] {
					t.Fatalf("x_%d is not the mean of its samples", i)
				}
			}
			again, err := Solve(t.Context(), c.m, b, nil, withThreads(c.opt, 3), 1)
			if err != nil || !slices.Equal(again.Samples, r.Samples) || again.Unstable != r.Unstable {
				t.Errorf("three threads give another result (%v)", err)
			}
			other, err := Solve(t.Context(), c.m, b, nil, c.opt, 2)
			if err != nil || slices.Equal(other.Samples, r.Samples) {
				t.Errorf("another seed gives the same samples (%v)", err)
			}
		})
	}
}

func withThreads(opt solve.Options, threads int) solve.Options {
	opt.Threads = threads
	return opt
}

// TestStochasticSeesCondition: the digits fall as the condition number of a Hilbert matrix grows, and none is left if
// the condition number is beyond float64.
func TestStochasticSeesCondition(t *testing.T) {
	last := math.Inf(1)
	for _, n := range []int{3, 6, 9, 13} {
		m := testsupport.Hilbert(n)
		b := make([]float64, n)
		for i := range b {
			b[i] = 1
		}
		r, err := Solve(t.Context(), m, b, nil, solve.Options{Accuracy: solve.Accuracy{Tol: 1e-15}, Limits: solve.Limits{MaxIter: 200}}, 3)
		if err != nil {
			t.Fatal(err)
		}
		digits := slices.Min(r.Significant())
		if digits > last {
			t.Errorf("n = %d: %.1f digits, more than for a smaller one (%.1f)", n, digits, last)
		}
		last = digits
	}
	if last > 2 {
		t.Errorf("%.1f digits where the condition number is beyond float64", last)
	}
}

// rescaled returns m with rows and columns of very different scales.
func rescaled(m *csr.Matrix) *csr.Matrix {
	uneven := func(e float64, i int) float64 { return math.Pow(10, e*math.Sin(float64(3*i+1))) }
	m = m.Clone()
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			vals[k] *= uneven(3, i) * uneven(5, int(j))
		}
	}
	return m
}
