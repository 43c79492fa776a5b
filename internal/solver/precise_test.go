package solver

import (
	"context"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/digits"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// rightPreciseDigits is -log10 of the error of x relative to an exact solution.
func rightPreciseDigits(x solve.Vector, exact func(j int) *big.Rat) float64 {
	size, wrong := new(big.Rat), new(big.Rat)
	for j := range x.Len() {
		v, _ := x.At(j).Rat(nil)
		truth := exact(j)
		if d := new(big.Rat).Sub(v, truth); d.Abs(d).Cmp(wrong) > 0 {
			wrong = d
		}
		if s := new(big.Rat).Abs(truth); s.Cmp(size) > 0 {
			size = s
		}
	}
	if wrong.Sign() == 0 {
		return math.Inf(1)
	}
	q := new(big.Float).SetRat(wrong.Quo(wrong, size))
	var m big.Float
	e := q.MantExp(&m)
	f, _ := m.Float64()
	return -digits.Log10(f, e)
}

// Digits beyond float64 agree with solutions in rational arithmetic, and a singular matrix gets none.
func TestPreciseDigitsAreRight(t *testing.T) {
	reached := 0
	for seed := range uint64(60) {
		name, m, b := testsupport.Small(seed)
		want := 16 + int(seed*7%85)
		s, err := New(t.Context(), m, solve.Options{Accuracy: solve.Accuracy{Digits: want}, Limits: solve.Limits{Threads: 1}})
		if err != nil {
			continue // a row of zeros
		}
		r, err := s.Solve(t.Context(), b, nil)
		s.Close()
		if err != nil {
			t.Fatal(err)
		}
		x, p := testsupport.SolveRationally(m, b), r.Precise
		switch {
		case x == nil && (r.Reason == krylov.Converged || r.Digits.Believed > 0 && p != nil):
			t.Errorf("%s: singular, %v with %+v", name, r.Reason, r.Digits)
		case x == nil || p == nil:
			if r.Reason == krylov.Converged {
				t.Errorf("%s: converged without digits", name)
			}
		default:
			right := rightPreciseDigits(p.X, func(j int) *big.Rat { return x[j] })
			if float64(p.Believed) > right || float64(p.Proved) > right || (r.Reason == krylov.Converged) != (p.Believed >= want) {
				t.Errorf("%s: %v with %d digits believed of %d, %d proved, %.1f right", name, r.Reason, p.Believed, want, p.Proved, right)
			}
			if r.Reason == krylov.Converged {
				reached++
			}
			for j, v := range r.X {
				if f, _ := p.X.At(j).Float64(); f != v {
					t.Errorf("%s: x[%d] = %v is not rounded from %v", name, j, v, f)
				}
			}
		}
	}
	if reached < 48 {
		t.Errorf("the digits asked for were reached in %d systems only", reached)
	}
}

// Hilbert matrices get their digits, also where float64 no longer tells them from singular ones.
func TestPreciseDigitsOfHilbert(t *testing.T) {
	for n := 2; n <= 14; n++ {
		m := testsupport.Hilbert(n)
		b := random(uint64(n), n)
		r := mustSolve(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Digits: 100}})
		x := testsupport.SolveRationally(m, b)
		if r.Reason != krylov.Converged {
			t.Fatalf("n = %d: %v, %+v", n, r.Reason, r.Digits)
		}
		if right := rightPreciseDigits(r.Precise.X, func(j int) *big.Rat { return x[j] }); right < float64(r.Precise.Believed) {
			t.Errorf("n = %d: %d digits believed, %.1f right", n, r.Precise.Believed, right)
		}
	}
}

// The bound proves digits where rows and columns can be scaled so that the diagonal dominates, and only there.
func TestPreciseBound(t *testing.T) {
	for _, c := range []struct {
		name   string
		m      *csr.Matrix
		proved bool
	}{
		{"dominant", testsupport.Dense([]float64{3, 1, -1}, []float64{1, -4, 2}, []float64{0, 1, 2}), true},
		{"M-matrix", grid(12, 0, 0), true},
		{"negative M-matrix, convection", rescaled(grid(12, 1, 0), same(-1), same(1)), true},
		{"rows of any sign and size", rescaled(grid(9, 0, 0), func(i int) float64 { return math.Ldexp(1-2*float64(i%2), i%40) }, same(1)), true},
		{"not dominant", testsupport.Dense([]float64{1, 2, 3}, []float64{2, 1, -1}, []float64{1, -1, 1}), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := random(5, c.m.Rows)
			r := mustSolve(t, c.m, b, nil, solve.Options{Accuracy: solve.Accuracy{Digits: 40}})
			if r.Reason != krylov.Converged || (r.Precise.Proved >= 35) != c.proved || math.IsNaN(r.Precise.Bound) == c.proved {
				t.Fatalf("%v, %+v", r.Reason, r.Precise)
			}
			more := mustSolve(t, c.m, b, nil, solve.Options{Accuracy: solve.Accuracy{Digits: 120}}).Precise
			right := rightPreciseDigits(r.Precise.X, func(j int) *big.Rat { v, _ := more.X.At(j).Rat(nil); return v })
			if right < -r.Precise.Bound || right < -r.Precise.Error {
				t.Errorf("bound 1e%.1f, estimate 1e%.1f, %.1f digits right", r.Precise.Bound, r.Precise.Error, right)
			}
		})
	}
}

