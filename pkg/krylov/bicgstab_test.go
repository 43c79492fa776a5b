package krylov

import "testing"

type breakdown struct {
	name       string
	rows       [][]float64
	b          []float64
	want       Reason
	iterations int
}

// Small systems on which a scalar of BiCGStab vanishes, worked out by hand.
var breakdowns = []breakdown{
	// A r·r = 0 for the first r: alpha has no denominator.
	{"alpha", [][]float64{{0, 1}, {1, 0}}, []float64{1, 0}, Breakdown, 0},
	// alpha = 1, t = (0, -1), A t = 0: omega has no denominator.
	{"omega 0/0", [][]float64{{1, 0}, {1, 0}}, []float64{1, 0}, Breakdown, 0},
	// alpha = 1, t = (0, -1), A t = (1, 0): t·At = 0, so omega = 0.
	{"omega", [][]float64{{1, -1}, {1, 0}}, []float64{1, 0}, Breakdown, 1},
	// t = 0 after half a step: solved.
	{"half a step", [][]float64{{2, 0}, {0, 3}}, []float64{1, 0}, Converged, 1},
}

func TestBiCGStabBreakdowns(t *testing.T) {
	for _, c := range breakdowns {
		t.Run(c.name, func(t *testing.T) {
			a, x := dense(c.rows...), make([]float64, len(c.b))
			r := solveWith(t, "bicgstab", a, x, c.b, hostOptions{})
			if r.Reason != c.want || r.Iterations != c.iterations {
				t.Errorf("%v after %d iterations, want %v after %d", r.Reason, r.Iterations, c.want, c.iterations)
			}
			checkHonest(t, r, trueResidual(t, a, x, c.b), DefaultTol)
		})
	}
}

// With r orthogonal to the shadow residual after one iteration (rho = 0) the
// method starts again from r and still solves the system.
func TestBiCGStabRestartsOnRho(t *testing.T) {
	// b = e1 gives alpha = 1, t = (0, -1, -1), At = (0, -1, -2), omega = 3/5
	// and r = (0, -2/5, 1/5): orthogonal to s = e1.
	a, b, x := dense([]float64{1, 0, 0}, []float64{1, 1, 0}, []float64{1, 0, 2}), []float64{1, 0, 0}, make([]float64, 3)
	r := solveWith(t, "bicgstab", a, x, b, hostOptions{Tol: 1e-12})
	if r.Reason != Converged || r.Iterations < 2 {
		t.Errorf("%v after %d iterations", r.Reason, r.Iterations)
	}
	checkHonest(t, r, trueResidual(t, a, x, b), 1e-12)
}
