package adaptive

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// losslessValues are kinds of elements, from integers to all of the range of float64.
var losslessValues = map[string]func(rng *rand.Rand) float64{
	"integers": func(rng *rand.Rand) float64 { return float64(rng.IntN(2001) - 1000) },
	"single":   func(rng *rand.Rand) float64 { return float64(float32(rng.NormFloat64())) },
	"double":   func(rng *rand.Rand) float64 { return rng.NormFloat64() },
	"subnormal": func(rng *rand.Rand) float64 {
		return math.Copysign(math.Float64frombits(rng.Uint64N(1<<rng.IntN(54))), rng.NormFloat64())
	},
	"any": func(rng *rand.Rand) float64 {
		for {
			if v := math.Float64frombits(rng.Uint64()); v-v == 0 {
				return v
			}
		}
	},
	"mostly integers": func(rng *rand.Rand) float64 {
		if rng.IntN(200) == 0 {
			return rng.NormFloat64()
		}
		return float64(rng.IntN(3) - 1) // with zeros, of both signs
	},
}

// losslessMatrix has the pattern of elasticity, of a stencil or of rows of random lengths, and every ninth row empty.
func losslessMatrix(t *testing.T, rng *rand.Rand, value func(*rand.Rand) float64) *csr.Matrix {
	t.Helper()
	var m *csr.Matrix
	switch rng.IntN(3) {
	case 0:
		m = generated(t, "elasticity3d", generate.Params{"n": 3})
	case 1:
		m = generated(t, "poisson3d", generate.Params{"n": 5})
	default:
		n := 1 + rng.IntN(90)
		m = pattern(t, n, n, func(int) int { return rng.IntN(min(n, 9)) })
	}
	for i := range m.Rows {
		_, vals := m.Row(i)
		for k := range vals {
			if vals[k] = value(rng); i%9 == 8 {
				vals[k] = math.Copysign(0, -1)
			}
		}
	}
	return m
}

// mirror gives m the values below its diagonal above it, too, where both are elements.
func mirror(m *csr.Matrix) {
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if int(j) > i {
				vals[k] = m.At(int(j), i)
			}
		}
	}
}

// Every element has its own bits in every layout, with every set of kernels, and products have the same bits for any number of threads and
// any set of kernels.
func TestLossless(t *testing.T) {
	for name, value := range losslessValues {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(len(name))))
			for k := range 40 {
				m := losslessMatrix(t, rng, value)
				if k%2 == 0 {
					mirror(m)
				}
				for _, criterion := range Criteria {
					for _, layout := range []Layout{Slots, Diagonals, Blocks, SELL, Tiles, Symmetric, Bucketed, LayoutAuto} {
						if layout == Symmetric && criterion != NW {
							continue
						}
						checkLossless(t, m, Spec{Set: Lossless, Criterion: criterion, Layout: layout})
					}
				}
			}
		})
	}
}

func checkLossless(t *testing.T, m *csr.Matrix, s Spec) {
	t.Helper()
	var first []float64
	x := random(3, m.Cols)
	for _, k := range kernels.Sets() {
		for threads := 1; threads <= 2; threads++ {
			s.Kernels = k.String()
			a, err := Build(m, s, newPool(t, threads))
			if err != nil {
				t.Fatal(err)
			}
			y := make([]float64, m.Rows)
			a.Apply(y, x)
			if first == nil {
				first = y
				checkProduct(t, m, s, x, y)
			} else if !slices.EqualFunc(y, first, func(v, w float64) bool { return math.Float64bits(v) == math.Float64bits(w) }) && s.Layout != Bucketed && s.Layout != LayoutAuto {
				t.Fatalf("%s, %s: %s with %d threads gives other bits", s, s.Layout, k, threads)
			}
			if threads == 2 {
				continue
			}
			for i, row := range decoded(a) {
				for j, v := range row {
					if v != m.At(i, j) {
						t.Fatalf("%s, %s, %s: element (%d, %d) is %g, was %g", s, a.Layout(), k, i, j, v, m.At(i, j))
					}
				}
				if a.Tolerance(i) != 0 {
					t.Fatalf("%s, %s: row %d may have an error of %g", s, a.Layout(), i, a.Tolerance(i))
				}
			}
			if st := a.Stats(); st.Dropped != 0 || st.Bytes != a.Bytes() {
				t.Fatalf("%s, %s: %+v, %d bytes", s, a.Layout(), st, a.Bytes())
			}
		}
	}
}

// checkProduct compares y with A x of big.Float: sums of n products have an error of at most n u |A| |x|, or less than the smallest number for
// each product.
func checkProduct(t *testing.T, m *csr.Matrix, s Spec, x, y []float64) {
	t.Helper()
	for i := range m.Rows {
		cols, vals := m.Row(i)
		sum, size := new(big.Float).SetPrec(4000), new(big.Float).SetPrec(4000)
		for k, v := range vals {
			p := new(big.Float).SetPrec(4000).Mul(big.NewFloat(v), big.NewFloat(x[cols[k]]))
			sum.Add(sum, p)
			size.Add(size, p.Abs(p))
		}
		if size.Cmp(big.NewFloat(math.MaxFloat64/4)) > 0 {
			continue // may overflow
		}
		n := float64(len(vals) + 1)
		bound := size.Mul(size, big.NewFloat(n*0x1p-53))
		bound.Add(bound, big.NewFloat(n*0x1p-1074))
		if d := sum.Sub(sum, big.NewFloat(y[i])); d.Abs(d).Cmp(bound) > 0 {
			t.Fatalf("%s, %s: row %d of A x is off by %.3g, at most %.3g allowed", s, s.Layout, i, d, bound)
		}
	}
}

// A lossless set narrows what AFX would not, and takes little more than eight bytes for what fills all bits.
func TestLosslessBytes(t *testing.T) {
	m := generated(t, "poisson3d", generate.Params{"n": 16})
	for i := range m.Val {
		m.Val[i] += math.Copysign(1e-9*float64(m.Col[i]), m.Val[i])
	}
	of := func(s Spec) float64 { return build(t, m, s).Stats().PerNonzero() }
	if b := of(Spec{Set: Lossless, Layout: Diagonals}); b > 8.7 {
		t.Errorf("%.2f bytes for a nonzero with diagonals", b)
	}
	for i, v := range m.Val {
		m.Val[i] = math.Round(v)
	}
	for _, set := range []Set{Lossless, AFX} {
		a := build(t, m, Spec{Set: set, Epsilon: 0x1p-24, Layout: Diagonals})
		if f := a.Stats().Formats; len(f) != 1 || f[0].Format.Name != "AFX8" || a.Tolerance(0) != 0 {
			t.Errorf("%s: small integers are %+v, with an error of %g", set.Name, f, a.Tolerance(0))
		}
	}
}

// Elements that are not finite are refused, as by all sets.
func TestLosslessFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(-1)} {
		_, err := Build(entries([]float64{1, 0}, []float64{v, 1}), Spec{Set: Lossless}, newPool(t, 1))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("row %d", 2)) {
			t.Errorf("%g: %v", v, err)
		}
	}
}
