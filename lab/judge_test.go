package lab

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// TestJudge gives wrong results to the judge, which must find each fault.
func TestJudge(t *testing.T) {
	poisson := newBuilder(5)
	for i := range 4 {
		poisson.add(i, i, 2)
		if i < 3 {
			poisson.both(i, i+1, -1)
		}
	}
	poisson.add(4, 4, 1e-13)
	two := newBuilder(2)
	two.add(0, 0, 1)
	two.add(1, 0, 1)
	two.add(0, 1, 1e-30)
	two.add(1, 1, 1e-30)
	for _, c := range []struct {
		name   string
		system *System
		x      []float64
		reason krylov.Reason
		want   []Fault
	}{
		{"right", &System{A: poisson.matrix(), B: stressOnes(5)}, []float64{2, 3, 3, 2, 1e13}, krylov.Converged, nil},
		{"above the tolerance", &System{A: poisson.matrix(), B: stressOnes(5)}, []float64{2, 3, 3, 2, 1.00001e13}, krylov.Converged, []Fault{FalseConverged}},
		{"one block ignored", &System{A: poisson.matrix(), B: stressOnes(5)}, []float64{0.5, 0.5, 0.5, 0.5, 1e13}, krylov.Converged, []Fault{Insane, Silent}},
		{"no solution", &System{A: two.matrix(), B: []float64{1, 2}, Contradiction: []float64{1, -1}, Natural: 2}, []float64{1.5, 1e18}, krylov.Converged, []Fault{Contradicted, Insane}},
		{"no solution, not converged", &System{A: two.matrix(), B: []float64{1, 2}, Contradiction: []float64{1, -1}, Natural: 2}, []float64{1.5, 0}, krylov.Singular, nil},
		{"worse than zero", &System{A: poisson.matrix(), B: stressOnes(5)}, []float64{100, 0, 0, 0, 0}, krylov.Stagnation, []Fault{Worse}},
	} {
		j := judge(c.system, solve.Options{Accuracy: solve.Accuracy{Tol: 1e-10}}, solve.Result{X: c.x, Reason: c.reason})
		var got []Fault
		for _, f := range j.faults {
			got = append(got, f.Fault)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, j.faults, c.want)
		}
	}
}

// TestConcurrentServers runs a case of every class on two goroutines at once: the outcomes are the same.
func TestConcurrentServers(t *testing.T) {
	outcomes := func(f StressClass) chan Outcome {
		c := make(chan Outcome, 1)
		go func() { c <- f.Run(7, 3) }()
		return c
	}
	for _, f := range systems {
		a, b := outcomes(f), outcomes(f)
		x, y := <-a, <-b
		if x.Verdict != y.Verdict || x.Digits != y.Digits || x.Text != y.Text || len(x.Faults) != len(y.Faults) {
			t.Errorf("%s: %+v and %+v", f.Name, x, y)
		}
		for _, found := range x.Faults {
			t.Errorf("%s (go run ./tools/measure stress -seed 7 -run %s -case 3): %s: %s; %s", f.Name, f.Name, found.Fault, found.Why, x.Text)
		}
	}
}
