package krylov

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"gonum.org/v1/gonum/mat"
)

var basisFormats = []linop.BasisFormat{linop.BasisFP64, linop.BasisFP32, linop.BasisINT16, linop.BasisAdaptive}

// TestBasis: GMRES solves whatever its basis is stored in; adaptive takes about as many steps as vectors do,
// in fewer bytes.
func TestBasis(t *testing.T) {
	pool := newPool(t, 2)
	m := grid(60, 0.4)
	host, b := linop.NewHost(m.Rows, pool), random(1, m.Rows)
	solve := func(restart int, format linop.BasisFormat, opt hostOptions) Result {
		x := make([]float64, m.Rows)
		method := NewGMRES(host, GMRESOptions{Restart: restart, Basis: format})
		got := method.Solve(t.Context(), linop.NewCSR(m, pool), x, b, opt)
		if e := trueResidual(t, m, x, b); got.Reason != Converged || e > 2e-10 {
			t.Errorf("basis %q, cycles of %d: %v, residual %g", format, restart, got.Reason, e)
		}
		return got
	}
	restarts := []int{40, 7, 400}
	if testing.Short() {
		restarts = restarts[:1]
	}
	for _, restart := range restarts {
		for _, p := range []Preconditioner[[]float64]{nil, linop.NewCSR(diagonal(slices.Repeat([]float64{0.3}, m.Rows)...), pool)} {
			for _, flexible := range []bool{false, p != nil} {
				opt := hostOptions{Tol: 1e-10, Precond: p, Flexible: flexible}
				plain := solve(restart, "", opt)
				if plain.Basis != (linop.BasisCounts{}) {
					t.Error("a basis of vectors counts")
				}
				for _, f := range basisFormats {
					got := solve(restart, f, opt)
					most := 1.1 * float64(plain.Iterations)
					if restart == 7 { // whose rate any rounding changes
						most = 1.3 * float64(plain.Iterations)
					}
					if f == linop.BasisAdaptive && float64(got.Iterations) > most {
						t.Errorf("cycles of %d: %d iterations with an adaptive basis, %d with vectors", restart, got.Iterations, plain.Iterations)
					}
					share := float64(got.Basis.Bytes) / float64(8*got.Basis.Elements)
					if most := map[linop.BasisFormat]float64{linop.BasisFP64: 1.01, linop.BasisFP32: 0.51, linop.BasisINT16: 0.26, linop.BasisAdaptive: 0.95}[f]; !(share <= most) {
						t.Errorf("basis %s takes %.2f of FP64, want at most %.2f", f, share, most)
					}
					if got.Basis.Elements < int64(got.Iterations*m.Rows) || got.Basis.Read < got.Basis.Bytes {
						t.Errorf("basis %s: %d iterations count as %+v", f, got.Iterations, got.Basis)
					}
				}
			}
		}
	}
}

// TestBasisThreads: a solve has the same bits for any number of threads.
func TestBasisThreads(t *testing.T) {
	m := grid(200, 0.4) // more rows than one thread does alone
	b, steps, numbers := random(2, m.Rows), 50, []int{1, 2, 5}
	if testing.Short() {
		steps, numbers = 25, []int{1, 5}
	}
	for _, f := range basisFormats {
		var want []float64
		for _, threads := range numbers {
			pool := newPool(t, threads)
			x := make([]float64, m.Rows)
			NewGMRES(linop.NewHost(m.Rows, pool), GMRESOptions{Restart: 20, Basis: f}).
				Solve(t.Context(), linop.NewCSR(m, pool), x, b, hostOptions{MaxIter: steps})
			if want == nil {
				want = x
			}
			if !slices.Equal(x, want) {
				t.Errorf("basis %s, %d threads: other bits", f, threads)
			}
		}
	}
}

// TestRelaxed: GMRES over a graded matrix converges to the solution of the whole one in as many steps, and
// reads less of it.
func TestRelaxed(t *testing.T) {
	pool := newPool(t, 2)
	m := shifted(grid(50, 0.4), 0.3)
	for k := range m.Val { // more bits than the first parts have
		m.Val[k] *= 1 + 0.1*math.Sin(float64(k))
	}
	b := random(3, m.Rows)
	a, err := adaptive.BuildGraded(m, []float64{0x1p-8, 0x1p-24, 0x1p-53}, adaptive.Spec{Layout: adaptive.Slots}, pool) // on any processor
	if err != nil {
		t.Fatal(err)
	}
	method := NewGMRES(linop.NewHost(m.Rows, pool), GMRESOptions{Restart: 200})
	x := make([]float64, m.Rows)
	plain := method.Solve(t.Context(), linop.NewCSR(m, pool), x, b, hostOptions{})
	got := method.Solve(t.Context(), a, x, b, hostOptions{})
	if e := trueResidual(t, m, x, b); got.Reason != Converged || e > 2*DefaultTol || got.Iterations > plain.Iterations+2 {
		t.Errorf("%v after %d iterations, residual %g; plain GMRES takes %d", got.Reason, got.Iterations, e, plain.Iterations)
	}
	if all := int64(got.Iterations) * a.Bytes(); a.Read() > all*9/10 {
		t.Errorf("%d bytes were read, %d by whole products", a.Read(), all)
	}
}

