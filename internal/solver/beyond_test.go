package solver

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// outOfReach returns the mean error that a solve said that rounding leaves; 0: it did not say so.
func outOfReach(t *testing.T, lines []string) (least float64) {
	t.Helper()
	for k, line := range lines {
		if _, after, said := strings.Cut(line, "leaves an error of "); said {
			if _, err := fmt.Sscan(after, &least); err != nil || !strings.HasPrefix(line, "tolerance ") {
				t.Errorf("%q", line)
			}
			if before := strings.Join(lines[:k], "\n"); strings.Contains(before, "continuing") || strings.Contains(before, "set up in") {
				t.Errorf("said after\n%s", before)
			}
		}
	}
	return least
}

// A tolerance that rounding forbids is said before the first attempt, and ends after it, whatever the measure.
func TestToleranceBeyond(t *testing.T) {
	ill := func(n float64) *csr.Matrix {
		m, err := generate.Generate("poisson2d", generate.Params{"n": n})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for name, c := range map[string]struct {
		m   *csr.Matrix
		b   []float64
		opt solve.Options
	}{
		"general":      {grid(8, 0.3, 0), random(7, 64), solve.Options{}},
		"rescaled":     {rescaled(grid(8, 0.3, 0), uneven(3), uneven(3)), random(7, 64), solve.Options{}},
		"symmetric":    {grid(20, 0, 0), random(8, 400), solve.Options{}},
		"multigrid":    {ill(40), random(9, 1600), solve.Options{Precond: solve.Precond{Kind: precond.AMG}}},
		"large x":      {ill(60), slices.Repeat([]float64{1}, 3600), solve.Options{Precond: solve.Precond{Kind: precond.Cholesky}}}, // ||A|| ||x|| is 1e3 ||b||
		"alone":        {grid(8, 0.3, 0), random(7, 64), solve.Options{Krylov: solve.Krylov{NoRefine: true}}},
		"low accuracy": {ill(30), random(2, 900), solve.Options{Precond: solve.Precond{Kind: precond.Jacobi}, Storage: solve.Storage{Epsilon: 0x1p-24}}},
	} {
		for _, stop := range rules.Stops {
			var lines []string
			opt := c.opt
			opt.Stop, opt.Tol, opt.Log = stop, 1e-30, func(line string) { lines = append(lines, line) }
			r := mustSolve(t, c.m, c.b, nil, opt)
			if outOfReach(t, lines) == 0 || len(r.Attempts) != 1 {
				t.Errorf("%s, %s: %d attempts, %q", name, stop, len(r.Attempts), lines)
			}
			if r.Reason != krylov.PrecisionExhausted {
				t.Errorf("%s, %s: %v after %v, %+v", name, stop, r.Reason, r.Attempts, r.Errors)
			}
		}
	}
}

// Tolerances that some x can meet, if only with more digits, are not said to be out of reach.
func TestToleranceWithin(t *testing.T) {
	m := grid(8, 0.3, 0)
	for name, opt := range map[string]solve.Options{
		"rounding may do":  {Accuracy: solve.Accuracy{Tol: 1e-17}},
		"double-double":    {Accuracy: solve.Accuracy{Tol: 1e-25}, Vectors: allDD},
		"widening":         {Accuracy: solve.Accuracy{Tol: 1e-25}, Vectors: solve.Vectors{Kind: solve.VectorsAuto}},
		"multiple":         {Accuracy: solve.Accuracy{Tol: 1e-25, Digits: 40}},
		"ordinary":         {},
		"of another order": {Accuracy: solve.Accuracy{Tol: 2e-16}},
	} {
		var lines []string
		opt.Log = func(line string) { lines = append(lines, line) }
		mustSolve(t, m, random(1, m.Rows), nil, opt)
		if outOfReach(t, lines) != 0 {
			t.Errorf("%s: %q", name, lines)
		}
	}
	// The large unknown has small coefficients: its rounding hardly counts.
	columns := testsupport.Dense([]float64{1, 1e10, 1}, []float64{1, -1e10, 0}, []float64{0, 1e10, 2})
	b := []float64{1.01, 0.98, 0.02}
	if r := mustSolve(t, columns, b, nil, solve.Options{Accuracy: solve.Accuracy{Tol: 1e-24}}); r.Reason != krylov.Converged {
		t.Errorf("%v with %+v", r.Reason, r.Errors)
	}
}

// The error that a solve says that rounding leaves in the mean is no more than the mean over many roundings, for any x.
func TestRoundingLeaves(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	matrices := map[string]*csr.Matrix{
		"one": testsupport.Dense([]float64{3}), "grid": grid(6, 0.3, 0), "columns": rescaled(grid(5, 0.3, 0), same(1), uneven(4)),
		"rows": rescaled(grid(5, 0.3, 0), uneven(5), same(1)), "both": rescaled(grid(5, 0.1, 0), uneven(6), uneven(7)), "hilbert": testsupport.Hilbert(7),
	}
	sizes := map[string]func() float64{
		"below a power": func() float64 { return math.Nextafter(2, 0) },
		"uniform":       rng.Float64,
		"wide":          func() float64 { return math.Exp(40 * rng.NormFloat64()) },
	}
	for name, m := range matrices {
		for _, stop := range rules.Stops {
			var lines []string
			mustSolve(t, m, random(1, m.Rows), nil, solve.Options{
				Accuracy: solve.Accuracy{Stop: stop, Tol: 1e-300, Digits: solve.NoDigits}, Limits: solve.Limits{MaxIter: 1},
				Method:    solve.GMRES,
				Reporting: solve.Reporting{Log: func(line string) { lines = append(lines, line) }},
			})
			least := outOfReach(t, lines)
			if least == 0 {
				t.Errorf("%s, %s: %q", name, stop, lines)
			}
			for of, size := range sizes {
				x := make([]float64, m.Rows)
				for j := range x {
					x[j] = size()
				}
				if mean := meanOfRoundings(rng, stop, m, x); mean < 0.85*least { // of 400 samples, and least has two digits
					t.Errorf("%s, %s, %s: %.2e in the mean, said is %.1e", name, stop, of, mean, least)
				}
			}
		}
	}
}

// meanOfRoundings returns the mean error of x as a rounding of a solution of A z = b, over such z.
func meanOfRoundings(rng *rand.Rand, stop solve.Stop, m *csr.Matrix, x []float64) float64 {
	const samples = 400
	n := m.Rows
	b, sums, terms := make([]float64, n), make([]float64, n), make([]float64, n)
	normX, most := 0.0, 0.0
	for _, v := range x {
		normX = max(normX, math.Abs(v))
	}
	m.MulVec(b, x)
	for i := range n {
		cols, vals := m.Row(i)
		for k, j := range cols {
			sums[i] += math.Abs(vals[k])
			terms[i] += math.Abs(vals[k] * x[j])
		}
		most = max(most, sums[i])
	}
	total := 0.0
	d, r := make([]float64, n), make([]float64, n)
	for range samples {
		for j, v := range x {
			d[j] = (rng.Float64() - 0.5) * (v - math.Nextafter(v, 0)) // of numbers below a power of two, or at least not more
		}
		m.MulVec(r, d)
		normR, normB, squaresR, squaresB, row := 0.0, 0.0, 0.0, 0.0, 0.0
		for i, v := range r {
			normR, normB = max(normR, math.Abs(v)), max(normB, math.Abs(b[i]))
			squaresR, squaresB = squaresR+v*v, squaresB+b[i]*b[i]
			switch stop {
			case solve.StopRow:
				row = max(row, math.Abs(v)/(sums[i]*normX+math.Abs(b[i])))
			case solve.StopCW:
				row = max(row, math.Abs(v)/(terms[i]+math.Abs(b[i])))
			}
		}
		switch stop {
		case solve.StopNW:
			row = normR / (most*normX + normB)
		case solve.StopRel:
			row = math.Sqrt(squaresR / squaresB)
		}
		total += row
	}
	return total / samples
}
