package mp

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// norm returns the largest absolute value.
func norm(x ...*big.Float) *big.Float {
	n := new(big.Float)
	for _, a := range x {
		if b := new(big.Float).Abs(a); b.Cmp(n) > 0 {
			n = b
		}
	}
	return n
}

func elements(v *Vec) (x []*big.Float) {
	for i := range v.Len() {
		x = append(x, v.At(i))
	}
	return x
}

func dotExact(x, y []*big.Float) *big.Float {
	s := exact()
	for i := range x {
		s.Add(s, exact().Mul(x[i], y[i]))
	}
	return s
}

// near fails unless got equals want within a bound and one rounding to so many bits.
func near(t *testing.T, what string, got, want, bound *big.Float, bits int) {
	t.Helper()
	d := exact().Sub(got, want)
	half := exact().SetMantExp(exact().Abs(got), -bits)
	if d.Abs(d).Cmp(half.Add(half, bound)) > 0 {
		t.Fatalf("%s: %v, want %v: off by %v, more than %v", what, got.Text('e', 20), want.Text('e', 20), d.Text('e', 5), half.Text('e', 5))
	}
}

// cancelling returns vectors whose inner product is about 2^-200 of the products: the two halves cancel up to the
// last bits.
func cancelling(rng *rand.Rand, n, bits int) (x, y *Vec) {
	x, y = New(n, bits), New(n, bits)
	for i := 0; i+1 < n; i += 2 {
		a, b := random(rng, bits, 3), random(rng, bits, 3)
		x.Set(i, a)
		y.Set(i, b)
		x.Set(i+1, x.At(i))
		last := exact().Neg(y.At(i))
		y.Set(i+1, last.Add(last, exact().SetMantExp(big.NewFloat(rng.Float64()), -200)))
	}
	return x, y
}

func TestDot(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, bits := range precisions {
		for _, n := range []int{0, 1, 2, 7, 8, 9, 100, 300} {
			for kind := range 3 {
				x, y := randomVec(rng, n, bits, []int{2, 200, 2}[kind]), randomVec(rng, n, bits, 2)
				if kind == 2 {
					x, y = cancelling(rng, n, bits)
				}
				a, b := elements(x), elements(y)
				near(t, fmt.Sprintf("%d bits, %d elements, kind %d", bits, n, kind), Dot(nil, x, y), dotExact(a, b), DotBound(bits, n, norm(a...), norm(b...)), bits)
			}
		}
	}
}

// With 424 bits and more, the condition number of 2^200 leaves as many digits as there are additional bits.
func TestDotCancellation(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for _, bits := range []int{424, 848, 1696} {
		x, y := cancelling(rng, 200, bits)
		want := dotExact(elements(x), elements(y))
		d := exact().Sub(Dot(nil, x, y), want)
		if e := d.MantExp(nil) - want.MantExp(nil); d.Sign() != 0 && e > 210-bits {
			t.Errorf("%d bits: relative error 2^%d", bits, e)
		}
		if size := want.MantExp(nil); size > -180 || size < -220 {
			t.Errorf("the inner product is 2^%d", size)
		}
	}
}

func randomDense(rng *rand.Rand, pool *parallel.Pool, rows, cols, bits int) (a *Dense, of []*Vec) {
	a = NewDense(pool, rows, cols, bits)
	for i := range rows {
		v := randomVec(rng, cols, bits, 1+rng.IntN(40))
		if rng.IntN(5) == 0 {
			v = New(cols, bits)
		}
		v.Scale(nil, exact().SetMantExp(big.NewFloat(1), rng.IntN(100)-50))
		a.SetRow(i, randomVec(rng, cols, bits, 100)) // to be replaced
		a.SetRow(i, v)
		of = append(of, v)
	}
	return a, of
}

func TestDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	for _, bits := range precisions {
		for _, dims := range [][2]int{{1, 1}, {3, 9}, {8, 8}, {19, 5}, {17, 70}} {
			rows, cols := dims[0], dims[1]
			a, of := randomDense(rng, nil, rows, cols, bits)
			x, y := randomVec(rng, cols, bits, 30), randomVec(rng, rows, bits, 2)
			a.MulVec(y, x)
			for i, row := range of {
				r := elements(row)
				near(t, fmt.Sprintf("%d bits, row %d of %v", bits, i, dims), y.At(i), dotExact(r, elements(x)), MulBound(bits, cols, norm(r...), norm(elements(x)...)), bits)
			}
			x, y = randomVec(rng, rows, bits, 30), randomVec(rng, cols, bits, 2)
			a.MulVecT(y, x)
			var most []*big.Float
			for i, row := range of {
				most = append(most, exact().Mul(norm(elements(row)...), x.At(i)))
			}
			for j := range cols {
				var column []*big.Float
				for _, row := range of {
					column = append(column, row.At(j))
				}
				near(t, fmt.Sprintf("%d bits, column %d of %v", bits, j, dims), y.At(j), dotExact(column, elements(x)), MulBound(bits, rows, big.NewFloat(1), norm(most...)), bits)
			}
		}
	}
}

// randomCSR returns a matrix with rows without entries, a row of many entries, and entries of very different sizes.
func randomCSR(rng *rand.Rand, rows, cols int, factor float64) *csr.Matrix {
	m := &csr.Matrix{Rows: rows, Cols: cols, RowPtr: []int64{0}}
	for i := range rows {
		p := []float64{0, 0.1, 0.5, 1}[rng.IntN(4)]
		spread := []int{1, 40, 1000}[rng.IntN(3)]
		for j := range cols {
			if rng.Float64() >= p {
				continue
			}
			v := math.Ldexp(rng.NormFloat64(), rng.IntN(2*spread)-spread) * factor
			switch rng.IntN(20) {
			case 0:
				v = 0
			case 1:
				v = math.Float64frombits(rng.Uint64N(1 << 53)) // mostly subnormal
			case 2:
				v = float64(rng.IntN(7) - 3)
			}
			m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, v)
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
		_ = i
	}
	return m
}

