package solver

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// overDomains solves in so many domains on 1 and 3 ranks, checks that all ranks have the same outcome and the same bits, and that
// the whole system confirms a verdict of converged, and returns the outcome.
func overDomains(t *testing.T, where string, domains int, m *csr.Matrix, b []float64, opt solve.Options) ([]float64, ranked) {
	t.Helper()
	opt.Threads = 1
	var x []float64
	var first ranked
	for k, ranks := range []int{1, 3} {
		got, all := solveOnRanks(t, ranks, domains, m, b, opt)
		if k == 0 {
			x, first = got, all[0]
		}
		if !slices.Equal(got, x) && !(hasNaN(got) && hasNaN(x)) {
			t.Errorf("%s, %d domains, %d ranks: other bits", where, domains, ranks)
		}
		for r := range all {
			if all[r].summary() != first.summary() {
				t.Errorf("%s, %d domains, rank %d of %d: %s, want %s", where, domains, r, ranks, all[r].summary(), first.summary())
			}
		}
	}
	if first.Fault == nil && first.result.Reason == krylov.Converged {
		j, err := verify.Judge(m, x, b, krylov.DefaultTol, nil)
		if err != nil || j.Row > krylov.DefaultTol || j.Unexplained > verify.MaxUnexplained(krylov.DefaultTol) {
			t.Errorf("%s, %d domains: converged with %+v, %v", where, domains, j, err)
		}
	}
	return x, first
}

func hasNaN(x []float64) bool { return slices.ContainsFunc(x, func(v float64) bool { return v != v }) }

// A matrix that is no matrix of a system is one over domains as well, with the same words.
func TestBadMatricesOverDomains(t *testing.T) {
	change := func(do func(m *csr.Matrix)) *csr.Matrix {
		m := grid(12, 0.2, 0.1)
		do(m)
		return m
	}
	column := func(m *csr.Matrix, j int32) {
		for k, c := range m.Col {
			if c == j {
				m.Val[k] = 0
			}
		}
	}
	for name, m := range map[string]*csr.Matrix{
		"a row of zeros":   change(func(m *csr.Matrix) { clear(m.Val[m.RowPtr[77]:m.RowPtr[78]]) }),
		"the last row":     change(func(m *csr.Matrix) { clear(m.Val[m.RowPtr[143]:m.RowPtr[144]]) }),
		"a zero column":    change(func(m *csr.Matrix) { column(m, 100) }),
		"two zero columns": change(func(m *csr.Matrix) { column(m, 101); column(m, 3) }),
		"NaN":              change(func(m *csr.Matrix) { m.Val[len(m.Val)-2], m.Val[len(m.Val)/2] = nan(), nan() }),
	} {
		want := rules.Solvable(csr.Examine(m, nil)) // one domain leaves out rows and columns of zeros
		for _, domains := range []int{2, 3, 8} {
			_, got := overDomains(t, name, domains, m, make([]float64, m.Rows), solve.Options{})
			var input *solve.InputError
			if !errors.As(got.Fault, &input) || got.Fault.Error() != want.Error() {
				t.Errorf("%s, %d domains: %v, want %v", name, domains, got.Fault, want)
			}
		}
	}
}

func nan() float64 { z := 0.0; return z / z }

