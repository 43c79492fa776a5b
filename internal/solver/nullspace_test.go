package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A singularSystem has whole numbers: all products and sums are exact.
type singularSystem struct {
	a           *csr.Matrix
	right, left [][]float64 // bases
	x, b        []float64   // b = A x
	component   float64     // of b in the left null space that is allowed; 0: rounding
}

// laplacian returns the Laplacian of random connected graphs, one for each component.
func laplacian(rng *rand.Rand, n, components int) singularSystem {
	a := testsupport.Entries(n*components, func(add func(i, j int, v float64)) {
		for c := range components {
			edge := func(i, j int) {
				if i == j {
					return
				}
				w := float64(1 + rng.IntN(9))
				i, j = c*n+i, c*n+j
				add(i, i, w)
				add(j, j, w)
				add(i, j, -w)
				add(j, i, -w)
			}
			for i := 1; i < n; i++ {
				edge(i, rng.IntN(i))
				edge(i, rng.IntN(n))
			}
		}
	})
	s := singularSystem{a: a}
	for c := range components {
		v := make([]float64, n*components)
		for i := range n {
			v[c*n+i] = 1
		}
		s.right = append(s.right, v)
	}
	s.left = s.right
	s.solution(rng)
	return s
}

// lowRank is (I; G) D (I, H) with D diagonally dominant: its null vectors are (-H z; z) and
// its left ones (-G'z; z).
func lowRank(rng *rand.Rand, n, k int) singularSystem {
	r := n - k
	g, h, d := make([][]int, k), make([][]int, r), make([][]int, r)
	few := func() int { return rng.IntN(5) - 2 }
	for i := range g {
		g[i] = make([]int, r)
		for range 4 {
			g[i][rng.IntN(r)] = few()
		}
	}
	for i := range r {
		h[i], d[i] = make([]int, k), make([]int, r)
		h[i][rng.IntN(k)] = few()
		for range 3 {
			d[i][rng.IntN(r)] = few()
		}
		d[i][i] = 9
	}
	s := singularSystem{}
	product := func(i, j int) (v int) { // of (I; G) D (I, H)
		for p := range r {
			l := 0
			if i < r && i == p {
				l = 1
			} else if i >= r {
				l = g[i-r][p]
			}
			if l == 0 {
				continue
			}
			if j < r {
				v += l * d[p][j]
				continue
			}
			for q := range r {
				v += l * d[p][q] * h[q][j-r]
			}
		}
		return v
	}
	s.a = testsupport.Entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			for j := range n {
				if v := product(i, j); v != 0 {
					add(i, j, float64(v))
				}
			}
		}
	})
	for c := range k {
		v, y := make([]float64, n), make([]float64, n)
		v[r+c], y[r+c] = 1, 1
		for i := range r {
			v[i], y[i] = float64(-h[i][c]), float64(-g[c][i])
		}
		s.right, s.left = append(s.right, v), append(s.left, y)
	}
	s.solution(rng)
	return s
}

// solution draws x and sets b.
func (s *singularSystem) solution(rng *rand.Rand) {
	s.x, s.b = make([]float64, s.a.Rows), make([]float64, s.a.Rows)
	for i := range s.x {
		s.x[i] = float64(rng.IntN(201) - 100)
	}
	s.a.MulVec(s.b, s.x)
}

// less returns v less its part in the span of vectors, in rational numbers: the normal
// equations are solved by elimination.
func less(v []float64, vectors [][]float64) []float64 {
	k := len(vectors)
	dotRat := func(x, y []float64) *big.Rat {
		sum := new(big.Rat)
		for i := range x {
			sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetFloat64(x[i]), new(big.Rat).SetFloat64(y[i])))
		}
		return sum
	}
	rows := make([][]*big.Rat, k)
	for i := range rows {
		for j := range k {
			rows[i] = append(rows[i], dotRat(vectors[i], vectors[j]))
		}
		rows[i] = append(rows[i], dotRat(vectors[i], v))
	}
	for p := range k { // positive definite: no pivoting
		for i := range rows {
			if i == p {
				continue
			}
			f := new(big.Rat).Quo(rows[i][p], rows[p][p])
			for j := range rows[i] {
				rows[i][j].Sub(rows[i][j], new(big.Rat).Mul(f, rows[p][j]))
			}
		}
	}
	out := make([]float64, len(v))
	for i := range v {
		e := new(big.Rat).SetFloat64(v[i])
		for p := range k {
			c := new(big.Rat).Quo(rows[p][k], rows[p][p])
			e.Sub(e, c.Mul(c, new(big.Rat).SetFloat64(vectors[p][i])))
		}
		out[i], _ = e.Float64()
	}
	return out
}

