package verify

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// exactErrors are the errors of x in rational arithmetic.
func exactErrors(m *csr.Matrix, x []*big.Float, b, weights []float64) PreciseErrors {
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	larger := func(a, b *big.Rat) *big.Rat {
		if a.Cmp(b) < 0 {
			return b
		}
		return a
	}
	quotient := func(a, b *big.Rat) *big.Rat {
		if a.Sign() == 0 {
			return new(big.Rat)
		}
		return new(big.Rat).Quo(a, b)
	}
	xs, xmax := make([]*big.Rat, len(x)), new(big.Rat)
	for j, v := range x {
		xs[j], _ = v.Rat(nil)
		xmax = larger(xmax, new(big.Rat).Abs(xs[j]))
	}
	row, cw, weighted, r, tmax, bmax, r2, b2 := new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)
	for i := range m.Rows {
		cols, vals := m.Row(i)
		sum, t, abs, bi := rat(b[i]), new(big.Rat), new(big.Rat), rat(math.Abs(b[i]))
		for k, j := range cols {
			a := rat(math.Abs(vals[k]))
			t.Add(t, a)
			sum.Sub(sum, new(big.Rat).Mul(rat(vals[k]), xs[j]))
			abs.Add(abs, a.Mul(a, new(big.Rat).Abs(xs[j])))
		}
		sum.Abs(sum)
		row = larger(row, quotient(sum, new(big.Rat).Add(new(big.Rat).Mul(t, xmax), bi)))
		cw = larger(cw, quotient(sum, abs.Add(abs, bi)))
		weighted = larger(weighted, quotient(sum, rat(weights[i])))
		r, tmax, bmax = larger(r, sum), larger(tmax, t), larger(bmax, bi)
		r2.Add(r2, new(big.Rat).Mul(sum, sum))
		b2.Add(b2, new(big.Rat).Mul(bi, bi))
	}
	log := func(v *big.Rat) float64 {
		if v.Sign() == 0 {
			return math.Inf(-1)
		}
		var m big.Float
		e := new(big.Float).SetRat(v).MantExp(&m)
		f, _ := m.Float64()
		return math.Log10(f) + float64(e)*math.Log10(2)
	}
	return PreciseErrors{
		Row: log(row), Componentwise: log(cw), Weighted: log(weighted),
		Normwise:         log(quotient(r, tmax.Add(tmax.Mul(tmax, xmax), bmax))),
		RelativeResidual: log(quotient(r2, b2)) / 2,
	}
}

// numbers are those of x as Precisely takes them.
func numbers(x []*big.Float) number {
	return func(j int) (neg bool, m []uint64, e int) {
		words := int(x[j].Prec()+63) / 64
		m = make([]uint64, words)
		integer := new(big.Float)
		e = x[j].MantExp(integer)
		n, _ := integer.SetMantExp(integer, 64*words).Int(nil)
		for k := range m {
			m[k] = new(big.Int).Rsh(n.Abs(n), uint(64*k)).Uint64()
		}
		return x[j].Signbit(), m, e
	}
}

// Sums in fixed point are those of math/big, but for what is below a unit.
func TestFixed(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		bits := 64 * (1 + rng.IntN(4))
		s, want, unit := newFixed(bits), new(big.Float).SetPrec(3000), new(big.Float).SetMantExp(big.NewFloat(1), 40-bits)
		s.begin(40)
		n := rng.IntN(20)
		for range n {
			a := math.Ldexp(rng.Float64()-0.5, rng.IntN(80)-60)
			x := new(big.Float).SetPrec(uint(1+rng.IntN(300))).SetMantExp(big.NewFloat(rng.Float64()-0.5), rng.IntN(200)-180)
			if rng.IntN(2) == 0 {
				neg, m, e := numbers([]*big.Float{x})(0)
				s.subProduct(a, neg, m, e-64*len(m))
				want.Sub(want, new(big.Float).SetPrec(3000).Mul(new(big.Float).SetFloat64(a), x))
			} else {
				s.addFloat(a)
				want.Add(want, new(big.Float).SetFloat64(a))
			}
		}
		inexact := s.inexact
		got := s.magnitude()
		d := new(big.Float).SetPrec(3000).SetMantExp(big.NewFloat(got.v), got.e)
		d.Sub(d, want.Abs(want))
		bound := new(big.Float).SetMantExp(new(big.Float).SetPrec(3000).Abs(want), -52)
		if inexact {
			bound.Add(bound, unit.Mul(unit, big.NewFloat(float64(n))))
		}
		if d.Abs(d).Cmp(bound) > 0 {
			t.Fatalf("%d bits, %d terms: %v, want %v", bits, n, got, want)
		}
	}
}