// TestSlack: what may be off grows as the residual falls, never beyond a bound, and a cycle that was
// deceived makes it smaller.
func TestSlack(t *testing.T) {
	var s slack
	s.begin(1, 1e-10, 40)
	first := s.at(1)
	if got, want := fmt.Sprintf("%.2g %.2g %.2g", first, s.at(1e-4), s.at(1e-14)), fmt.Sprintf("%.2g %.2g %.2g", 1e-10/256, 1e-6/256, mostSlack); got != want {
		t.Errorf("slack is %s, want %s", got, want)
	}
	s.learn(1, 1e-2, 1e-2, 40) // slow: the next cycle is to gain two digits
	s.begin(1e-2, 1e-10, 40)
	if got := s.at(1e-2); math.Abs(got*256/1e-2-1) > 1e-9 {
		t.Errorf("slack after a slow cycle is %g, want %g", got, 1e-2/256)
	}
	s.learn(1e-2, 1e-3, 1e-6, 40)
	s.begin(1e-3, 1e-10, 40)
	if got, want := s.at(1e-3), 1e-4/256/256; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("slack after a cycle that was deceived is %g, want %g", got, want)
	}
}

// hessenberg is a random upper Hessenberg matrix of n columns and n+1 rows.
func hessenberg(rng *rand.Rand, n int, scale float64) *mat.Dense {
	h := mat.NewDense(n+1, n, nil)
	for i := range n + 1 {
		for j := max(0, i-1); j < n; j++ {
			h.Set(i, j, scale*rng.NormFloat64())
		}
	}
	return h
}

// The minimiser and its residual against gonum's QR, at every size that the
// solver passes through, one object used for all.
func TestLeastSquaresAgainstQR(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	l := newLeastSquares(linop.Float64(1), 0x1p-53)
	for _, n := range []int{1, 7, 3, 12} {
		for _, scale := range []float64{1, 1e200, 1e-200} {
			t.Run(fmt.Sprint(n, scale), func(t *testing.T) {
				h, beta := hessenberg(rng, n, scale), 2.5*scale
				l.begin(linop.Float64(beta))
				for j := range n {
					col, size := make([]linop.Float64, j+1), 0.0
					for i := range col {
						col[i] = linop.Float64(h.At(i, j))
						size += math.Abs(h.At(i, j))
					}
					size += math.Abs(h.At(j+1, j))
					if got := l.add(col, linop.Float64(h.At(j+1, j))); math.Abs(got-size) > 1e-14*size {
						t.Errorf("size of column %d is %g, want %g", j, got, size)
					}
					checkLeastSquares(t, &l, h.Slice(0, j+2, 0, j+1), scale, beta)
				}
			})
		}
	}
}

func checkLeastSquares(t *testing.T, l *leastSquares[linop.Float64], h mat.Matrix, scale, beta float64) {
	t.Helper()
	rows, cols := h.Dims()
	hs, rhs := mat.NewDense(rows, cols, nil), mat.NewVecDense(rows, nil)
	hs.Scale(1/scale, h)
	rhs.SetVec(0, beta/scale)
	var want, r mat.VecDense
	if err := want.SolveVec(hs, rhs); err != nil {
		t.Fatal(err)
	}
	r.MulVec(hs, &want)
	r.SubVec(rhs, &r)
	if got, norm := l.residual()/scale, mat.Norm(&r, 2); math.Abs(got-norm) > 1e-12 {
		t.Errorf("%d columns: residual %g, want %g", cols, got, norm)
	}
	y := l.solve()
	if len(y) != cols {
		t.Fatalf("%d coefficients for %d columns", len(y), cols)
	}
	for i, v := range y {
		if math.Abs(v.Float()-want.AtVec(i)) > 1e-9*mat.Norm(&want, 2) {
			t.Errorf("%d columns: y_%d = %v, want %v", cols, i, v, want.AtVec(i))
		}
	}
}

// The columns from a zero pivot on have no coefficient.
func TestLeastSquaresStopsAtZeroPivot(t *testing.T) {
	l := newLeastSquares(linop.Float64(1), 0x1p-53)
	l.begin(3)
	l.add([]linop.Float64{2}, 0)
	l.add([]linop.Float64{5, 0}, 0)
	if y := l.solve(); len(y) != 1 || y[0] != 1.5 {
		t.Errorf("y = %v, want [1.5]", y)
	}
	if l.begin(7); len(l.solve()) != 0 || l.residual() != 7 {
		t.Error("no columns, but a solution")
	}
	if l.add([]linop.Float64{0}, 0); l.residual() != 7 {
		t.Errorf("a zero column reduces the residual to %v", l.residual())
	}
}
