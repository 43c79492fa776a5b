package solver

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// split returns matrices of float64 whose sum is a to so many parts.
func split(a [][]*big.Rat, parts int) (list []*csr.Matrix) {
	n := len(a)
	for range parts {
		nonzero := false
		m := entries(n, func(add func(i, j int, v float64)) {
			for i := range a {
				for j, q := range a[i] {
					if v, _ := q.Float64(); v != 0 {
						add(i, j, v)
						a[i][j] = new(big.Rat).Sub(q, new(big.Rat).SetFloat64(v))
						nonzero = true
					}
				}
			}
		})
		if !nonzero {
			break
		}
		list = append(list, m)
	}
	return list
}

// rationals returns the matrix of n rows with elements f(i, j).
func rationals(n int, f func(i, j int) *big.Rat) [][]*big.Rat {
	a := make([][]*big.Rat, n)
	for i := range a {
		for j := range n {
			a[i] = append(a[i], f(i, j))
		}
	}
	return a
}

// rounded returns the matrix of n rows with elements f(i, j); zeros are left out.
func rounded(n int, f func(i, j int) float64) []*csr.Matrix {
	return []*csr.Matrix{entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			for j := range n {
				if v := f(i, j); v != 0 {
					add(i, j, v)
				}
			}
		}
	})}
}

// beyondFloat64 returns the parts of a matrix that float64 cannot tell from a singular one, or that is singular.
func beyondFloat64(seed uint64) (name string, parts []*csr.Matrix, b []float64) {
	rng := rand.New(rand.NewPCG(seed, 40))
	integer := func(most int) int64 { return rng.Int64N(int64(2*most+1)) - int64(most) }
	n, small := 12+rng.IntN(13), 1.0
	hilbert := func(i, j int) float64 { return 1 / float64(i+j+1) }
	switch kind := seed / 2 % 10; kind {
	case 0:
		name, parts = "Hilbert as read", rounded(n, hilbert)
	case 1:
		name = "Hilbert as written"
		parts = split(rationals(n, func(i, j int) *big.Rat { return big.NewRat(1, int64(i+j+1)) }), 12)
	case 2:
		n = 20
		name, parts = "Vandermonde", rounded(n, func(i, j int) float64 { return math.Pow(float64(i+1)/float64(1+19*(seed/20%2)), float64(j)) })
	case 3, 4: // L D U with D from 1 to 1e-30 ... 1e-200
		n = 4 + rng.IntN(12)
		least := 100 + rng.IntN(560)
		l, u := make([][]int64, n), make([][]int64, n)
		for i := range n {
			l[i], u[i] = make([]int64, n), make([]int64, n)
			for k := range n {
				l[i][k], u[i][k] = integer(3), integer(3)
			}
		}
		name = fmt.Sprintf("graded to 2^-%d", least)
		a := rationals(n, func(i, j int) *big.Rat {
			sum := new(big.Rat)
			for k := range min(i, j) + 1 {
				li, uj := l[i][k], u[k][j]
				if i == k {
					li = 1
				}
				if j == k {
					uj = 1
				}
				d := new(big.Int).Lsh(big.NewInt(1), uint(least*k/(n-1)))
				sum.Add(sum, new(big.Rat).SetFrac(big.NewInt(li*uj), d))
			}
			return sum
		})
		if kind == 4 { // without an order of sizes
			p, q := rng.Perm(n), rng.Perm(n)
			a = rationals(n, func(i, j int) *big.Rat { return a[p[i]][q[j]] })
		}
		parts = split(a, 20)
	case 5:
		most := []int{50, 100, 290}[rng.IntN(3)]
		rows, cols, which := make([]float64, n), make([]float64, n), rng.IntN(2)
		for i := range n {
			rows[i], cols[i] = math.Pow(10, float64(integer(most))), math.Pow(10, float64(integer(most)))
			if most == 290 { // the product is beyond float64
				rows[i], cols[i] = []float64{rows[i], 1}[which], []float64{1, cols[i]}[which]
			}
		}
		small = 1e-40 // x is not to be beyond float64 either
		name = fmt.Sprintf("Hilbert scaled by 1e±%d", most)
		parts = rounded(n, func(i, j int) float64 { return hilbert(i, j) * rows[i] * cols[j] })
	case 6:
		n = 24 + rng.IntN(17)
		name = "sparse: product of bidiagonal factors"
		parts = rounded(n, func(i, j int) float64 {
			switch i - j {
			case 0:
				return 1 + 9*min(1, float64(i))
			case 1, -1:
				return -3
			}
			return 0
		})
	case 7:
		n = 2 * (5 + rng.IntN(8))
		diagonal := integer(1)
		name = "symmetric, zeros on the diagonal"
		parts = rounded(n, func(i, j int) float64 {
			switch {
			case i < n/2 && j < n/2:
				return 0
			case i >= n/2 && j >= n/2:
				return float64(diagonal) * float64((i*j)%7) * min(1, math.Abs(float64(i-j)))
			}
			return hilbert(i%(n/2), j%(n/2))
		})
	default: // the last row is a combination of the others, or nearly
		a := make([][]float64, n)
		last := make([]float64, n)
		for i := range n - 1 {
			a[i] = make([]float64, n)
			for j := range n {
				a[i][j] = math.Ldexp(float64(integer(1000)), i%5)
				last[j] += a[i][j] * float64(1+i%3)
			}
		}
		name, a[n-1] = "singular", last
		parts = rounded(n, func(i, j int) float64 { return a[i][j] })
		if kind == 9 {
			k := 60 + rng.IntN(800)
			name = fmt.Sprintf("2^-%d from singular", k)
			parts = append(parts, rounded(n, func(i, j int) float64 {
				if i == n-1 {
					return math.Ldexp(float64(integer(9)), -k)
				}
				return 0
			})...)
		}
	}
	b = make([]float64, n)
	for i := range b {
		b[i] = float64(integer(20)) / 4 * small
	}
	return fmt.Sprintf("seed %d: %s, n = %d", seed, name, n), parts, b
}

