package generate

import (
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/parallel"
)

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
