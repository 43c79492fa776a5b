package solver

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// rational is the rank of A and of (A, b) by elimination in exact arithmetic.
func rational(m *csr.Matrix, b []float64) (rank, augmented int) {
	rows, rank := testsupport.Echelon(m, b)
	for _, row := range rows[rank:] {
		if row[m.Rows].Sign() != 0 {
			return rank, rank + 1
		}
	}
	return rank, rank
}

// integerSystem is a random sparse system of small integers, each row and column with a
// nonzero, symmetric for every third seed.
func integerSystem(seed uint64) (*csr.Matrix, []float64) {
	rng := rand.New(rand.NewPCG(seed, 4))
	n := 2 + rng.IntN(9)
	value := func() float64 { return float64((1 + rng.IntN(3)) * (1 - 2*rng.IntN(2))) }
	dense := make([][]float64, n)
	for i := range dense {
		dense[i] = make([]float64, n)
	}
	for i := range n {
		for _, j := range []int{i, rng.IntN(n), rng.IntN(n)} {
			dense[i][j] = value()
			if seed%3 == 0 {
				dense[j][i] = dense[i][j]
			}
		}
	}
	if seed%3 != 0 { // one equation twice, with another right-hand side, or a sum of two
		i, k, l := rng.IntN(n), rng.IntN(n), rng.IntN(n)
		for j := range n {
			dense[i][j] = dense[k][j]
			if seed%3 == 2 {
				dense[i][j] += dense[l][j]
			}
		}
	} else { // a graph's Laplacian
		for i := range n {
			dense[i][i] = 0
			for j, v := range dense[i] {
				if i != j {
					dense[i][i] -= v
				}
			}
		}
	}
	b := make([]float64, n)
	for i := range b {
		b[i] = value()
	}
	return entries(n, func(add func(i, j int, v float64)) {
		for i, row := range dense {
			for j, v := range row {
				if v != 0 {
					add(i, j, v)
				}
			}
		}
	}), b
}

// Of systems that have no solution, by exact arithmetic, none is called solved; and of those
// that have exactly one, none is called singular.
func TestNoSolution(t *testing.T) {
	inconsistent, regular := 1000, 200
	if testing.Short() {
		inconsistent, regular = 200, 60
	}
	evident, reasons := 0, map[krylov.Reason]int{}
	check := func(seed uint64, m *csr.Matrix, b []float64) {
		rank, augmented := rational(m, b)
		switch {
		case augmented > rank && inconsistent > 0:
			inconsistent--
			r := mustSolve(t, m, b, nil, solve.Options{Limits: solve.Limits{Threads: 1}})
			reasons[r.Reason]++
			if r.Reason.Converged() {
				t.Errorf("seed %d, %d x %d of rank %d: %v, errors %+v, digits %+v", seed, m.Rows, m.Rows, rank, r.Reason, r.Errors, r.Digits)
			}
			if v := r.Evidence; v != nil {
				if evident++; !special.Shows(*v, m.Rows) {
					t.Errorf("seed %d: evidence %+v shows nothing", seed, v)
				}
			}
		case rank == m.Rows && regular > 0:
			regular--
			r := mustSolve(t, m, b, nil, solve.Options{Limits: solve.Limits{Threads: 1}})
			if !r.Reason.Converged() || r.Digits.State == solve.DigitsNone || r.Evidence != nil {
				t.Errorf("seed %d, %d x %d: %v, errors %+v, digits %+v", seed, m.Rows, m.Rows, r.Reason, r.Errors, r.Digits)
			}
		}
	}
	for seed := uint64(0); inconsistent > 0 || regular > 0; seed++ {
		m, b := integerSystem(seed)
		if rules.Solvable(csr.Examine(m, nil)) != nil {
			continue
		}
		check(seed, m, b)
		if regular > 0 { // the same with another diagonal
			for i := range m.Rows {
				cols, vals := m.Row(i)
				for k, j := range cols {
					if int(j) == i {
						vals[k]++
					}
				}
			}
			if rules.Solvable(csr.Examine(m, nil)) == nil {
				check(seed, m, b)
			}
		}
	}
	t.Logf("inconsistent ones ended with %v; %d with evidence", reasons, evident)
	if evident == 0 {
		t.Error("no evidence was found for any")
	}
}

// Equations that are multiples of each other contradict nothing where b is zero: of a null vector, elements that are roundings of zeros do not count in its product with b,
// which is not zero in one other equation.
func TestSolutionOfOneElement(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n := 5 + rng.IntN(8)
		dense := make([][]float64, n)
		for i := range dense {
			dense[i] = make([]float64, n)
			for j := range n {
				dense[i][j] = float64(rng.IntN(11) - 5)
			}
		}
		for i := range 2 {
			for j, v := range dense[i] {
				dense[n-1-i][j] = 3 * v
			}
		}
		b := make([]float64, n)
		b[2] = math.Ldexp(1, -rng.IntN(300))
		m := entries(n, func(add func(i, j int, v float64)) {
			for i, row := range dense {
				for j, v := range row {
					if v != 0 {
						add(i, j, v)
					}
				}
			}
		})
		r := mustSolve(t, m, b, nil, solve.Options{Limits: solve.Limits{Threads: 1}})
		if !r.Reason.Converged() {
			if rank, augmented := rational(m, b); rank == augmented {
				t.Errorf("seed %d, %d x %d of rank %d: %v, evidence %+v", seed, n, n, rank, r.Reason, r.Evidence)
			}
		}
	}
}

// Null vectors are accurate to rounding though the other rows are ill conditioned: those of beams that
// nothing holds, their elements small whole numbers, which the loads contradict.
func TestNoSolutionOfFreeBeams(t *testing.T) {
	element := [4][4]float64{{12, 6, -12, 6}, {6, 4, -6, 2}, {-12, -6, 12, -6}, {6, 2, -6, 4}}
	for _, nodes := range []int{10, 40, 80, 150, 250, 500} {
		m := entries(2*nodes, func(add func(i, j int, v float64)) {
			for e := range nodes - 1 {
				for i, row := range element {
					for j, v := range row {
						add(2*e+i, 2*e+j, v*float64(1+(7*e)%20))
					}
				}
			}
		})
		if m.Rows <= rules.DenseRows {
			null := 0
			for _, y := range special.LeftNullVectors(m) {
				if special.LeftNullError(m, y) <= 0x1p-50 {
					null++
				}
			}
			if null < 4 { // two, with and without small elements
				t.Errorf("%d nodes: %d null vectors, want 4", nodes, null)
			}
		}
		b := make([]float64, m.Rows)
		m.MulVec(b, random(5, m.Rows))
		b[0] += 0.01 * special.AbsMax(b)
		if r := mustSolve(t, m, b, nil, solve.Options{Limits: solve.Limits{Threads: 1}}); r.Reason != krylov.Inconsistent {
			t.Errorf("%d nodes: %v, errors %+v", nodes, r.Reason, r.Errors)
		}
	}
}
