package solver

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// dependentConstraints is a saddle point with n unknowns and constraints of one to three of them, two of which are alike.
func dependentConstraints(seed uint64, n, constraints int, diagonal ...int) *csr.Matrix {
	rng := rand.New(rand.NewPCG(seed, 4))
	return entries(n+constraints, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, float64(diagonal[rng.IntN(len(diagonal))]))
			if i > 0 && rng.IntN(2) == 0 {
				add(i, i-1, float64(rng.IntN(5)-2))
			}
		}
		var last map[int]float64
		for k := range constraints {
			row := map[int]float64{}
			for range 1 + rng.IntN(3) {
				row[rng.IntN(n)] = float64(1 + rng.IntN(4))
			}
			if k == constraints-1 {
				row = last
			}
			for j := range n {
				if v := row[j]; v != 0 {
					add(n+k, j, v)
					add(j, n+k, v)
				}
			}
			last = row
		}
	})
}

// A consistent system has a solution though its equations depend on each other: that of least norm, if the methods find none. It is orthogonal to the null space.
func TestLeastNorm(t *testing.T) {
	least := 0
	check := func(name string, m *csr.Matrix) {
		b := make([]float64, m.Rows)
		m.MulVec(b, whole(m.Rows))
		r := mustSolve(t, m, b, nil, solve.Options{Limits: solve.Limits{Threads: 2}})
		if !r.Reason.Converged() || r.Errors.Row > 1e-10 {
			t.Errorf("%s: %v, error %g %+v", name, r.Reason, r.Errors.Row, r.Evidence)
		}
		if len(r.Cautions) > 0 && strings.Contains(r.Cautions[0], "the solution of least norm") {
			least++
			if norm := math.Sqrt(dotOf(r.X, r.X)); norm > 1e4*math.Sqrt(float64(m.Rows)) || r.NullSpace.Dim == 0 {
				t.Errorf("%s: |x| = %g, null space %+v", name, norm, r.NullSpace)
			}
		}
	}
	for seed := range uint64(300) {
		check(fmt.Sprintf("seed %d", seed), dependentConstraints(seed, 12, 4, -1, 0, 1))
	}
	for seed := range uint64(20) {
		check(fmt.Sprintf("large, seed %d", seed), dependentConstraints(seed, 800, 40, -1, 1, 2))
	}
	check("rows", dominantRows(3, 30, func(rows []map[int]float64) {
		for i, row := range rows {
			delete(row, 7)
			row[(i+1)%7] = 1
		}
		rows[7] = map[int]float64{3: 1, 9: 1}
		rows[3] = rows[2]
	}))
	if least < 3 {
		t.Errorf("%d solutions of least norm: the test needs some", least)
	}
}

// whole returns whole numbers, whose products with whole numbers are exact.
func whole(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i*i%19 - 9)
	}
	return x
}

// One of many solutions has no digits: those asked for are not reached.
func TestLeastNormHasNoDigits(t *testing.T) {
	for seed := range uint64(60) {
		m := dependentConstraints(seed, 12, 4, -1, 0, 1)
		b := make([]float64, m.Rows)
		m.MulVec(b, whole(m.Rows))
		r := mustSolve(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Digits: 10}})
		if r.Reason == krylov.Converged && r.Digits.Believed < 10 {
			t.Errorf("seed %d: converged with %+v", seed, r.Digits)
		}
	}
}

func dotOf(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}