// rowOf returns row i of the sum of parts, and the arguments of MatrixBound.
func rowOf(i, cols int, parts []*csr.Matrix) (row []*big.Float, n int, sum, most *big.Float) {
	sum = exact()
	for range cols {
		row = append(row, exact())
	}
	var vals []*big.Float
	for _, p := range parts {
		col, val := p.Row(i)
		for k, j := range col {
			v := exact().SetFloat64(val[k])
			row[j].Add(row[j], v)
			vals = append(vals, v)
			sum.Add(sum, exact().Abs(v))
		}
		n += len(col)
	}
	return row, n, sum, norm(vals...)
}

func TestMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	for _, bits := range precisions {
		for _, dims := range [][2]int{{1, 1}, {30, 20}, {3, 1200}} {
			rows, cols := dims[0], dims[1]
			parts := []*csr.Matrix{randomCSR(rng, rows, cols, 1)}
			if rng.IntN(2) == 0 {
				parts = append(parts, randomCSR(rng, rows, cols, 0x1p-53))
			}
			a := NewMatrix(nil, parts...)
			x, y, r := randomVec(rng, cols, bits, 30), New(rows, bits), make([]float64, rows)
			if rng.IntN(4) == 0 {
				x = New(cols, bits)
			}
			a.MulVec(y, x)
			b := [][]float64{make([]float64, rows), make([]float64, rows)}
			for i := range rows {
				b[0][i], _ = y.At(i).Float64()
				switch rng.IntN(4) {
				case 0:
					b[0][i] = rng.NormFloat64() * math.Ldexp(1, rng.IntN(600)-300)
				case 1:
					b[0][i] = 0
				}
				if b[0][i] > 1e300 || b[0][i] < -1e300 {
					b[0][i] = 0
				}
				b[1][i] = b[0][i] * 0x1p-60 * rng.Float64()
			}
			e := a.Residual(r, x, b...)
			largest := 0.0
			for i := range rows {
				row, n, sum, most := rowOf(i, cols, parts)
				bound := MatrixBound(bits, n, sum, most, norm(elements(x)...))
				want := dotExact(row, elements(x))
				near(t, fmt.Sprintf("%d bits, row %d of %v", bits, i, dims), y.At(i), want, bound, bits)
				want.Sub(exact().SetFloat64(b[0][i]), want)
				want.Add(want, exact().SetFloat64(b[1][i]))
				got := exact().SetMantExp(exact().SetFloat64(r[i]), e)
				bound.Add(bound, exact().SetMantExp(big.NewFloat(1), e-1074)) // subnormal in units of 2^e
				near(t, fmt.Sprintf("residual with %d bits, row %d of %v", bits, i, dims), got, want, bound, 53)
				largest = max(largest, math.Abs(r[i]))
			}
			if largest != 0 && (largest < 0.5 || largest > 1) {
				t.Errorf("the largest residual is %v 2^%d", largest, e)
			}
		}
	}
}

// MatrixBound is at most 2^-Bits ||x|| sum |a_ij| for rows of fewer than 2^18 nonzeros.
func TestMatrixBound(t *testing.T) {
	one := big.NewFloat(1)
	for _, bits := range precisions {
		if b := MatrixBound(bits, 1<<18-1, one, one, one); b.Cmp(exact().SetMantExp(one, -bits)) > 0 {
			t.Errorf("%d bits: %v", bits, b)
		}
	}
}

// Any number of threads and any set of kernels give the same bits.
func TestThreads(t *testing.T) {
	const bits, rows, cols = 300, 150, 90
	type results struct {
		y, z *Vec
		s    *big.Float
		r    []float64
		e    int
		w    *Vec
	}
	run := func(pool *parallel.Pool) (v results) {
		rng := rand.New(rand.NewPCG(29, 30))
		d, _ := randomDense(rng, pool, rows, cols, bits)
		x, u := randomVec(rng, cols, bits, 20), randomVec(rng, rows, bits, 20)
		v.y, v.z, v.w, v.r = New(rows, bits), New(cols, bits), New(rows, bits), make([]float64, rows)
		d.MulVec(v.y, x)
		d.MulVecT(v.z, u)
		v.s = Dot(pool, x, v.z)
		a, b := NewMatrix(pool, randomCSR(rng, rows, cols, 1)), make([]float64, rows)
		a.MulVec(v.w, x)
		v.w.Float64s(b)
		v.e = a.Residual(v.r, x, b)
		v.w.Axpy(pool, v.s, v.y)
		v.y.Scale(pool, v.s)
		return v
	}
	want, counts := run(nil), []int{1, 2, 3, 8}
	if testing.Short() {
		counts = []int{3}
	}
	for _, threads := range counts {
		pool := parallel.New(threads)
		got := run(pool)
		pool.Close()
		for name, pair := range map[string][2]*Vec{"A x": {got.y, want.y}, "A^T x": {got.z, want.z}, "sparse": {got.w, want.w}} {
			for i := range pair[0].Len() {
				if pair[0].At(i).Cmp(pair[1].At(i)) != 0 {
					t.Fatalf("%d threads, %s: element %d is %v, not %v", threads, name, i, pair[0].At(i), pair[1].At(i))
				}
			}
		}
		if got.s.Cmp(want.s) != 0 || got.e != want.e {
			t.Errorf("%d threads: inner product %v, exponent %d", threads, got.s, got.e)
		}
		for i := range got.r {
			if got.r[i] != want.r[i] {
				t.Errorf("%d threads: residual %d", threads, i)
			}
		}
	}
}
