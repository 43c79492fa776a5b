package solver

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/digits"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// gradedSystem has columns of very different scales and a right-hand side without rounding. An x that is
// small by rows may be far too large where a column is small.
func gradedSystem(seed uint64) (m *csr.Matrix, x, b []float64) {
	rng := rand.New(rand.NewPCG(seed, 9))
	n := 4 + rng.IntN(20)
	m = entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, float64(4+rng.IntN(6)))
			for range 2 {
				if j := rng.IntN(n); j != i {
					add(i, j, float64(rng.IntN(9)-4)/4)
				}
			}
		}
	})
	exponents := func() func(int) float64 {
		e := make([]float64, n)
		for i := range e {
			e[i] = math.Ldexp(1, rng.IntN(40))
		}
		return func(i int) float64 { return e[i] }
	}
	m = rescaled(m, exponents(), exponents())
	x, b = make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = float64(rng.IntN(17) - 8)
	}
	m.MulVec(b, x)
	return m, x, b
}

// Digits are right where steps of refinement make x much smaller, and with it the roundings from which
// digits are estimated.
func TestDigitsWhereXShrinks(t *testing.T) {
	for seed := range uint64(400) {
		m, x, b := gradedSystem(seed)
		for _, tol := range []float64{1e-6, 1e-10} {
			r := mustSolve(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Tol: tol}, Limits: solve.Limits{Threads: 1}})
			wrong := 0.0
			for i, v := range x {
				wrong = max(wrong, math.Abs(v-r.X[i]))
			}
			if wrong /= special.AbsMax(x); r.Digits.State == solve.DigitsBelieved && wrong > math.Pow(10, 1-float64(r.Digits.Believed)) {
				t.Errorf("seed %d: %v, %+v, relative error %.1e", seed, r.Reason, r.Digits, wrong)
			}
		}
	}
}

// Residuals of rows whose terms are subnormal have roundings of their own: digits that the probe finds are not confirmed there.
func TestDigitsOfSubnormalRows(t *testing.T) {
	diagonal := []float64{0.0021085843126990677, -1.643236082818233e-06, -5.018510564218076e-11, 1.9191934900786672e+06}
	b := []float64{7.917841e-317, -7.67501e-318, -1e-323, -3.1195711504e-314}
	m := entries(4, func(add func(i, j int, v float64)) {
		for i, v := range diagonal {
			add(i, i, v)
		}
	})
	opt := solve.Options{Accuracy: solve.Accuracy{Tol: 1e-6}, Precond: solve.Precond{Kind: precond.BlockJacobi}, Method: solve.GMRES}
	if d := mustSolve(t, m, b, nil, opt).Digits; d.State != solve.DigitsNotConfirmed {
		t.Errorf("%+v", d)
	}
	for i := range b {
		b[i] = math.Ldexp(b[i], 200)
	}
	if d := mustSolve(t, m, b, nil, opt).Digits; d.State != solve.DigitsBelieved || d.Believed < 14 {
		t.Errorf("%+v where no term is subnormal", d)
	}
}

// An x below the range of float64 has not converged, whatever digits it has in multiple precision.
func TestDigitsBelowFloat64(t *testing.T) {
	m := entries(1, func(add func(i, j int, v float64)) { add(0, 0, 1e300) })
	if r := mustSolve(t, m, []float64{1e-50}, nil, solve.Options{Accuracy: solve.Accuracy{Digits: 1}}); r.Reason.Converged() || r.Errors.Row < 1 {
		t.Errorf("%v, error %g", r.Reason, r.Errors.Row)
	}
}

