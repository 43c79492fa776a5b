package solver

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// dominantRows are rows with the diagonal 8 and some ones, in which change may replace some.
func dominantRows(seed uint64, n int, change func(rows []map[int]float64)) *csr.Matrix {
	rng := rand.New(rand.NewPCG(seed, 12))
	rows := make([]map[int]float64, n)
	for i := range rows {
		rows[i] = map[int]float64{}
		for range 4 {
			rows[i][rng.IntN(n)] = float64(2*rng.IntN(2) - 1)
		}
		rows[i][i] = 8
	}
	change(rows)
	return entries(n, func(add func(i, j int, v float64)) {
		for i, row := range rows {
			for j := range n {
				if v := row[j]; v != 0 {
					add(i, j, v)
				}
			}
		}
	})
}

// A few equations among hundreds that contradict each other are found and named, however slight the contradiction: two equations in
// one unknown; an equation twice; an equation that is a sum of others.
func TestContradictionNamed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(rows []map[int]float64)
		rows   []int
	}{
		"one unknown": {func(rows []map[int]float64) { rows[0], rows[1] = map[int]float64{0: 2}, map[int]float64{0: 2} }, []int{0, 1}},
		"twice":       {func(rows []map[int]float64) { rows[650] = rows[30] }, []int{30, 650}},
		"sum": {func(rows []map[int]float64) {
			sum := map[int]float64{}
			for _, i := range []int{5, 90, 301} {
				for j, v := range rows[i] {
					sum[j] += v
				}
			}
			rows[550] = sum
		}, []int{5, 90, 301, 550}},
	} {
		m := dominantRows(7, 700, c.change)
		x := make([]float64, m.Rows)
		for i := range x {
			x[i] = float64(i%19 - 9)
		}
		for _, slight := range []float64{1e-2, 1e-6} {
			b := make([]float64, m.Rows)
			m.MulVec(b, x)
			size := 0.0
			for _, i := range c.rows {
				size += math.Abs(b[i])
			}
			b[c.rows[1]] += slight * size
			r := mustSolve(t, m, b, nil, solve.Options{Limits: solve.Limits{Threads: 2}})
			if r.Reason != krylov.Inconsistent || r.Evidence == nil || !slices.Equal(r.Evidence.Rows, c.rows) {
				t.Errorf("%s, %g: %v, evidence %+v", name, slight, r.Reason, r.Evidence)
			}
		}
		b := make([]float64, m.Rows)
		m.MulVec(b, x)
		if r := mustSolve(t, m, b, nil, solve.Options{}); !r.Reason.Converged() {
			t.Errorf("%s, consistent: %v", name, r.Reason)
		}
	}
}

// Equations of a random matrix, of which one is a combination of others, contradict each other, whatever the method: complete factors have a replaced pivot, and may
// solve for the probe of the digits all the same.
func TestContradictionInRandomMatrix(t *testing.T) {
	const n = 600
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 21))
		m := dominantRows(seed, n, func(rows []map[int]float64) {
			for i, row := range rows {
				for j := range row {
					row[j] = float64(rng.IntN(19) - 9)
				}
				row[rng.IntN(n)] = float64(rng.IntN(9) + 1)
				row[i] = float64(1 + rng.IntN(19))
			}
			sum := map[int]float64{}
			for _, i := range []int{40, 170, 333} {
				for j, v := range rows[i] {
					sum[j] += v
				}
			}
			rows[9] = sum
		})
		b := make([]float64, n)
		m.MulVec(b, whole(n))
		size := math.Abs(b[9]) + math.Abs(b[40]) + math.Abs(b[170]) + math.Abs(b[333])
		b[9] += 1e-4 * size
		for _, method := range []solve.Method{solve.Auto, solve.BiCGStab} {
			r := mustSolve(t, m, b, nil, solve.Options{Method: method, Limits: solve.Limits{Threads: 2}})
			if r.Reason != krylov.Inconsistent || !slices.Equal(r.Evidence.Rows, []int{9, 40, 170, 333}) {
				t.Errorf("seed %d, %s: %v, digits %+v, evidence %+v", seed, method, r.Reason, r.Digits, r.Evidence)
			}
		}
	}
}