// checkShortest compares x with the shortest solution.
func (s *singularSystem) checkShortest(t *testing.T, name string, r solve.Result) {
	t.Helper()
	want := less(s.x, s.right)
	if !r.Reason.Converged() || r.NullSpace.Dim != len(s.right) || r.NullSpace.Component > max(s.component, 1e-15) || r.Evidence != nil {
		t.Errorf("%s: %v, %+v, row-wise error %g", name, r.Reason, r.NullSpace, r.Errors.Row)
		return
	}
	for i := range want {
		if math.Abs(r.X[i]-want[i]) > 1e-7*special.AbsMax(want) {
			t.Errorf("%s: x_%d = %.10g, want %.10g", name, i, r.X[i], want[i])
			return
		}
	}
}

// TestPureNeumann: every method and every preconditioner solves Laplacians without a boundary
// condition, on one component or several, and finds the shortest x.
func TestPureNeumann(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var all []solve.Options
	for _, method := range rules.Methods {
		all = append(all, solve.Options{Method: method}, solve.Options{Method: method, Scale: solve.ScaleNone, Reorder: solve.ReorderRCM})
	}
	for _, kind := range rules.Preconds {
		if kind != precond.Schur { // which is for saddle points
			all = append(all, solve.Options{Method: solve.GMRES, Precond: solve.Precond{Kind: kind}})
		}
	}
	for _, opt := range all {
		for range 3 {
			s := laplacian(rng, 2+rng.IntN(60), 1+rng.IntN(3))
			var log logged
			opt = log.options(opt)
			opt.Tol = 1e-14
			r := mustSolve(t, s.a, s.b, nil, opt)
			s.checkShortest(t, fmt.Sprintf("%s with %s", opt.Method, opt.Precond.Kind), r)
			if !log.says("every row sums to zero") {
				t.Errorf("nothing is said of the null space: %q", log.lines)
			}
		}
	}
}

// TestNullSpaceGiven: null vectors of any kind, right and left, and left ones that are found.
func TestNullSpaceGiven(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 40 {
		s := lowRank(rng, 20+rng.IntN(60), 1+rng.IntN(4))
		for _, left := range [][][]float64{s.left, nil} {
			tol := 1e-14
			if left == nil { // as accurate as what is found
				tol, s.component = 1e-12, 1e-8 // an ill-conditioned left null space is found less accurately; x is not affected
			}
			solver := newSolver(t, s.a, solve.Options{Accuracy: solve.Accuracy{Tol: tol}, NullSpace: solve.NullSpace{Kind: solve.NullSpaceGiven, Right: s.right, Left: left}})
			for range 2 {
				for _, guess := range [][]float64{nil, random(uint64(rng.Int64()), s.a.Rows)} {
					r, err := solver.Solve(t.Context(), s.b, guess)
					if err != nil {
						t.Fatal(err)
					}
					s.checkShortest(t, fmt.Sprintf("n = %d, left given %v, guess %v", s.a.Rows, left != nil, guess != nil), r)
				}
				s.solution(rng)
			}
		}
	}
}

// TestNullSpaceOfAnyMagnitude: rows and columns of a pure Neumann problem keep their null
// vectors when all is multiplied by a power of two.
func TestNullSpaceOfAnyMagnitude(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, e := range []float64{-900, -300, 300, 900} {
		s := laplacian(rng, 30, 1)
		a := rescaled(s.a, same(math.Exp2(e)), same(1))
		b := make([]float64, a.Rows)
		a.MulVec(b, s.x)
		r := mustSolve(t, a, b, nil, solve.Options{Accuracy: solve.Accuracy{Tol: 1e-14}})
		s.checkShortest(t, fmt.Sprint("2^", e), r)
	}
}