// Of small systems over domains that have no solution, by exact arithmetic, none is called solved, and of those that have exactly one, none is
// called singular.
func TestNoSolutionOverDomains(t *testing.T) {
	inconsistent, regular := 100, 50
	if testing.Short() {
		inconsistent, regular = 20, 10
	}
	reasons, others := map[krylov.Reason]int{}, map[krylov.Reason]int{}
	for seed := uint64(0); inconsistent > 0 || regular > 0; seed++ {
		m, b := integerSystem(seed)
		if seed%2 == 1 {
			for i := range m.Rows {
				cols, vals := m.Row(i)
				if k := slices.Index(cols, int32(i)); k >= 0 {
					vals[k]++
				}
			}
		}
		if rules.Solvable(csr.Examine(m, nil)) != nil {
			continue
		}
		domains := min(2+int(seed%2), m.Rows)
		where := fmt.Sprintf("seed %d of %d rows", seed, m.Rows)
		switch rank, augmented := rational(m, b); {
		case augmented > rank && inconsistent > 0:
			inconsistent--
			_, got := overDomains(t, where, domains, m, b, solve.Options{})
			reasons[got.result.Reason]++
			if got.Fault != nil || got.result.Reason.Converged() {
				t.Errorf("%s, %d domains: %v, %v, errors %+v, digits %+v", where, domains, got.Fault, got.result.Reason, got.result.Errors, got.result.Digits)
			}
		case rank == m.Rows && regular > 0:
			regular--
			_, got := overDomains(t, where, domains, m, b, solve.Options{})
			others[got.result.Reason]++
			if got.Fault != nil || got.result.Reason == krylov.Singular || got.result.Reason == krylov.Inconsistent {
				t.Errorf("%s, %d domains: %v, %v, errors %+v, digits %+v", where, domains, got.Fault, got.result.Reason, got.result.Errors, got.result.Digits)
			}
		}
	}
	t.Logf("inconsistent ones ended with %v, regular ones with %v", reasons, others)
}

// freeGrid is the Laplacian of an n x n grid whose rows sum to zero.
func freeGrid(n int) *csr.Matrix {
	return entries(n*n, func(add func(i, j int, v float64)) {
		for i := range n * n {
			for _, j := range []int{i + 1, i + n} {
				if j < n*n && (j != i+1 || j%n != 0) {
					add(i, j, -1)
					add(j, i, -1)
					add(i, i, 1)
					add(j, j, 1)
				}
			}
		}
	})
}

// Systems that have no solution are never called solved over domains, whatever their size and shape, and what has one is solved.
func TestBadSystemsOverDomains(t *testing.T) {
	twice := grid(25, 0.3, 0.2) // a row twice
	for i := range 25 {
		if cols, _ := twice.Row(300 + i); len(cols) == 5 {
			twice = entries(twice.Rows, func(add func(i, j int, v float64)) {
				for k := range twice.Rows {
					from := k
					if k == 20 {
						from = 300 + i
					}
					cols, vals := twice.Row(from)
					for e, j := range cols {
						add(k, int(j), vals[e])
					}
				}
			})
			break
		}
	}
	parts := entries(700, func(add func(i, j int, v float64)) { // every other row is a part that is singular; the others a regular one
		for i := range 700 {
			add(i, i, 2)
			if i%2 == 0 {
				add(i, (i+2)%700, -1)
				add(i, (i+698)%700, -1)
			} else {
				add(i, (i+2)%700, -0.5)
				add(i, (i+698)%700, -0.5)
			}
		}
	})
	for name, m := range map[string]*csr.Matrix{"Neumann": freeGrid(22), "a row twice": twice, "parts": parts} {
		consistent, b := make([]float64, m.Rows), random(3, m.Rows)
		m.MulVec(consistent, random(4, m.Rows))
		if name == "parts" {
			for i := range b {
				if i%2 == 1 { // a huge part hides nothing
					b[i] *= 1e9
				}
			}
		}
		if testing.Short() && name == "Neumann" {
			continue
		}
		const domains = 3
		_, got := overDomains(t, name, domains, m, b, solve.Options{})
		if got.Fault != nil || got.result.Reason.Converged() {
			t.Errorf("%s, %d domains, inconsistent: %v, %v, errors %+v, digits %+v", name, domains, got.Fault, got.result.Reason, got.result.Errors, got.result.Digits)
		}
		t.Logf("%s, %d domains: %v", name, domains, got.result.Reason)
		neumann := name == "Neumann" // whose null space is known
		if neumann && got.result.Reason != krylov.Inconsistent {
			t.Errorf("%s, %d domains: %v, want inconsistent", name, domains, got.result.Reason)
		}
		_, got = overDomains(t, name, domains, m, consistent, solve.Options{})
		if got.Fault != nil || got.result.Reason == krylov.Inconsistent || neumann && !got.result.Reason.Converged() {
			t.Errorf("%s, %d domains, consistent: %v, %v, errors %+v, digits %+v", name, domains, got.Fault, got.result.Reason, got.result.Errors, got.result.Digits)
		}
		t.Logf("%s, %d domains, consistent: %v, digits %v", name, domains, got.result.Reason, got.result.Digits.State)
	}
}
