package solver

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// The measure that steers the solve against the one of its verdict.
func TestMeasureAgainstVerify(t *testing.T) {
	for _, c := range []struct {
		m    *csr.Matrix
		size float64
	}{
		{grid(5, 0.3, 0), 1},
		{rescaled(grid(5, 0.3, 0), uneven(8), uneven(3)), 1e5},
		{rescaled(grid(5, 0, 0), same(1e300), same(1)), 1e-100},
		{rescaled(grid(5, 0, 0), same(1e-200), same(1)), 1e-90},
		{rescaled(grid(5, 0, 0), same(1e200), same(1)), 1e106},
	} {
		b := rhs(c.m, c.size)
		x, r := random(8, c.m.Cols), make([]float64, len(b)) // about the solution, wrong in the fourth digit
		for i := range x {
			x[i] *= c.size * (1 + 1e-4*math.Sin(float64(i)))
		}
		c.m.MulVec(r, x)
		for i := range r {
			r[i] = b[i] - r[i]
		}
		for _, stop := range rules.Stops {
			sums := c.m.RowSums(nil)
			k := backend.NewMeasure(backend.NewHost(c.m, nil), stop, sums, slices.Max(sums))
			k.Begin(b)
			got, want := k.Of(x, r), measureOf(t, stop, c.m, x, b)
			if !(math.Abs(got-want) <= 1e-10*want) {
				t.Errorf("entries of %g, x of %g, stop %s: %g, want %g", c.m.Val[0], c.size, stop, got, want)
			}
			kept := r[3]
			r[3] = math.NaN()
			if v := k.Of(x, r); v <= 1 {
				t.Errorf("stop %s: %g with a NaN in r", stop, v)
			}
			r[3] = kept
		}
	}
}

// Measures and scalings on a device agree with those on the host, but for the order of sums.
func TestMeasureOnDevice(t *testing.T) {
	m := rescaled(grid(9, 0.3, 0), uneven(5), uneven(5))
	scaled := &backend.ScaledMatrix{Scaling: csr.BothScaling(m, nil), M: m, Sign: -1}
	for _, on := range devices(t) {
		for _, stop := range rules.Stops {
			d, err := backend.NewDevice(m, on, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := measured(d, stop, scaled)
			for k, want := range measured(backend.NewHost(m, nil), stop, scaled) {
				if got[k].e != want.e || !(math.Abs(got[k].measure-want.measure) <= 1e-13*want.measure) || !sameBits(got[k].v, want.v) {
					t.Errorf("%v, stop %s, %d: %+v, want %+v", on.Info(), stop, k, got[k], want)
				}
			}
			d.Close()
		}
	}
}

type measurement struct {
	measure float64
	e       int
	v       []float64
}

// measured takes random vectors through all operations of a backend.
func measured[V any, S linop.Scalar[S]](at backend.Backend[V, S], stop solve.Stop, scaled *backend.ScaledMatrix) []measurement {
	n := scaled.M.Rows
	home := func(v V) []float64 {
		x := make([]float64, n)
		at.ToHost(x, v)
		return x
	}
	x, b, r := at.FromHost(random(1, n)), at.FromHost(random(2, n)), at.FromHost(random(3, n))
	sums := scaled.M.RowSums(nil)
	k, s := backend.NewMeasure(at, stop, sums, slices.Max(sums)), backend.NewScaling(at, scaled)
	k.Begin(b)
	rhs, d, x2, r2 := at.New(), at.New(), at.New(), at.New()
	e := s.Residual(rhs, r)
	s.Correction(d, r, e)
	s.Col.AddLdexp(x2, x, r, e)
	s.Unscaled.Ldexp(r2, rhs, 1, e)
	return []measurement{{k.Of(x, r), e, home(rhs)}, {k.Of(x2, r2), 0, home(d)}, {0, 0, home(r2)}}
}

// r / (t x + b) where the denominator leaves the range of float64.
func TestQuotient(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ r, t, x, b, want float64 }{
		{0, 0, 0, 0, 0},
		{1, 1, 1, 1, 0.5},
		{1, 0, 0, 0, inf},
		{1e300, 1e200, 1e200, 0, 1e-100},
		{1e300, 1e200, 1e200, 1e308, 1e-100},
		{1e308, 1, 1e308, 1e308, 1},
		{inf, 1, 1, 1, inf},
	} {
		if got := backend.Quotient(c.r, c.t, c.x, c.b); got != c.want && !(math.Abs(got-c.want) <= 1e-14*c.want) {
			t.Errorf("quotient(%g, %g, %g, %g) = %g, want %g", c.r, c.t, c.x, c.b, got, c.want)
		}
	}
}

