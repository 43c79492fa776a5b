package solve

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// entries makes an n x n matrix of what fill adds.
func entries(n int, fill func(add func(i, j int, v float64))) *csr.Matrix {
	b, err := csr.NewBuilder(n, n)
	if err != nil {
		panic(err)
	}
	fill(func(i, j int, v float64) {
		if err := b.Add(i, j, v); err != nil {
			panic(err)
		}
	})
	return b.Build()
}

// grid is the five-point discretisation of -Laplace u + wind u_x + shift u on
// k x k points.
func grid(k int, wind, shift float64) *csr.Matrix {
	return entries(k*k, func(add func(i, j int, v float64)) {
		for p := range k * k {
			add(p, p, 4+shift)
			if p%k > 0 {
				add(p, p-1, -1-wind)
			}
			if p%k < k-1 {
				add(p, p+1, -1+wind)
			}
			if p >= k {
				add(p, p-k, -1)
			}
			if p < k*k-k {
				add(p, p+k, -1)
			}
		}
	})
}

// rescaled returns D_r A D_c for factors of rows and columns.
func rescaled(m *csr.Matrix, row, col func(i int) float64) *csr.Matrix {
	m = m.Clone()
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			vals[k] *= row(i) * col(int(j))
		}
	}
	return m
}

func same(v float64) func(int) float64 { return func(int) float64 { return v } }

// uneven runs from 10^-e to 10^e in no order.
func uneven(e float64) func(int) float64 {
	return func(i int) float64 { return math.Pow(10, e*math.Sin(float64(3*i+1))) }
}

func dense(rows ...[]float64) *csr.Matrix {
	return entries(len(rows), func(add func(i, j int, v float64)) {
		for i, row := range rows {
			for j, v := range row {
				if v != 0 {
					add(i, j, v)
				}
			}
		}
	})
}

func random(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 99))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// rhs is A x for a random x of size `size`.
func rhs(m *csr.Matrix, size float64) []float64 {
	x, b := random(8, m.Cols), make([]float64, m.Rows)
	for i := range x {
		x[i] *= size
	}
	m.MulVec(b, x)
	return b
}

// logged is what a solver says, and its options with a log that keeps it.
type logged struct{ lines []string }

func (l *logged) options(opt Options) Options {
	opt.Log = func(line string) { l.lines = append(l.lines, line) }
	return opt
}

func (l *logged) says(text string) bool { return strings.Contains(strings.Join(l.lines, "\n"), text) }

// newSolver makes a solver that is closed after the test.
func newSolver(t testing.TB, m *csr.Matrix, opt Options) *Solver {
	t.Helper()
	s, err := New(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// mustSolve makes a solver, solves once and closes it.
func mustSolve(t testing.TB, m *csr.Matrix, b, x0 []float64, opt Options) Result {
	t.Helper()
	s, err := New(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Solve(t.Context(), b, x0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checked is mustSolve for a result that claims what the stopping criterion, computed from
// its definition in long arithmetic, allows: converged if and only if that is within the
// tolerance. It is also the error reported.
func checked(t testing.TB, m *csr.Matrix, b, x0 []float64, opt Options) Result {
	t.Helper()
	r := mustSolve(t, m, b, x0, opt)
	opt = opt.withDefaults(m.Rows)
	e := bigMeasure(opt.Stop, m, r.X, b)
	claim := r.Reason.Converged()
	if r.Reason == krylov.Singular { // the tolerance met, by an x as large as 1/eps
		claim = e <= opt.Tol && r.Errors.RelativeResidual >= 1
	}
	if claim != (e <= opt.Tol) {
		t.Errorf("stop %s: %v after %d iterations with error %g", opt.Stop, r.Reason, r.Iterations, e)
	}
	if got := opt.Stop.pick(r.Errors); math.Abs(got-e) > 1e-6*e+1e-25 {
		t.Errorf("stop %s: error reported as %g, it is %g", opt.Stop, got, e)
	}
	return r
}

// solved is checked for a system that is to be solved.
func solved(t testing.TB, m *csr.Matrix, b, x0 []float64, opt Options) Result {
	t.Helper()
	r := checked(t, m, b, x0, opt)
	if r.Reason != krylov.Converged {
		t.Errorf("stop %s: not solved: %v after %d iterations, %+v", opt.Stop, r.Reason, r.Iterations, r.Errors)
	}
	return r
}

func sameBits(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
}

// sameOutcome compares all but times.
func sameOutcome(a, b Result) bool {
	return sameBits(a.X, b.X) && a.Reason == b.Reason && a.Errors == b.Errors && a.Method == b.Method &&
		a.Outer == b.Outer && a.Iterations == b.Iterations && a.SpMVs == b.SpMVs
}

// bigMeasure computes a stopping criterion from its definition in arithmetic
// of 2500 bits; +Inf for an x that is not finite.
func bigMeasure(stop Stop, m *csr.Matrix, x, b []float64) float64 {
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(2500).SetFloat64(v) }
	abs := func(v *big.Float) *big.Float { return num(0).Abs(v) }
	quo := func(a, b *big.Float) float64 {
		if a.Sign() == 0 {
			return 0
		}
		if b.Sign() == 0 {
			return math.Inf(1)
		}
		q, _ := num(0).Quo(a, b).Float64()
		return q
	}
	raise := func(a, b *big.Float) {
		if a.Cmp(b) < 0 {
			a.Set(b)
		}
	}
	normX, normA, normB, normR, r2, b2, worst := num(0), num(0), num(0), num(0), num(0), num(0), 0.0
	for _, v := range x {
		if v-v != 0 {
			return math.Inf(1)
		}
		raise(normX, abs(num(v)))
	}
	for i := range m.Rows {
		r, rowSum, absAx, bi := num(b[i]), num(0), num(0), abs(num(b[i]))
		cols, vals := m.Row(i)
		for k, j := range cols {
			p := num(0).Mul(num(vals[k]), num(x[j]))
			r.Sub(r, p)
			absAx.Add(absAx, abs(p))
			rowSum.Add(rowSum, abs(num(vals[k])))
		}
		r.Abs(r)
		raise(normR, r)
		raise(normB, bi)
		raise(normA, rowSum)
		r2.Add(r2, num(0).Mul(r, r))
		b2.Add(b2, num(0).Mul(bi, bi))
		switch stop {
		case StopRow:
			worst = math.Max(worst, quo(r, bi.Add(bi, rowSum.Mul(rowSum, normX))))
		case StopCW:
			worst = math.Max(worst, quo(r, bi.Add(bi, absAx)))
		}
	}
	switch stop {
	case StopNW:
		return quo(normR, normB.Add(normB, normA.Mul(normA, normX)))
	case StopRel:
		return quo(r2.Sqrt(r2), b2.Sqrt(b2))
	}
	return worst
}

// unpreconditioned leaves the method to itself.
var unpreconditioned = Precond{Kind: precond.None}
