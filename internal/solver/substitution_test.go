package solver

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// permutedTriangle is a triangular matrix with rows and columns permuted, and entries of
// small whole numbers.
func permutedTriangle(rng *rand.Rand, n int, density float64) *csr.Matrix {
	p, q := rng.Perm(n), rng.Perm(n)
	return testsupport.Entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			for j := range i {
				if rng.Float64() < density {
					add(p[i], q[j], float64(1+rng.IntN(4)))
				}
			}
			add(p[i], q[i], float64(1+2*rng.IntN(4)))
		}
	})
}

// exactly solves a triangular system with rational numbers, row by row as they can be.
func exactly(m *csr.Matrix, b []float64) []float64 {
	x := make([]*big.Rat, m.Rows)
	for found := 0; found < m.Rows; {
		for i := range m.Rows {
			cols, vals := m.Row(i)
			sum, open, pivot := new(big.Rat).SetFloat64(b[i]), -1, 0.0
			unknowns := 0
			for k, j := range cols {
				if x[j] == nil {
					open, pivot = int(j), vals[k]
					unknowns++
					continue
				}
				sum.Sub(sum, new(big.Rat).Mul(new(big.Rat).SetFloat64(vals[k]), x[j]))
			}
			if unknowns == 1 {
				x[open] = sum.Quo(sum, new(big.Rat).SetFloat64(pivot))
				found++
			}
		}
	}
	out := make([]float64, len(x))
	for i := range x {
		out[i], _ = x[i].Float64()
	}
	return out
}

// TestSubstitution: triangular systems in any order are solved as accurately as float64 holds
// x, in every measure, for several right-hand sides.
func TestSubstitution(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 1 + rng.IntN(60)
		m := permutedTriangle(rng, n, 1.5/float64(n))
		s := newSolver(t, m, solve.Options{Accuracy: solve.Accuracy{Tol: 1e-15}})
		for k := range 2 {
			b := random(uint64(k), n)
			r, err := s.Solve(t.Context(), b, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Reason != krylov.Converged || r.Method != special.SubstitutionMethod || r.Errors.Componentwise > 4e-16 || r.Iterations != 0 {
				t.Errorf("n = %d: %v by %s, %+v", n, r.Reason, r.Method, r.Errors)
			}
			if r.Digits.State != solve.DigitsBelieved || r.Digits.Believed < 10 {
				t.Errorf("digits %+v", r.Digits)
			}
			want := exactly(m, b)
			for i := range want {
				if math.Abs(r.X[i]-want[i]) > 1e-13*special.AbsMax(want) {
					t.Errorf("x_%d = %g, want %g", i, r.X[i], want[i])
				}
			}
		}
	}
}

// TestRecognised: matrices of special kinds, the log, and the result.
func TestRecognised(t *testing.T) {
	zero := []float64{0, 0}
	for _, c := range []struct {
		m    *csr.Matrix
		b    []float64
		says string
		want krylov.Reason
	}{
		{testsupport.Dense([]float64{-7}), []float64{3}, "method substitution: the matrix is diagonal", krylov.Converged},
		{testsupport.Dense([]float64{-7}), []float64{0}, "is diagonal", krylov.ZeroRHS},
		{testsupport.Diagonal(1e-300, 1e300), []float64{1, 1}, "is diagonal", krylov.Converged},
		{testsupport.Diagonal(1, 2), zero, "is diagonal", krylov.ZeroRHS},
		{testsupport.Dense([]float64{1, 0}, []float64{5, 2}), []float64{1, 2}, "is lower triangular", krylov.Converged},
		{testsupport.Dense([]float64{1, 5}, []float64{0, 2}), []float64{1, 2}, "is upper triangular", krylov.Converged},
		{testsupport.Dense([]float64{0, 5}, []float64{2, 0}), []float64{1, 2}, "is triangular but for the order of rows and columns", krylov.Converged},
	} {
		var log logged
		r := mustSolve(t, c.m, c.b, nil, log.options(solve.Options{}))
		if !log.says(c.says) || r.Reason != c.want || r.Errors.Componentwise > 2e-16 || r.Method != special.SubstitutionMethod {
			t.Errorf("%v: %v by %s, %+v, %q", c.m.Val, r.Reason, r.Method, r.Errors, log.lines)
		}
	}
	// A triangle with a zero on its diagonal is singular, and not solved by substitution.
	m := testsupport.Dense([]float64{1, 0, 0}, []float64{1, 0, 0}, []float64{0, 1, 1})
	if r := mustSolve(t, m, []float64{1, 2, 3}, nil, solve.Options{}); r.Reason != krylov.Inconsistent || r.Method == special.SubstitutionMethod {
		t.Errorf("%v by %s", r.Reason, r.Method)
	}
	// Options that ask for a method have it.
	m = testsupport.Diagonal(1, 2, 3)
	if r := mustSolve(t, m, []float64{1, 2, 3}, nil, solve.Options{Method: solve.GMRES}); r.Method != string(solve.GMRES) {
		t.Errorf("%s, want gmres", r.Method)
	}
}

// TestSubstitutionOverflow: where x leaves the range of float64 an ordinary solve has the
// last word.
func TestSubstitutionOverflow(t *testing.T) {
	m := testsupport.Dense([]float64{1e-200, 0}, []float64{1, 1e-200})
	var log logged
	r := mustSolve(t, m, []float64{1e200, 1}, nil, log.options(solve.Options{}))
	if r.Reason.Converged() || !backend.Finite(special.AbsMax(r.X)) || !log.says("numbers leave the range of float64") {
		t.Errorf("%v, x = %g, %q", r.Reason, r.X, log.lines)
	}
}

// TestSubstitutionIllConditioned: a bidiagonal matrix of condition 2^n; where no digit of x is
// known, as A and b are rounded, that is said.
func TestSubstitutionIllConditioned(t *testing.T) {
	const n = 120
	m := testsupport.Entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, 1)
			if i > 0 {
				add(i, i-1, 2)
			}
		}
	})
	b := make([]float64, n) // A times ones
	for i := range b {
		b[i] = 3
	}
	b[0] = 1
	if r := mustSolve(t, m, b, nil, solve.Options{}); r.Digits.State == solve.DigitsBelieved {
		t.Errorf("%v with %+v", r.Reason, r.Digits)
	}
}

// TestSubstitutionInterrupt: a context that has ended leaves x = 0.
func TestSubstitutionInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newSolver(t, testsupport.Diagonal(1, 2), solve.Options{})
	cancel()
	r, err := s.Solve(ctx, []float64{1, 1}, nil)
	if err != nil || r.Reason != krylov.Interrupted || special.AbsMax(r.X) != 0 {
		t.Errorf("%v, x = %g, %v", r.Reason, r.X, err)
	}
}

// A triangular matrix that is numerically singular is said to be so under a memory limit, too.
func TestSingularTriangleWithinMemory(t *testing.T) {
	m := dense([]float64{1, 0, 0}, []float64{1, 1e-30, 0}, []float64{1, 1, 1})
	s := newSolver(t, m, solve.Options{Limits: solve.Limits{MaxMemory: 1 << 30}})
	defer s.Close()
	if s.Method != special.SubstitutionMethod {
		t.Fatalf("method %s: nothing is tested", s.Method)
	}
	if _, err := s.Solve(t.Context(), []float64{1, 2, 3}, nil); err != nil {
		t.Error(err)
	}
	if s.MethodVectors(s.Method) != 0 {
		t.Errorf("%d vectors of no method", s.MethodVectors(s.Method))
	}
}