// A matrix that is singular but for a last bit has no digits that could be believed, and the caution says why: its probe grows without being solved.
func TestSingularProbe(t *testing.T) {
	for kind, n := range map[precond.Kind]int{precond.None: 30, precond.Jacobi: 60, precond.LU: 1500} {
		m := dominantRows(3, n, func(rows []map[int]float64) {
			rows[11] = maps.Clone(rows[10])
			rows[11][10] += 0x1p-50
		})
		b := make([]float64, n)
		m.MulVec(b, random(5, n))
		r := mustSolve(t, m, b, nil, solve.Options{Precond: solve.Precond{Kind: kind}, Limits: solve.Limits{Threads: 2}})
		if r.Digits.State != solve.DigitsNone || !slices.ContainsFunc(r.Cautions, func(s string) bool { return strings.Contains(s, "A looks singular") }) {
			t.Errorf("%s: %v, digits %+v, cautions %q", kind, r.Reason, r.Digits, r.Cautions)
		}
	}
}

// Columns that depend on each other are named where no few equations contradict each other.
func TestNullVectorNamed(t *testing.T) {
	for name, n := range map[string]int{"small": 60, "large": 700} {
		m := dominantRows(3, n, func(rows []map[int]float64) {
			for i, row := range rows {
				delete(row, 50)
				if v, has := row[20]; has {
					row[50] = 3 * v
				}
				row[(i+1)%n] += 0x1p-20 // so that no part of the system is alone
			}
			rows[49][50], rows[49][20] = 3, 1
			rows[19][50], rows[19][20] = 3, 1
		})
		r := mustSolve(t, m, random(5, n), nil, solve.Options{Limits: solve.Limits{Threads: 2}})
		if r.Reason != krylov.Inconsistent && r.Reason != krylov.Singular || !slices.Equal(r.Unknowns, []int{20, 50}) {
			t.Errorf("%s: %v, unknowns %v", name, r.Reason, r.Unknowns)
		}
	}
}

// Flow into a closed box, which is not balanced, is a contradiction before any attempt.
func TestContradictionOfContinuity(t *testing.T) {
	const n = 40 // velocities on a line, pressures between them
	m := entries(2*n+1, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, 2)
			if i+1 < n {
				add(i, i+1, -1)
				add(i+1, i, -1)
			}
			for k, v := range []float64{-1, 1} {
				add(i, n+i+k, v)
				add(n+i+k, i, v)
			}
		}
	})
	b := make([]float64, m.Rows)
	m.MulVec(b, random(3, m.Rows))
	b[2*n] += 1e-5
	r := mustSolve(t, m, b, nil, solve.Options{})
	if r.Reason != krylov.Inconsistent || r.Iterations != 0 {
		t.Errorf("%v after %d iterations", r.Reason, r.Iterations)
	}
}

// What iterations leave unexplained is solved by complete factors before A is called singular.
func TestNotSingular(t *testing.T) {
	m, rhs := systemOfFile(t, "graded")
	r := mustSolve(t, m, rhs, nil, solve.Options{Limits: solve.Limits{Threads: 1}})
	want := mustSolve(t, m, rhs, nil, solve.Options{Accuracy: solve.Accuracy{Digits: 15}, Limits: solve.Limits{Threads: 1}})
	worst, size := 0.0, 0.0
	for i, v := range want.X {
		worst, size = max(worst, math.Abs(v-r.X[i])), max(size, math.Abs(v))
	}
	if !r.Reason.Converged() || !want.Reason.Converged() || worst > 1e-13*size {
		t.Errorf("%v, with 15 digits %v, difference %g", r.Reason, want.Reason, worst/size)
	}
}

// An x far larger than b asks for that leaves a third of b unexplained is no solution by the normwise error either, unless digits confirm it.
func TestUnexplained(t *testing.T) {
	m, rhs := systemOfFile(t, "unexplained")
	r := mustSolve(t, m, rhs, nil, solve.Options{
		Accuracy: solve.Accuracy{Tol: 1e-12, Stop: solve.StopNW}, Krylov: solve.Krylov{Restart: 26}, Limits: solve.Limits{Threads: 1},
	})
	if r.Reason != krylov.Singular {
		t.Errorf("%v, with a residual of %.2g of b", r.Reason, r.Errors.RelativeResidual)
	}
}