// Errors of x of multiple precision are those of rational arithmetic, for any number of threads, also where float64 does not hold them.
func TestPreciselyThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pool := parallel.New(3)
	defer pool.Close()
	for _, size := range []int{0, 200, -250} {
		for seed := range uint64(20) {
			_, m, b := testsupport.Small(seed)
			exact := testsupport.SolveRationally(m, b)
			if exact == nil {
				continue
			}
			bits := 106 + rng.IntN(1600)
			weights, x := make([]float64, m.Rows), make([]*big.Float, m.Cols)
			for j := range x {
				x[j] = new(big.Float).SetPrec(uint(bits)).SetRat(exact[j])
				x[j].SetMantExp(x[j], size)
			}
			for i := range b {
				b[i], weights[i] = math.Ldexp(b[i], size), math.Ldexp(1+rng.Float64(), rng.IntN(600)-300)
			}
			at := numbers(x)
			got, err := Precisely([]*csr.Matrix{m}, at, [][]float64{b}, weights, bits, pool)
			serial, _ := Precisely([]*csr.Matrix{m}, at, [][]float64{b}, weights, bits, nil)
			want := exactErrors(m, x, b, weights)
			if err != nil || got != serial || got.Bits < max(512, bits+64) {
				t.Fatalf("seed %d: %+v, %+v, %v", seed, got, serial, err)
			}
			for _, c := range [][2]float64{
				{got.Row, want.Row},
				{got.Normwise, want.Normwise},
				{got.Componentwise, want.Componentwise},
				{got.RelativeResidual, want.RelativeResidual},
				{got.Weighted, want.Weighted},
			} {
				if !(math.Abs(c[0]-c[1]) < 1e-6) && c[0] != c[1] {
					t.Errorf("seed %d, %d bits, size 2^%d: %+v, want %+v", seed, bits, size, got, want)
					break
				}
			}
		}
	}
}

// An error of one element far below float64 is seen.
func TestPreciselySeesSmallErrors(t *testing.T) {
	m := testsupport.Grid(8, 0, 0)
	x := make([]*big.Float, m.Cols)
	for j := range x {
		x[j] = new(big.Float).SetPrec(424).SetInt64(1)
	}
	b := make([]float64, m.Rows)
	ones := make([]float64, m.Cols)
	for j := range ones {
		ones[j] = 1
	}
	m.MulVec(b, ones)
	at := numbers(x)
	if e, err := Precisely([]*csr.Matrix{m}, at, [][]float64{b}, nil, 424, nil); err != nil || !math.IsInf(e.Row, -1) || !math.IsNaN(e.Weighted) {
		t.Errorf("%+v, %v", e, err)
	}
	x[17].Add(x[17], new(big.Float).SetMantExp(big.NewFloat(1), -400))
	if e, err := Precisely([]*csr.Matrix{m}, at, [][]float64{b}, nil, 424, nil); err != nil || math.Abs(e.Row+121) > 1 {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := Precisely([]*csr.Matrix{m}, at, [][]float64{b[1:]}, nil, 424, nil); err == nil {
		t.Error("b may be too short")
	}
}