// The errors decide on the verdict, whatever refinement says.
func TestVerdict(t *testing.T) {
	const tol = 1e-10
	s := new(Solver)
	s.Opt = solve.Options{Accuracy: solve.Accuracy{Stop: solve.StopRow, Tol: tol}}
	for _, c := range []struct {
		reason           krylov.Reason
		row, unexplained float64
		want             krylov.Reason
	}{
		{krylov.Converged, tol, 0.01, krylov.Converged},
		{krylov.Converged, 1.01 * tol, 0.01, krylov.Drift},
		{krylov.Converged, math.NaN(), 0.01, krylov.Drift},
		{krylov.Stagnation, tol, 0.01, krylov.Converged},
		{krylov.Stagnation, 1.01 * tol, 0.01, krylov.Stagnation},
		{krylov.Converged, tol, 0.011, krylov.Singular},
		{krylov.ZeroRHS, 0, 0, krylov.ZeroRHS},
		{krylov.ZeroRHS, 1, 1, krylov.Drift}, // a kernel that fails wrote zeros for b
	} {
		a := solution{s: s, Solution: &refine.Solution{S: &s.Problem, Judgement: verify.Judgement{Errors: verify.Errors{Row: c.row}, Unexplained: c.unexplained}}}
		a.Solved.Reason = c.reason
		if got := a.verdict(); got != c.want {
			t.Errorf("%v with errors %g and %g: %v, want %v", c.reason, c.row, c.unexplained, got, c.want)
		}
	}
}

// Refinement on the backend of double-double vectors: x has twice the digits of float64, and
// nothing of it has gone through float64.
func TestDoubleDoubleBackend(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for _, m := range []*csr.Matrix{rescaled(grid(8, 0, 0), uneven(2), uneven(2)), rescaled(grid(8, 0.3, 0), uneven(3), same(-1))} {
		s := newSolver(t, m, solve.Options{Precond: unpreconditioned})
		at := backend.NewHostDD(backend.NewHost(m, pool))
		f, err := refine.New(t.Context(), &s.Problem, at)
		if err != nil {
			t.Fatal(err)
		}
		x, b := at.New(), at.FromHost(random(1, m.Rows))
		for i := range b.Hi {
			b.Set(i, b.At(i).Add(dd.From(0x1p-70))) // more than float64 holds
		}
		r, err := f.Solve(t.Context(), x, b, krylov.Options[dd.Vec]{Tol: 1e-25, MaxIter: 5000})
		if err != nil || r.Reason != krylov.Converged {
			t.Errorf("%+v, %v", r, err)
		}
		if worst := rowErrorDD(m, x, b); !(worst <= 2e-25) {
			t.Errorf("row-wise error %g", worst)
		}
	}
}

// rowErrorDD is the row-wise backward error of x, in 400-bit arithmetic.
func rowErrorDD(m *csr.Matrix, x, b dd.Vec) (worst float64) {
	largest := special.AbsMax(x.Hi)
	for i := range m.Rows {
		sum, scale := bigDD(b.At(i)), math.Abs(b.Hi[i])
		cols, vals := m.Row(i)
		for k, j := range cols {
			sum.Sub(sum, new(big.Float).Mul(bigDD(dd.From(vals[k])), bigDD(x.At(int(j)))))
			scale += math.Abs(vals[k]) * largest
		}
		v, _ := sum.Abs(sum).Float64()
		worst = max(worst, v/scale)
	}
	return worst
}

func bigDD(v dd.DD) *big.Float {
	s := new(big.Float).SetPrec(400).SetFloat64(v.Hi)
	return s.Add(s, big.NewFloat(v.Lo))
}