// mustSolveParts solves with a matrix that is a sum.
func mustSolveParts(t *testing.T, parts []*csr.Matrix, b []float64, opt solve.Options) solve.Result {
	t.Helper()
	opt.Lower = parts[1:]
	s, err := New(t.Context(), parts[0], opt)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.SolveParts(t.Context(), [][]float64{b}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Factors of multiple precision get the digits asked for where the condition is beyond float64, and never more than are right.
func TestFactoredDigits(t *testing.T) {
	for seed := range uint64(60) {
		name, parts, b := beyondFloat64(seed)
		want := []int{20, 50, 120}[seed%3]
		r := mustSolveParts(t, parts, b, solve.Options{Accuracy: solve.Accuracy{Digits: want}, Limits: solve.Limits{Threads: 2}})
		x := testsupport.SolveRationally(parts[0], b, parts[1:]...)
		switch {
		case x == nil:
			if r.Reason == krylov.Converged || r.Precise != nil || !strings.Contains(name, "singular") {
				t.Errorf("%s: singular, %v, %s", name, r.Reason, r.Advice)
			}
		case r.Precise == nil || r.Reason != krylov.Converged:
			t.Errorf("%s: %v, %s", name, r.Reason, r.Advice)
		default:
			right := rightPreciseDigits(r.Precise.X, func(j int) *big.Rat { return x[j] })
			if right < float64(r.Precise.Believed) || r.Precise.Believed < want {
				t.Errorf("%s: %d digits believed of %d, %.1f right", name, r.Precise.Believed, want, right)
			}
		}
	}
}

// For Hilbert matrices as written, here sums of 20 float64, x is known: b is the first unit vector.
func TestFactoredHilbert(t *testing.T) {
	for _, n := range []int{12, 20, 31, 40} {
		parts := split(rationals(n, func(i, j int) *big.Rat { return big.NewRat(1, int64(i+j+1)) }), 20)
		b := make([]float64, n)
		b[0] = 1
		r := mustSolveParts(t, parts, b, solve.Options{Accuracy: solve.Accuracy{Digits: 60}})
		right := rightPreciseDigits(r.Precise.X, func(i int) *big.Rat { // column 1 of the inverse
			x := new(big.Int).Binomial(int64(n+i), int64(n-1))
			x.Mul(x, new(big.Int).Binomial(int64(n), int64(n-i-1)))
			q := new(big.Rat).SetInt(x.Mul(x, big.NewInt(int64(i+1))))
			if i%2 != 0 {
				q.Neg(q)
			}
			return q
		})
		if r.Reason != krylov.Converged || right < float64(r.Precise.Believed) || r.Precise.Believed < 60 {
			t.Errorf("n = %d: %v, %d digits believed, %.1f right", n, r.Reason, r.Precise.Believed, right)
		}
	}
}

// Ten digits of float64 come from factors as well.
func TestFactoredDigitsOfFloat64(t *testing.T) {
	m := testsupport.Hilbert(20)
	b := random(3, 20)
	r := mustSolve(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Digits: 10}})
	x := testsupport.SolveRationally(m, b)
	if r.Reason != krylov.Converged || r.Precise != nil || r.Digits.Believed < 10 {
		t.Fatalf("%v, %+v", r.Reason, r.Digits)
	}
	for j, v := range r.X {
		if f, _ := x[j].Float64(); math.Abs(v-f) > 0x1p-52*math.Abs(f) {
			t.Errorf("x[%d] = %v, want %v", j, v, f)
		}
	}
}

// The factors are the same for any number of threads, and serve for further right-hand sides. They end with the context, and
// respect the limit of memory.
func TestFactoredLimits(t *testing.T) {
	m := testsupport.Hilbert(40)
	b := random(1, 40)
	opt := solve.Options{Accuracy: solve.Accuracy{Digits: 50}, Limits: solve.Limits{Threads: 1}}
	one := mustSolve(t, m, b, nil, opt)
	opt.Threads = 3
	s, err := New(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Solve(t.Context(), random(2, 40), nil); err != nil {
		t.Fatal(err)
	}
	three, err := s.Solve(t.Context(), b, nil)
	if err != nil || one.Reason != krylov.Converged || !sameVec(one.Precise.X, three.Precise.X) || one.Precise.Errors.Row != three.Precise.Errors.Row {
		t.Errorf("%v, %v, %v", one.Reason, three.Reason, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	opt.Stage = func(text string) {
		if strings.HasPrefix(text, "LU factors") {
			cancel()
		}
	}
	stopped, err := New(ctx, m, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer stopped.Close()
	if r, err := stopped.Solve(ctx, b, nil); err != nil || r.Reason != krylov.Interrupted || r.Precise != nil {
		t.Errorf("%v, %v", r.Reason, err)
	}
	said := ""
	opt.Log = func(line string) { said += line + "\n" }
	opt.Stage, opt.MaxMemory = nil, s.SolveBytes()+40*40*8
	if r := mustSolve(t, m, b, nil, opt); r.Reason == krylov.Converged || !strings.Contains(said, "more than the memory limit allows") {
		t.Errorf("%v, %s", r.Reason, said)
	}
}
