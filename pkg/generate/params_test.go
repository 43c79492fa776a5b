package generate

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
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

// coefficients are those of the cells of solid3d.
func coefficients(t *testing.T, p Params) field {
	t.Helper()
	k, _ := Find("solid3d")
	v, err := k.values(p)
	if err != nil {
		t.Fatal(err)
	}
	pool := parallel.New(2)
	defer pool.Close()
	return layers(pool, v)
}

// TestBounded: the largest and the least coefficient of a body of 16^3 cells are those of
// one of 64^3, while log-normal ones spread; both have the same mean and deviation.
func TestBounded(t *testing.T) {
	spread := func(bounded float64, n int) (least, most, deviation float64) {
		f := coefficients(t, Params{"n": float64(n - 1), "decades": 6, "jump": 3, "thickness": 1, "bounded": bounded})
		var sum, squares float64
		for _, x := range f.value {
			d := math.Log10(x)
			sum, squares = sum+d, squares+d*d
		}
		n3 := float64(len(f.value))
		if mean := sum / n3; math.Abs(mean) > 0.2 {
			t.Errorf("bounded %g, n %d: mean %g decades", bounded, n, mean)
		}
		return math.Log10(slices.Min(f.value)), math.Log10(slices.Max(f.value)), math.Sqrt(squares / n3)
	}
	least, most, deviation := spread(1, 16)
	least64, most64, deviation64 := spread(1, 64)
	if most64-most > 0.15 || least-least64 > 0.15 || most64 > 4 || least64 < -4 {
		t.Errorf("bounded: %g to %g decades in 16^3 cells, %g to %g in 64^3; 4 are the bound", least, most, least64, most64)
	}
	if math.Abs(deviation-deviation64) > 0.05*deviation {
		t.Errorf("deviations %g and %g", deviation, deviation64)
	}
	if least0, most0, deviation0 := spread(0, 64); most0-least0 < most64-least64+1 || math.Abs(deviation0-deviation64) > 0.2 {
		t.Errorf("log-normal: %g to %g, deviation %g, bounded has %g", least0, most0, deviation0, deviation64)
	}
}

// TestStratified: every 4 x 4 x 4 points have a number in each 64th, in another order.
func TestStratified(t *testing.T) {
	block := func(x0, y0, z0 int) (order []int) {
		for i := range 64 {
			order = append(order, int(64*stratified(5, x0+i&3, y0+i>>2&3, z0+i>>4)))
		}
		return order
	}
	first, second := block(0, 4, 8), block(12, 4, 8)
	if slices.Equal(first, second) {
		t.Error("two blocks have the same order")
	}
	for _, order := range [][]int{first, second} {
		slices.Sort(order)
		for k, x := range order {
			if x != k {
				t.Fatalf("strata %v", order)
			}
		}
	}
}

// TestBoundedNormal: the quantiles of the normal distribution, in order.
func TestBoundedNormal(t *testing.T) {
	for _, c := range []struct{ u, want float64 }{{0, -2.5}, {0.5, 0}, {0.84375, 1.0100}, {0.15625, -1.0100}, {1 - 0x1p-53, 2.5}} {
		if got := boundedNormal(c.u); math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%g: %g, want %g", c.u, got, c.want)
		}
	}
	for k := range 1000 {
		if u := float64(k) / 1000; boundedNormal(u) >= boundedNormal(u+1e-3) {
			t.Errorf("falls at %g", u)
		}
	}
}

// TestLayers: a number of layers of equal thickness, every fifth of which is soft.
func TestLayers(t *testing.T) {
	f := coefficients(t, Params{"n": 19, "decades": 0, "jump": 4, "layers": 10, "soft": 9, "bounded": 1})
	for z := range f.nz {
		layer := z / 2
		want := 4 * (rocks[layer%5] - 0.5)
		if layer%5 == 4 {
			want -= 9
		}
		if got := math.Log10(f.value[f.index(3, 7, z)]); math.Abs(got-want) > 1e-9 {
			t.Errorf("cell %d: 10^%g, want 10^%g", z, got, want)
		}
	}
}

// TestLongestRow: rows of power-law matrices have at most as many entries as wanted.
func TestLongestRow(t *testing.T) {
	m, err := Generate("powerlaw", Params{"n": 3000, "mean": 8, "longest": 11})
	if err != nil {
		t.Fatal(err)
	}
	longest := int64(0)
	for i := range m.Rows {
		longest = max(longest, m.RowPtr[i+1]-m.RowPtr[i])
	}
	if longest != 11 {
		t.Errorf("%d", longest)
	}
}
