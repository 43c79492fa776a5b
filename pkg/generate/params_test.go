package generate

import (
	"math"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

func TestBadParams(t *testing.T) {
	for _, c := range []struct {
		kind string
		p    Params
		want []string // parts of the error
	}{
		{"poison2d", nil, []string{`unknown kind "poison2d"`, "poisson2d"}},
		{"poisson2d", Params{"n": 0}, []string{"n = 0 out of range: want 1 to 46340"}},
		{"poisson2d", Params{"n": -3}, []string{"n = -3"}},
		{"poisson2d", Params{"n": 2.5}, []string{"n = 2.5: want a whole number"}},
		{"poisson2d", Params{"n": math.NaN()}, []string{"n = NaN"}},
		{"poisson2d", Params{"n": math.Inf(1)}, []string{"n = +Inf"}},
		{"poisson2d", Params{"n": 46341}, []string{"n = 46341"}},
		{"poisson3d", Params{"n": 1291}, []string{"want 1 to 1290"}},
		{"elasticity3d", Params{"n": 895}, []string{"want 1 to 894"}},
		{"wathen", Params{"nx": 1 << 30, "ny": 1 << 30}, []string{"rows, more than the largest matrix has (2147483647)"}},
		{"trefethen", Params{"seed": 1}, []string{`no parameter "seed" (it has n)`}},
		{"poisson2d", Params{"size": 5, "n": 0, "decades": -1, "grain": 0.5}, []string{`"size"`, "n = 0", "decades = -1", "grain = 0.5"}},
		{"convdiff2d", Params{"vz": 1}, []string{`no parameter "vz"`}},
		{"convdiff3d", Params{"upwind": 0.5, "peclet": -1}, []string{"upwind", "peclet"}},
		{"anisotropic2d", Params{"ratio": 0}, []string{"ratio = 0"}},
		{"powerlaw", Params{"seed": -1, "mean": 1}, []string{"seed = -1", "mean = 1"}},
	} {
		m, err := Generate(c.kind, c.p)
		if err == nil || m != nil {
			t.Errorf("%s %v: no error", c.kind, c.p)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s %v: %q does not say %q", c.kind, c.p, err, want)
			}
		}
	}
}

func TestEstimateOfTheLargest(t *testing.T) {
	for _, c := range []struct {
		kind      string
		p         Params
		rows, nnz int64
	}{
		{"poisson2d", Params{"n": 46340}, 2147395600, 10736792640},
		{"poisson3d", Params{"n": 140}, 2744000, 19090400},
		{"elasticity3d", Params{"n": 46}, 292008, 22639104},
		{"stencil27", Params{"n": 1290}, 2146689000, 57870788032},
		{"trefethen", Params{"n": 2000}, 2000, 41906},
		{"wathen", Params{"nx": 30, "ny": 30}, 2821, 42781},
	} {
		k, ok := Find(c.kind)
		if !ok {
			t.Fatal(c.kind)
		}
		rows, nnz, err := k.Estimate(c.p)
		if err != nil || rows != c.rows || nnz != c.nnz {
			t.Errorf("%s %v: %d rows, %d nonzeros, %v; want %d, %d", c.kind, c.p, rows, nnz, err, c.rows, c.nnz)
		}
		if rows > csr.MaxDim {
			t.Errorf("%s %v: too many rows", c.kind, c.p)
		}
	}
}

func TestDefaultsAreLegalAndSmall(t *testing.T) {
	for _, k := range Kinds() {
		_, nnz, err := k.Estimate(nil)
		if err != nil {
			t.Error(err)
		}
		if nnz > 1_000_000 {
			t.Errorf("%s: %d nonzeros by default", k.Name, nnz)
		}
	}
	if _, ok := Find("nothing"); ok {
		t.Error("found a kind that is not there")
	}
}

func TestRandom(t *testing.T) {
	const n = 100_000
	var sum, squares, mean float64
	for i := range n {
		h := hash(7, i)
		z := normal(h)
		sum += z
		squares += z * z
		u := uniform(h)
		if u < 0 || u >= 1 || below(h, 10) != int(u*10) {
			t.Fatalf("uniform %g, below 10: %d", u, below(h, 10))
		}
		mean += u
	}
	if math.Abs(sum/n) > 0.01 || math.Abs(squares/n-1) > 0.02 || math.Abs(mean/n-0.5) > 0.005 {
		t.Errorf("normal: mean %g, variance %g; uniform: mean %g", sum/n, squares/n, mean/n)
	}
}

func TestElementaryFunctions(t *testing.T) {
	for x := -100.0; x <= 100; x += 0.37 {
		if got, want := pow10(x), math.Pow(10, x); math.Abs(got-want) > 1e-13*want {
			t.Errorf("pow10(%g) = %g, want %g", x, got, want)
		}
	}
	for a := -360.0; a <= 360; a += 7.5 {
		s, c := sincosDegrees(a)
		ws, wc := math.Sincos(a * math.Pi / 180)
		if math.Abs(s-ws) > 1e-15 || math.Abs(c-wc) > 1e-15 {
			t.Errorf("sincos(%g) = %g, %g, want %g, %g", a, s, c, ws, wc)
		}
	}
	if s, c := sincosDegrees(90); s != 1 || c != 0 {
		t.Errorf("sincos(90) = %g, %g", s, c)
	}
}
