package reproduce

import (
	"testing"

	"github.com/mpsolve/mpsolve/pkg/generate"
)

// TestScaledOutside: what is stored of a matrix that is scaled outside of it depends on the norm of the matrix
// itself. FP64 stores everything and solves as if the matrix had been scaled. The normwise criterion drops whole rows
// of soft layers, in which the solution then grows, and the normwise backward error falls with it: figure 3.10 of
// [Molina24].
func TestScaledOutside(t *testing.T) {
	m := generated(t, "solid3d", generate.Params{
		"n": 14, "tets": 1, "decades": 3, "grain": 2, "jump": 3, "thickness": 3, "soft": 14, "bounded": 1,
	})
	r := solveAll(t, m, false,
		solvePoint("formats=FP64", "epsilon=2^-53"),
		solvePoint("formats=FP64", "epsilon=2^-53", "scaling=outside"),
		solvePoint("scaling=outside"),
		solvePoint("formats=AP2", "criterion=nw", "scaling=rowmax"),
		solvePoint("formats=AP2", "criterion=nw", "scaling=outside"),
	)
	for k, name := range []string{"FP64", "FP64 outside", "FP32 outside", "AP2"} {
		v := r[k].values
		if v["converged"] != 1 || v["relative_residual"] > 1e-9 || v["iterations"] > 1.5*r[0].values["iterations"] {
			t.Errorf("%s: %v, FP64 took %g iterations", name, v, r[0].values["iterations"])
		}
		checkHistory(t, r[k])
	}
	dropped := r[4].values
	if dropped["converged"] != 1 || dropped["iterations"] > r[2].values["iterations"]/2 {
		t.Errorf("AP2 outside: %v, FP32 took %g iterations", dropped, r[2].values["iterations"])
	}
	if dropped["forward_error"] < 1e3 || dropped["relative_residual"] < 1e-9 {
		t.Errorf("AP2 outside solved the system: %v", dropped)
	}
	if dropped["storage"] > 0.95*r[3].values["storage"] {
		t.Errorf("AP2 stores %g outside, %g of the scaled matrix", dropped["storage"], r[3].values["storage"])
	}
}
