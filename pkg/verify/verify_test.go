package verify

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

func build(t *testing.T, rows, cols int, entries map[[2]int]float64) *csr.Matrix {
	t.Helper()
	b, err := csr.NewBuilder(rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	for p, v := range entries {
		if err := b.Add(p[0], p[1], v); err != nil {
			t.Fatal(err)
		}
	}
	return b.Build()
}

func compute(t *testing.T, m *csr.Matrix, x, b []float64) Errors {
	t.Helper()
	pool := parallel.New(2)
	defer pool.Close()
	e, err := Compute(m, x, b, pool)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// oracle computes the same in 3000-bit arithmetic, straight from the formulas.
func oracle(m *csr.Matrix, x, b []float64) Errors {
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(3000).SetFloat64(v) }
	abs := func(v *big.Float) *big.Float { return new(big.Float).SetPrec(3000).Abs(v) }
	quo := func(a, b *big.Float) float64 {
		if a.Sign() == 0 && b.Sign() == 0 {
			return 0
		}
		if b.Sign() == 0 {
			return math.Inf(1)
		}
		f, _ := new(big.Float).SetPrec(3000).Quo(a, b).Float64()
		return f
	}
	larger := func(a, b *big.Float) *big.Float {
		if a.Cmp(b) < 0 {
			return b
		}
		return a
	}
	xmax := num(0)
	for _, v := range x {
		xmax = larger(xmax, abs(num(v)))
	}
	var e Errors
	normR, normA, normB, r2, b2 := num(0), num(0), num(0), num(0), num(0)
	for i := range m.Rows {
		cols, vals := m.Row(i)
		r, t, ax := num(b[i]), num(0), num(0)
		for k, j := range cols {
			p := num(vals[k])
			t.Add(t, abs(p))
			p.Mul(p, num(x[j]))
			ax.Add(ax, abs(p))
			r.Sub(r, p)
		}
		r.Abs(r)
		bi := abs(num(b[i]))
		tx := num(0).Mul(t, xmax)
		e.Row = math.Max(e.Row, quo(r, tx.Add(tx, bi)))
		e.Componentwise = math.Max(e.Componentwise, quo(r, ax.Add(ax, bi)))
		normR, normA, normB = larger(normR, r), larger(normA, t), larger(normB, bi)
		r2.Add(r2, num(0).Mul(r, r))
		b2.Add(b2, num(0).Mul(bi, bi))
	}
	e.Normwise = quo(normR, normA.Add(normA.Mul(normA, xmax), normB))
	e.RelativeResidual = quo(r2.Sqrt(r2), b2.Sqrt(b2))
	return e
}

func sameErrors(t *testing.T, got, want Errors) {
	t.Helper()
	pairs := []struct {
		name      string
		got, want float64
	}{
		{"row", got.Row, want.Row},
		{"normwise", got.Normwise, want.Normwise},
		{"componentwise", got.Componentwise, want.Componentwise},
		{"relative residual", got.RelativeResidual, want.RelativeResidual},
	}
	for _, p := range pairs {
		// Relative to the result, plus what double-double leaves of cancellation.
		if p.got != p.want && (math.IsInf(p.want, 0) || !(math.Abs(p.got-p.want) <= 1e-12*p.want+1e-28)) {
			t.Errorf("%s = %g, want %g", p.name, p.got, p.want)
		}
	}
}

// Random matrices of every magnitude, x exact up to rounding and x wrong,
// against 3000-bit arithmetic.
func TestAgainstBigFloat(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, exps := range [][3]int{{0, 0, 0}, {990, -500, 300}, {-1000, 900, 0}, {1000, 20, 1000}, {-900, -100, -1040}, {600, 600, 0}} {
		for _, wrong := range []float64{0, 0x1p-40, 1} {
			t.Run(fmt.Sprint(exps, wrong), func(t *testing.T) {
				const n = 40
				entries := map[[2]int]float64{}
				for range 6 * n {
					v := math.Ldexp(rng.NormFloat64(), exps[0]+rng.IntN(20))
					entries[[2]int{rng.IntN(n), rng.IntN(n)}] = v
				}
				m := build(t, n, n, entries)
				x, b := make([]float64, n), make([]float64, n)
				for i := range x {
					x[i] = math.Ldexp(rng.NormFloat64(), exps[1])
				}
				m.MulVec(b, x)
				for i := range b {
					if v := b[i]; v-v != 0 || exps[2] != 0 {
						b[i] = math.Ldexp(rng.NormFloat64(), exps[2])
					}
				}
				for i := range x {
					x[i] *= 1 + wrong*rng.NormFloat64()
				}
				sameErrors(t, compute(t, m, x, b), oracle(m, x, b))
			})
		}
	}
}

// Nothing that is not a solution may look like one.
func TestEdgeCases(t *testing.T) {
	huge := build(t, 2, 2, map[[2]int]float64{{0, 0}: 1e300, {1, 1}: 1e-300})
	inf := math.Inf(1)
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		x, b []float64
		want Errors
	}{
		{"zero equals zero", huge, []float64{0, 0}, []float64{0, 0}, Errors{}},
		{"x = 0", huge, []float64{0, 0}, []float64{1e-300, 0}, Errors{1, 1, 1, 1}},
		{"NaN", huge, []float64{math.NaN(), 0}, []float64{1, 1}, Errors{inf, inf, inf, inf}},
		{"Inf", huge, []float64{0, inf}, []float64{1, 1}, Errors{inf, inf, inf, inf}},
		{"product beyond float64", huge, []float64{1e300, 1}, []float64{1, 1e-300}, Errors{1, 1, 1, inf}},
		{"b = 0", huge, []float64{1, 0}, []float64{0, 0}, Errors{1, 1, 1, inf}},
		{
			"Inf in x where A is zero", build(t, 2, 2, map[[2]int]float64{{0, 0}: 1, {1, 0}: 1}),
			[]float64{1, inf},
			[]float64{1, 1},
			Errors{inf, inf, inf, inf},
		},
		{
			"NaN in A", build(t, 2, 2, map[[2]int]float64{{0, 0}: 1, {1, 1}: math.NaN()}),
			[]float64{1, 1},
			[]float64{0, 1},
			Errors{inf, inf, inf, inf},
		},
		{
			"subnormal", build(t, 1, 1, map[[2]int]float64{{0, 0}: 5e-324}),
			[]float64{1},
			[]float64{5e-324},
			Errors{},
		},
		{
			"zero row with b", build(t, 2, 2, map[[2]int]float64{{0, 0}: 1}),
			[]float64{1, 1},
			[]float64{1, 1},
			Errors{1, 0.5, 1, math.Sqrt(0.5)},
		},
		{
			"row that meets zeros of x", build(t, 2, 2, map[[2]int]float64{{0, 0}: 1, {1, 1}: 1e300}),
			[]float64{1e300, 0},
			[]float64{1e300, 1e-300},
			Errors{0, 0, 1, 0},
		},
	} {
		t.Run(c.name, func(t *testing.T) { sameErrors(t, compute(t, c.m, c.x, c.b), c.want) })
	}
}

