package kernels

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// All sets give the bits of single fused multiply-adds, one after the other, and change nothing else.
func TestMulSub(t *testing.T) {
	t.Run("float64", testMulSubs[float64])
	t.Run("float32", testMulSubs[float32])
}

func testMulSubs[T Value](t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	a := &arena{t: t}
	for _, m := range []int{1, 2, 7, 8, 9, 17} {
		if testing.Short() && m%8 > 1 { // in emulation
			continue
		}
		for _, n := range []int{1, 3, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 48, 49, 63, 70, 97} {
			for _, k := range []int{1, 2, 5, 33} {
				for _, more := range []int{0, 3} {
					testMulSub[T](t, rng, a, m, n, k, more)
				}
			}
		}
	}
	d := DenseOf[T](Default())
	d.MulSub(Dense[T]{}, Dense[T]{}, Dense[T]{}, 0, 0, 0)
}

func testMulSub[T Value](t *testing.T, rng *rand.Rand, ar *arena, m, n, k, more int) {
	t.Helper()
	random := func(rows, columns int) Dense[T] {
		return Dense[T]{normal[T](rng, (rows-1)*(columns+more)+columns), columns + more}
	}
	c, a, b := random(m, n), random(m, k), random(k, n)
	want := append([]T{}, c.Val...)
	for i := range m {
		for j := range n {
			v := &want[i*c.Stride+j]
			for p := range k {
				*v = fused(-a.Val[i*a.Stride+p], b.Val[p*b.Stride+j], *v)
			}
		}
	}
	everywhere(ar, fmt.Sprintf("%d x %d product of %d, %d more", m, n, k, more), nil, func(s *Set) []float64 {
		got, d := Dense[T]{put(ar, c.Val), c.Stride}, DenseOf[T](s)
		d.MulSub(got, Dense[T]{put(ar, a.Val), a.Stride}, Dense[T]{put(ar, b.Val), b.Stride}, m, n, k)
		for i, v := range got.Val {
			if v != want[i] {
				t.Fatalf("%d x %d product of %d, %d more, on %s: number %d is %v, want %v", m, n, k, more, s, i, v, want[i])
			}
		}
		return wide(got.Val)
	})
}

// Products with a few rows have the bits of inner products, and of adding one row after the other.
func TestMulVec(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	a := &arena{t: t}
	for m := 1; m <= 4; m++ {
		for _, n := range []int{0, 1, 7, 15, 16, 17, 32, 50, 100} {
			testMulVec[float64](t, rng, a, m, n, 3)
			testMulVec[float32](t, rng, a, m, n, 0)
		}
	}
}

func testMulVec[T Value](t *testing.T, rng *rand.Rand, ar *arena, m, n, more int) {
	t.Helper()
	rows := Dense[T]{normal[T](rng, (m-1)*(n+more)+n), n + more}
	x, y, factors := normal[float64](rng, n), normal[float64](rng, n), normal[float64](rng, 4)
	everywhere(ar, fmt.Sprintf("%d rows of %d, %d more", m, n, more), nil, func(s *Set) []float64 {
		a, d := Dense[T]{put(ar, rows.Val), rows.Stride}, DenseOf[T](s)
		products, sums := new([4]float64), put(ar, y)
		d.MulVec(products, a, m, put(ar, x))
		d.AddMulVecT(sums, a, m, (*[4]float64)(factors))
		want := append([]float64{}, y...)
		for r := range m {
			row := a.Row(r, 0, n)
			if p := d.dot(row, x); products[r] != p {
				t.Fatalf("%s: product %d of %d rows of %d is %v, want %v", s, r, m, n, products[r], p)
			}
			d.axpy(factors[r], row, want)
		}
		for i, v := range sums {
			if v != want[i] {
				t.Fatalf("%s: sum %d of %d rows of %d is %v, want %v", s, i, m, n, v, want[i])
			}
		}
		return append(products[:m], sums...)
	})
}

// fused returns a b + c rounded once.
func fused[T Value](a, b, c T) T {
	if _, single := any(c).(float32); !single {
		return T(math.FMA(float64(a), float64(b), float64(c)))
	}
	product := new(big.Float).SetFloat64(float64(a) * float64(b)) // exact
	sum, _ := product.SetPrec(400).Add(product, big.NewFloat(float64(c))).Float32()
	return T(sum)
}

func BenchmarkMulSub(b *testing.B) {
	b.Run("float64", benchmarkMulSub[float64])
	b.Run("float32", benchmarkMulSub[float32])
}

func benchmarkMulSub[T Value](b *testing.B) {
	d := DenseOf[T](Default())
	for _, size := range [][3]int{{8, 24, 8}, {30, 30, 10}, {100, 100, 30}, {300, 300, 64}, {48, 2000, 100}, {48, 2000, 1000}, {2000, 2000, 1000}} {
		m, n, k := size[0], size[1], size[2]
		c, x, y := Dense[T]{make([]T, m*n), n}, Dense[T]{make([]T, m*k), k}, Dense[T]{make([]T, k*n), n}
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				d.MulSub(c, x, y, m, n, k)
			}
			b.ReportMetric(2e-9*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds(), "Gflop/s")
		})
	}
}