// systemOfFile returns the matrix and the right-hand side of testdata/NAME.mtx and NAME-b.mtx.
func systemOfFile(t *testing.T, name string) (*csr.Matrix, []float64) {
	t.Helper()
	m, err := matrixmarket.ReadFile(t.Context(), "testdata/"+name+".mtx", matrixmarket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := matrixmarket.ReadFile(t.Context(), "testdata/"+name+"-b.mtx", matrixmarket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m.Matrix, b.Dense
}

// Rows and columns without nonzeros are left out, unless b says that 0 is something else.
func TestEmptied(t *testing.T) {
	for _, c := range []struct {
		m      *csr.Matrix
		b      []float64
		reason krylov.Reason
		x      []float64 // of the unknowns that are solved for
	}{
		{testsupport.Diagonal(1, 0, 3), []float64{1, 0, 3}, krylov.Converged, []float64{1, 0, 1}},
		{testsupport.Diagonal(1, 0, 3), []float64{1, 2, 3}, krylov.Inconsistent, nil},
		{testsupport.Dense([]float64{1, 0}, []float64{2, 0}), []float64{1, 2}, krylov.Converged, []float64{1, 0}},
		{testsupport.Dense([]float64{1, 0}, []float64{2, 0}), []float64{1, 3}, krylov.Inconsistent, nil},
		{testsupport.Dense([]float64{1, 1, 0}, []float64{0, 0, 0}, []float64{0, 0, 2}), []float64{2, 0, 4}, krylov.Converged, []float64{2, 0, 2}},
	} {
		r := mustSolve(t, c.m, c.b, nil, solve.Options{})
		if r.Reason != c.reason || len(r.X) != len(c.b) || r.Reason == krylov.Inconsistent && r.Evidence == nil || r.Reason.Converged() && len(r.Cautions) == 0 {
			t.Errorf("%v, b = %v: %v, evidence %+v, cautions %q", c.m.Val, c.b, r.Reason, r.Evidence, r.Cautions)
		}
		for i, v := range c.x {
			if math.Abs(v-r.X[i]) > 1e-9 {
				t.Errorf("%v, b = %v: x = %v, want %v", c.m.Val, c.b, r.X, c.x)
			}
		}
	}
	if _, err := New(t.Context(), testsupport.Dense([]float64{0}), solve.Options{}); err == nil || err.Error() != "the matrix is singular: row 1 has no nonzero" {
		t.Errorf("a matrix of zeros: %v", err)
	}
}

// Units of the unknowns change neither whether digits are believed nor, by more than one, how many.
func TestDigitsInAnyUnits(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 77))
		n := 10 + rng.IntN(40)
		m := entries(n, func(add func(i, j int, v float64)) {
			for i := range n {
				for j := range n {
					if i == j || rng.IntN(3) == 0 {
						add(i, j, rng.NormFloat64())
					}
				}
			}
		})
		x := random(seed, n)
		digits := func(unit func(j int) float64) solve.Digits {
			a, scaled, b := rescaled(m, same(1), unit), make([]float64, n), make([]float64, n)
			for j, v := range x {
				scaled[j] = v / unit(j)
			}
			a.MulVec(b, scaled)
			return mustSolve(t, a, b, nil, solve.Options{Limits: solve.Limits{Threads: 1}}).Digits
		}
		plain := digits(same(1))
		powers, any := make([]float64, n), make([]float64, n)
		for j := range powers {
			powers[j] = math.Ldexp(1, rng.IntN(60)-30)
			any[j] = math.Pow(10, 16*rng.Float64()-8)
		}
		for _, unit := range [][]float64{powers, any} {
			if d := digits(func(j int) float64 { return unit[j] }); d.State != plain.State || d.Believed < plain.Believed-1 || d.Believed > plain.Believed+1 {
				t.Errorf("seed %d, n = %d: %s of %d digits, without units %s of %d", seed, n, d.State, d.Believed, plain.State, plain.Believed)
			}
		}
	}
}

// A combination of equations that is zero but for roundings is no contradiction where these times x account for what it says of b: b is far smaller than the
// terms of A x.
func TestNoContradictionOfRoundings(t *testing.T) {
	m := dense([]float64{0x1p53, -0x1p53, 1}, []float64{0x1p53, 1 - 0x1p53, 1}, []float64{0, 1, 4})
	x := []float64{3, 3, 1}
	b := make([]float64, 3)
	m.MulVec(b, x)
	if r := mustSolve(t, m, b, nil, solve.Options{}); r.Reason == krylov.Inconsistent {
		t.Errorf("%v, evidence %+v", r.Reason, r.Evidence)
	}
}
