package solve

import (
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/stochastic"
)

// TestStochasticSolves: the three samples solve as one does, for each method, and agree about as far
// as the tolerance lets them.
func TestStochasticSolves(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		opt  Options
	}{
		{"cg", grid(20, 0, 0), Options{Method: CG}},
		{"minres", grid(20, 0, 0), Options{Method: MINRES}},
		{"gmres", grid(20, 0.3, 0), Options{Method: GMRES}},
		{"bicgstab", grid(20, 0.3, 0), Options{Method: BiCGStab}},
		{"scaled", rescaled(grid(8, 0.3, 0), uneven(3), uneven(5)), Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := make([]float64, c.m.Rows)
			want := random(1, c.m.Cols)
			c.m.MulVec(b, want)
			c.opt.Tol = 1e-13
			r, err := SolveStochastic(t.Context(), c.m, b, nil, c.opt, 1)
			if err != nil || r.Reason != krylov.Converged {
				t.Fatalf("%v, %v", r.Reason, err)
			}
			for i, digits := range r.Significant() {
				if !(digits >= 4 && digits <= stochastic.Full64) {
					t.Errorf("%.1f digits of x_%d = %v", digits, i, r.Samples[i])
				}
				if stochastic.Mean(r.Samples[i]) != r.X[i] {
					t.Fatalf("x_%d is not the mean of its samples", i)
				}
			}
			again, err := SolveStochastic(t.Context(), c.m, b, nil, withThreads(c.opt, 3), 1)
			if err != nil || !slices.Equal(again.Samples, r.Samples) || again.Unstable != r.Unstable {
				t.Errorf("three threads give another result (%v)", err)
			}
			other, err := SolveStochastic(t.Context(), c.m, b, nil, c.opt, 2)
			if err != nil || slices.Equal(other.Samples, r.Samples) {
				t.Errorf("another seed gives the same samples (%v)", err)
			}
		})
	}
}

func withThreads(opt Options, threads int) Options {
	opt.Threads = threads
	return opt
}

// TestStochasticSeesCondition: the digits fall with the condition number of the matrix, which rows of a
// Hilbert matrix have, and none is left where that is beyond float64.
func TestStochasticSeesCondition(t *testing.T) {
	last := math.Inf(1)
	for _, n := range []int{3, 6, 9, 13} {
		m := hilbert(n)
		b := make([]float64, n)
		for i := range b {
			b[i] = 1
		}
		r, err := SolveStochastic(t.Context(), m, b, nil, Options{Tol: 1e-15, MaxIter: 200}, 3)
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

func hilbert(n int) *csr.Matrix {
	m := &csr.Matrix{Rows: n, Cols: n, RowPtr: []int64{0}}
	for i := range n {
		for j := range n {
			m.Col = append(m.Col, int32(j))
			m.Val = append(m.Val, 1/float64(i+j+1))
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
	}
	return m
}