// sameVec reports whether vectors have the same bits.
func sameVec(x, y solve.Vector) bool {
	for j := range x.Len() {
		if x.At(j).Cmp(y.At(j)) != 0 {
			return false
		}
	}
	return x.Len() == y.Len()
}

// x has the same bits for any number of threads, in whatever way it is solved for.
func TestPreciseDigitsThreads(t *testing.T) {
	for _, opt := range []solve.Options{{}, {Precond: solve.Precond{Kind: "jacobi"}}, {Method: solve.BiCGStab, Precond: solve.Precond{Kind: "ilu0"}}, {Reorder: "rcm"}} {
		m := grid(20, 0, 0.01)
		b := random(3, m.Rows)
		opt.Digits = 60
		opt.Threads = 1
		one := mustSolve(t, m, b, nil, opt)
		opt.Threads = 3
		three := mustSolve(t, m, b, nil, opt)
		if one.Reason != krylov.Converged || !sameVec(one.Precise.X, three.Precise.X) || one.Precise.Believed != three.Precise.Believed || one.Precise.Errors != three.Precise.Errors {
			t.Errorf("%+v: %v, %v", opt, one.Reason, three.Reason)
		}
		if e := one.Precise.Errors; e.Row > -60 || e.Bits < 512 {
			t.Errorf("%+v: errors %+v", opt, e)
		}
	}
}

// A solve that is interrupted between steps keeps its best x, and does not claim the digits.
func TestPreciseDigitsInterrupt(t *testing.T) {
	m := grid(30, 0, 0)
	b := random(4, m.Rows)
	opt := solve.Options{Accuracy: solve.Accuracy{Digits: 200}, Precond: solve.Precond{Kind: "jacobi"}}
	steps := len(mustSolve(t, m, b, nil, opt).Precise.Steps)
	outer := mustSolve(t, m, b, nil, solve.Options{Precond: opt.Precond}).Outer
	for _, when := range []int{1, 3} {
		ctx, cancel := context.WithCancel(t.Context())
		opt.Monitor = func(e krylov.Event) {
			if e.Outer == outer+when {
				cancel()
			}
		}
		s := newSolver(t, m, opt)
		r, err := s.Solve(ctx, b, nil)
		if err != nil || r.Reason != krylov.Interrupted || r.Precise == nil || len(r.Precise.Steps) >= steps || r.Precise.Believed >= 200 {
			t.Fatalf("%v, %v, %+v", r.Reason, err, r.Precise)
		}
		if d := r.Precise.Believed; d < 6*when || d != r.Digits.Believed {
			t.Errorf("%d digits after %d steps, %+v", d, when, r.Digits)
		}
		cancel()
	}
}

// Matrices for which other ways of solving are chosen, and those without digits.
func TestPreciseDigitsOfSpecialMatrices(t *testing.T) {
	lower := entries(6, func(add func(i, j int, v float64)) {
		for i := range 6 {
			add(i, i, 3)
			if i > 0 {
				add(i, i-1, 1)
			}
		}
	})
	neumann := entries(4, func(add func(i, j int, v float64)) {
		for i := range 4 {
			for _, j := range []int{(i + 1) % 4, (i + 3) % 4} {
				add(i, j, -1)
				add(i, i, 1)
			}
		}
	})
	b := []float64{1, 2, 3, 4, 5, 7}
	r := mustSolve(t, lower, b, nil, solve.Options{Accuracy: solve.Accuracy{Digits: 300}})
	x := testsupport.SolveRationally(lower, b)
	if r.Method != special.SubstitutionMethod || r.Reason != krylov.Converged || rightPreciseDigits(r.Precise.X, func(j int) *big.Rat { return x[j] }) < 300 {
		t.Errorf("triangular: %v, %v, %+v", r.Method, r.Reason, r.Precise)
	}
	if r = mustSolve(t, neumann, []float64{1, -1, 2, -2}, nil, solve.Options{Accuracy: solve.Accuracy{Digits: 30}}); r.Reason != krylov.TooFewDigits || r.Precise != nil || !strings.Contains(r.Advice, "singular") {
		t.Errorf("singular: %v, %s", r.Reason, r.Advice)
	}
	if r = mustSolve(t, lower, make([]float64, 6), nil, solve.Options{Accuracy: solve.Accuracy{Digits: 30}}); r.Reason != krylov.ZeroRHS {
		t.Errorf("b = 0: %v", r.Reason)
	}
}