// TestNullSpaceContradicted: a right-hand side off the range by as little as a millionth is
// inconsistent, with evidence, and x is the least-squares solution.
func TestNullSpaceContradicted(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 60 {
		s := lowRank(rng, 10+rng.IntN(40), 1+rng.IntN(3))
		opt := solve.Options{Accuracy: solve.Accuracy{Tol: 1e-14}, NullSpace: solve.NullSpace{Kind: solve.NullSpaceGiven, Right: s.right, Left: s.left}}
		if rng.IntN(2) == 0 {
			s = laplacian(rng, 10+rng.IntN(40), 1+rng.IntN(3))
			opt.NullSpace = solve.NullSpace{}
		}
		y := s.left[rng.IntN(len(s.left))]
		size := math.Exp2(-float64(rng.IntN(20)))
		b := make([]float64, len(s.b))
		for i := range b {
			b[i] = s.b[i] + size*y[i]*special.AbsMax(s.b)
		}
		r := mustSolve(t, s.a, b, nil, opt)
		if r.Reason != krylov.Inconsistent || r.Evidence == nil {
			t.Errorf("%v, %+v, off by %g", r.Reason, r.NullSpace, size)
			continue
		}
		if e := r.Evidence; !(e.Null <= 1e-12) || !(e.Product > 1e-10) {
			t.Errorf("evidence with %g and %g", e.Null, e.Product)
		}
		want := less(s.x, s.right)
		for i := range want {
			if math.Abs(r.X[i]-want[i]) > 1e-7*special.AbsMax(want) {
				t.Errorf("x_%d = %g, want %g", i, r.X[i], want[i])
				break
			}
		}
	}
}

// TestNullSpaceRefused: vectors that are no null vectors are refused, with figures.
func TestNullSpaceRefused(t *testing.T) {
	a := testsupport.Path(1, 1, 1)
	ones := []float64{1, 1, 1, 1}
	for _, c := range []struct {
		a    *csr.Matrix
		null solve.NullSpace
		want string
	}{
		{a, solve.NullSpace{Kind: solve.NullSpaceGiven, Right: [][]float64{{1, 1, 1, 1.5}}}, "null vector 1 is none of this matrix: its row-wise error is 1.7e-01, want at most 1e-10"},
		{a, solve.NullSpace{Kind: solve.NullSpaceGiven, Right: [][]float64{ones, {2, 2, 2, 2}}}, "null vector 2 depends on those before it"},
		{a, solve.NullSpace{Kind: solve.NullSpaceGiven, Right: [][]float64{{0, 0, 0, 0}}}, "null vector 1 is zero"},
		{a, solve.NullSpace{Kind: solve.NullSpaceGiven, Right: [][]float64{{1, 1}}}, "null vector 1 has 2 elements"},
		{a, solve.NullSpace{Kind: solve.NullSpaceGiven, Right: [][]float64{{1, 1, 1, math.NaN()}}}, "element 4 of the null vector 1 is NaN"},
		{a, solve.NullSpace{Kind: solve.NullSpaceGiven}, "there is no null vector"},
		{a, solve.NullSpace{Kind: solve.NullSpaceGiven, Right: [][]float64{ones}, Left: [][]float64{ones, ones}}, "2 left null vectors for 1 null vectors"},
		{a, solve.NullSpace{Kind: solve.NullSpaceConstant, Left: [][]float64{{1, 2, 3, 4}}}, "left null vector 1 is none of this matrix"},
		{testsupport.Diagonal(1, 2, 3), solve.NullSpace{Kind: solve.NullSpaceConstant}, "null vector 1 is none of this matrix: its row-wise error is 1.0e+00"},
	} {
		_, err := New(t.Context(), c.a, solve.Options{NullSpace: c.null})
		var input *solve.InputError
		if err == nil || !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestNullSpaceNone: without one a Laplacian is solved as any other matrix, and nonsingular
// matrices are not mistaken.
func TestNullSpaceNone(t *testing.T) {
	s := laplacian(rand.New(rand.NewPCG(11, 12)), 20, 1)
	if r := mustSolve(t, s.a, s.b, nil, solve.Options{NullSpace: solve.NullSpace{Kind: solve.NullSpaceNone}}); r.NullSpace.Dim != 0 {
		t.Errorf("%+v", r.NullSpace)
	}
	for _, m := range []*csr.Matrix{testsupport.Grid(5, 0, 0), testsupport.Diagonal(1, 2), testsupport.Hilbert(4)} {
		if r := mustSolve(t, m, rhs(m, 1), nil, solve.Options{}); r.NullSpace.Dim != 0 {
			t.Errorf("%+v for a nonsingular matrix", r.NullSpace)
		}
	}
}

// TestNullSpaceInterrupt: a time limit while left null vectors are sought, or during the
// solve, ends it.
func TestNullSpaceInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := laplacian(rand.New(rand.NewPCG(13, 14)), 300, 1)
	solver := newSolver(t, s.a, solve.Options{})
	cancel()
	r, err := solver.Solve(ctx, s.b, nil)
	if err != nil || r.Reason != krylov.Interrupted {
		t.Errorf("%v, %v", r.Reason, err)
	}
}