// One huge row hides a small one from the normwise error.
func TestRowwiseSeesSmallRows(t *testing.T) {
	m := build(t, 2, 2, map[[2]int]float64{{0, 0}: 1e20, {1, 1}: 1})
	e := compute(t, m, []float64{1, 0}, []float64{1e20, 1})
	if e.Normwise > 1e-15 || e.Row != 0.5 {
		t.Errorf("normwise %g, row-wise %g; want about 0 and 0.5", e.Normwise, e.Row)
	}
}

func TestSameForAnyThreads(t *testing.T) {
	const n = 5*blockRows + 17
	rng := rand.New(rand.NewPCG(9, 10))
	bld, _ := csr.NewBuilder(n, n)
	for i := range n {
		for range 3 {
			if err := bld.Add(i, rng.IntN(n), rng.NormFloat64()); err != nil {
				t.Fatal(err)
			}
		}
	}
	m, x, b := bld.Build(), make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], b[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	var want Errors
	for k, threads := range []int{1, 2, 3, 8} {
		pool := parallel.New(threads)
		got, err := Compute(m, x, b, pool)
		pool.Close()
		if err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			want = got
		}
		if got != want {
			t.Errorf("%d threads: %v, want %v", threads, got, want)
		}
	}
}

func TestWrongLengths(t *testing.T) {
	m := build(t, 2, 3, map[[2]int]float64{{0, 0}: 1})
	pool := parallel.New(1)
	if _, err := Compute(m, make([]float64, 2), make([]float64, 2), pool); err == nil {
		t.Error("x of the wrong length was taken")
	}
}