func TestPreciseOptions(t *testing.T) {
	for _, c := range []struct {
		opt  solve.Options
		want string
	}{
		{solve.Options{Accuracy: solve.Accuracy{Digits: solve.MaxPreciseDigits + 1}}, "at most 500"},
		{solve.Options{Accuracy: solve.Accuracy{Digits: 50, Bits: rules.MaxBits + 1}}, "at most 1696"},
		{solve.Options{Accuracy: solve.Accuracy{Bits: 212}}, "more than 15 digits"},
		{solve.Options{Accuracy: solve.Accuracy{Digits: 50}, Krylov: solve.Krylov{NoRefine: true}}, "refinement"},
		{solve.Options{Accuracy: solve.Accuracy{Digits: 50}, Checkpoint: solve.Checkpoints{Save: func(solve.Checkpoint) {}}}, "no checkpoints"},
		{solve.Options{Accuracy: solve.Accuracy{Digits: 50}, Vectors: solve.Vectors{Kind: solve.VectorsDD}}, "vectors in double"},
	} {
		if err := rules.Validate(c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.opt, err, c.want)
		}
	}
	if err := rules.OnDevice((solve.Options{Accuracy: solve.Accuracy{Digits: 50}})); err == nil {
		t.Error("devices take 50 digits")
	}
	for bits, digits := range map[int]int{106: 31, 212: 63, rules.MaxBits: 500} {
		if got := rules.DigitsOfBits(bits); got != digits {
			t.Errorf("%d bits hold %d digits, want %d", bits, got, digits)
		}
	}
	m := grid(10, 0, 0)
	b := random(1, m.Rows)
	if r := mustSolve(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Digits: 20, Bits: 424}}); r.Precise.Bits < 424 || r.Precise.X.Bits() != r.Precise.Bits {
		t.Errorf("x has %d bits", r.Precise.Bits)
	}
	usual := newSolver(t, m, solve.Options{}).SolveBytes()
	if _, err := New(t.Context(), m, solve.Options{Accuracy: solve.Accuracy{Digits: 500}, Limits: solve.Limits{MaxMemory: usual + 1000}}); !errors.Is(err, solve.ErrMemory) {
		t.Errorf("error %v", err)
	}
}

// What A and b have beyond float64 counts for x of multiple precision: of (A + 2^-80 B) x = b + 2^-80 c with integers alone, x is known.
func TestPreciseParts(t *testing.T) {
	const beyond = 0x1p-80
	m := testsupport.Grid(12, 0.3, 0)
	low := m.Clone()
	x := make([]float64, m.Rows)
	for k := range low.Val {
		m.Val[k] = math.Round(16 * m.Val[k])
		low.Val[k] = beyond * float64(k%7-3)
	}
	for j := range x {
		x[j] = float64(1 + j%5)
	}
	b, c := make([]float64, m.Rows), make([]float64, m.Rows)
	m.MulVec(b, x)
	low.MulVec(c, x)
	exact := func(j int) *big.Rat { return new(big.Rat).SetFloat64(x[j]) }
	for _, of := range []struct {
		lower []*csr.Matrix
		b     [][]float64
		right bool
	}{
		{[]*csr.Matrix{low}, [][]float64{b, c}, true},
		{nil, [][]float64{b, c}, false},
		{[]*csr.Matrix{low}, [][]float64{b}, false},
		{nil, [][]float64{b}, true},
	} {
		s, err := New(t.Context(), m, solve.Options{Accuracy: solve.Accuracy{Digits: 40, Lower: of.lower}, Limits: solve.Limits{Threads: 2}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.SolveParts(t.Context(), of.b, nil)
		s.Close()
		if err != nil || r.Reason != krylov.Converged || r.Precise.Believed < 40 {
			t.Fatalf("%v, %+v, %v", r.Reason, r.Precise, err)
		}
		if right := rightPreciseDigits(r.Precise.X, exact); of.right && right < 40 || !of.right && right > 26 {
			t.Errorf("%d parts of A and %d of b: %.1f digits", 1+len(of.lower), len(of.b), right)
		}
		if len(of.lower) > 0 && r.Precise.Proved > 0 {
			t.Error("a bound that does not know of all of A proves digits")
		}
	}
}

func TestPrecisePartsRefused(t *testing.T) {
	m := testsupport.Grid(4, 0, 0)
	b := make([]float64, m.Rows)
	if _, err := New(t.Context(), m, solve.Options{Accuracy: solve.Accuracy{Lower: []*csr.Matrix{m}}}); err == nil {
		t.Error("lower parts with digits of float64")
	}
	if _, err := New(t.Context(), m, solve.Options{Accuracy: solve.Accuracy{Digits: 20, Lower: []*csr.Matrix{testsupport.Grid(5, 0, 0)}}}); err == nil {
		t.Error("lower parts of another size")
	}
	s, err := New(t.Context(), m, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.SolveParts(t.Context(), [][]float64{b, b}, nil); err == nil {
		t.Error("b of parts with digits of float64")
	}
	if _, err := s.SolveParts(t.Context(), [][]float64{b, b[1:]}, nil); err == nil {
		t.Error("a part of another length")
	}
}