// Where parts of a system need care, as in a small one that is judged by rows, a step that gives digits to the largest elements of x is not taken
// if it spoils another part, and roundings are those of each part.
func TestDigitsOfParts(t *testing.T) {
	m := entries(3, func(add func(i, j int, v float64)) {
		add(0, 0, 1)
		add(0, 1, 0.5)
		add(1, 1, 1)
		add(2, 2, 2)
	})
	x, b := []float64{0x1p70, 0x1p70, 1}, []float64{0x1.8p70, 0x1p70, 2}
	s, err := New(context.Background(), m, solve.Options{Limits: solve.Limits{Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := []float64{0, 0, 0.25}
	for _, parts := range [][]float64{nil, {0x1p70, 0x1p70, 4}} {
		if s.Opt.Stop = solve.StopRel; parts != nil {
			s.Opt.Stop = solve.StopRow
		}
		a := digits.Estimation{Solution: &refine.Solution{S: &s.Problem, Ctx: context.Background(), Vectors: linop.NewHost(3, s.Pool), X: x, B: b, Parts: parts}}
		w, e := a.RowWeights()
		v := &digits.Improvement{Estimation: a, W: w, E: e}
		taken, err := v.Take([]float64{0, 0, dd.Ldexp(0.25, -e)}, 1)
		if taken != (parts == nil) || err != nil {
			t.Errorf("weights of parts %v: a step that spoils one is taken: %v (%v)", parts, taken, err)
		}
		want, weight := math.Ldexp(0.25, -70), 2*0x1p70+2
		if parts != nil {
			want, weight = 0.25, 4
		}
		a.X = x
		if got := a.Relative(d, 53); got != want {
			t.Errorf("weights of parts %v: %g relative to x, want %g", parts, got, want)
		}
		if got := dd.Ldexp(w[2], e); got != weight {
			t.Errorf("weights of parts %v: %g of row 3, want %g", parts, got, weight)
		}
	}
}

// Where vectors are null vectors only to roundings of A, so are the digits of x; where they are exact,
// digits may be more than roundings of A would leave.
func TestDigitsOfRoundedNullSpace(t *testing.T) {
	const n = 200
	for _, whole := range []bool{true, false} {
		rng := rand.New(rand.NewPCG(3, 1))
		diagonal := make([]float64, n)
		m := entries(n, func(add func(i, j int, v float64)) {
			for i := range n - 1 {
				v := 1 + rng.Float64()
				if whole {
					v = math.Round(8 * v)
				}
				add(i, i+1, -v)
				add(i+1, i, -v)
				diagonal[i] += v
				diagonal[i+1] += v
			}
			for i, v := range diagonal {
				add(i, i, v)
			}
		})
		b := make([]float64, n)
		b[0], b[n-1] = 1, -1
		r := mustSolve(t, m, b, nil, solve.Options{Limits: solve.Limits{Threads: 1}})
		if r.Digits.State != solve.DigitsBelieved || r.Digits.Error < r.Digits.Probe != whole {
			t.Errorf("whole numbers: %v; %v, %+v", whole, r.Reason, r.Digits)
		}
	}
}

// Where x is far larger than b asks for, strictly dominant columns show that A is regular, and otherwise a probe that takes as long as the solve: no
// factors are needed, and no caution.
func TestThoroughProbe(t *testing.T) {
	const n = 13
	rng := rand.New(rand.NewPCG(3, 1))
	m := entries(n*n*n, func(add func(i, j int, v float64)) { // a Markov chain of three queues, which hardly ever ends
		for i := range n * n * n {
			add(i, i, 1e-5*rng.Float64())
			for k, step := range []int{1, n, n * n} {
				if i/step%n == n-1 {
					continue
				}
				there, back := 0.5+0.2*float64(k)+0.1*rng.Float64(), 0.8+0.1*rng.Float64()
				add(i, i, there)
				add(i+step, i, -there)
				add(i+step, i+step, back)
				add(i, i+step, -back)
			}
		}
	})
	b := make([]float64, m.Rows)
	for i := range b {
		b[i] = 1
	}
	r := solved(t, m, b, nil, solve.Options{})
	if r.Reason != krylov.Converged || r.Digits.Iterations > r.Iterations/4 || len(r.Cautions) > 0 {
		t.Errorf("dominant columns: %v, %d of %d iterations for digits, cautions %q", r.Reason, r.Digits.Iterations, r.Iterations, r.Cautions)
	}
	r = solved(t, rescaled(m, func(i int) float64 { return 1 + float64(i%2) }, same(1)), b, nil, solve.Options{})
	if r.Reason != krylov.Converged || r.Digits.State != solve.DigitsEstimated || len(r.Cautions) > 0 {
		t.Errorf("%v, digits %v, cautions %q", r.Reason, r.Digits.State, r.Cautions)
	}
}

// Strictly dominant rows, or columns, prove a bound of the error, which holds and takes no iterations. Roundings of A must not matter for that.
func TestBoundByDominance(t *testing.T) {
	const n = 40
	jacobi := solve.Options{Method: solve.BiCGStab, Precond: solve.Precond{Kind: precond.Jacobi}, Limits: solve.Limits{Threads: 2}}
	for _, c := range []struct {
		name   string
		shift  float64 // of the diagonal
		proved bool
	}{{"dominant", 0.25, true}, {"weakly dominant", 0, false}, {"dominant by roundings", 0x1p-50, false}} {
		for _, columns := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(5, 1))
			m := entries(n*n, func(add func(i, j int, v float64)) {
				for i := range n * n {
					sum := c.shift
					for _, j := range []int{i - n, i - 1, i + 1, i + n} {
						if j < 0 || j >= n*n {
							j = (j + n*n) % (n * n)
						}
						v := (0.25 + rng.Float64()) * float64(1-2*rng.IntN(2))
						sum += math.Abs(v)
						if columns {
							add(j, i, v)
						} else {
							add(i, j, v)
						}
					}
					add(i, i, sum)
				}
			})
			b := random(9, m.Rows)
			r := mustSolve(t, m, b, nil, jacobi)
			proved := r.Digits.State == solve.DigitsBelieved && r.Digits.Iterations == 0
			if proved != c.proved || r.Reason != krylov.Converged {
				t.Errorf("%s, columns %v: %v, digits %+v", c.name, columns, r.Reason, r.Digits)
			}
			if !c.proved {
				continue
			}
			best := mustSolve(t, m, b, nil, solve.Options{Precond: solve.Precond{Kind: precond.LU}})
			wrong, size := 0.0, 0.0
			for i, v := range best.X {
				wrong, size = max(wrong, math.Abs(r.X[i]-v)), max(size, math.Abs(v))
			}
			if wrong/size > r.Digits.Error || best.Digits.Believed < 14 {
				t.Errorf("%s, columns %v: error %.2g, at most %.2g was claimed", c.name, columns, wrong/size, r.Digits.Error)
			}
		}
	}
}
