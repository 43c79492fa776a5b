package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// Commands with the exit code and a piece of the output that they must have.
func TestCommands(t *testing.T) {
	data := filepath.Join("..", "..", "testdata")
	x := filepath.Join(t.TempDir(), "x.mtx")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"solve $D/poisson2d_20.mtx", 0, "result     converged"},
		{"solve $D/elasticity3d_4.mtx.gz --rhs random:3 --tol 1e-12", 0, "result     converged"},
		{"solve $D/poisson2d_20.mtx --rhs $D/rhs_400.mtx --output " + x, 0, "converged"},
		{"info " + x, 0, "400 x 1"},
		{"solve $D/convdiff2d_20.mtx --method gmres --max-iter 2", 3, "iteration limit"},
		{"solve $D/poisson2d_20.mtx --threads 0", 2, "--threads"},
		{"solve $D/poisson2d_20.mtx --metod cg", 2, "did you mean --method"},
		{"solve $D/poisson2d_20.mtx --method cgs", 2, "did you mean cg"},
		{"solve $D/poisson2d_20.mtx --output /no/such/folder/x.mtx", 2, "no folder"},
		{"solve $D/no_such.mtx", 4, "no such file"},
		{"solve $D", 4, "is a directory"},
		{"solve $D/bad/nan.mtx", 4, "NaN"},
		{"solve $D/bad/zero_row.mtx", 4, "no nonzero"},
		{"solve $D/bad/rectangular.mtx", 4, "only square"},
		{"solve $D/bad/complex.mtx", 4, "complex"},
		{"solve $D/poisson2d_20.mtx --rhs $D/bad/rhs_wrong_length.mtx", 4, "elements"},
		{"solve $D/poisson2d_20.mtx --rhs $D/bad/rhs_nan.mtx", 4, "NaN"},
		{"info $D/bad/empty.mtx", 4, "empty"},
		{"info $D/bad/complex.mtx", 0, "complex"},
		{"generate poisson2d --n 3", 0, "9 9 21"},
		{"generate poison2d", 2, "did you mean poisson2d"},
		{"generate poisson2d --n 0", 2, "out of range"},
		{"version", 0, "mpsolve"},
		{"sove", 2, "unknown command"},
	} {
		t.Run(c.args, func(t *testing.T) {
			var out, errOut bytes.Buffer
			args := strings.Fields(strings.ReplaceAll(c.args, "$D", data))
			if code := Main(args, strings.NewReader(""), &out, &errOut); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if all := out.String() + errOut.String(); !strings.Contains(all, c.want) {
				t.Errorf("output lacks %q:\n%s", c.want, all)
			}
			if n := strings.Count(errOut.String(), "\n"); c.code != 0 && n > 2 {
				t.Errorf("%d lines of errors:\n%s", n, errOut.String())
			}
		})
	}
}
