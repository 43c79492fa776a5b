package mp

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// published are the precisions of the tables of MPRES.
var published = []int{106, 212, 424, 848, 1696}

// BenchmarkMulVec multiplies by a dense matrix of order 1000; table 5 of MPRES gives 1.2 to 24.6 ms on a GPU.
// ns/muladd is the time per element, to be compared with BenchmarkBig.
func BenchmarkMulVec(b *testing.B) { benchmarkDense(b, (*Dense).MulVec) }

func BenchmarkMulVecT(b *testing.B) { benchmarkDense(b, (*Dense).MulVecT) }

func benchmarkDense(b *testing.B, call func(a *Dense, y, x *Vec)) {
	const n = 1000
	rng := rand.New(rand.NewPCG(1, 1))
	for _, bits := range published {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("bits=%d/threads=%d", bits, threads), func(b *testing.B) {
				pool := parallel.New(threads)
				defer pool.Close()
				a, x, y := NewDense(pool, n, n, bits), randomVec(rng, n, bits, 2), New(n, bits)
				for i := range n {
					a.SetRow(i, x)
				}
				b.ReportAllocs()
				for b.Loop() {
					call(a, y, x)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n/n, "ns/muladd")
			})
		}
	}
}

// BenchmarkBig is the multiply-add of math/big, as used for inner products.
func BenchmarkBig(b *testing.B) {
	const n = 1000
	rng := rand.New(rand.NewPCG(1, 1))
	for _, bits := range published {
		b.Run(fmt.Sprintf("bits=%d", bits), func(b *testing.B) {
			x, y := elements(randomVec(rng, n, bits, 2)), elements(randomVec(rng, n, bits, 2))
			s, t := new(big.Float).SetPrec(uint(bits)), new(big.Float).SetPrec(uint(bits))
			for b.Loop() {
				for i := range x {
					s.Add(s, t.Mul(x[i], y[i]))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/muladd")
		})
	}
}

// BenchmarkMatrix multiplies a band matrix of 7 diagonals by a vector of mp, including the conversion of the vector.
func BenchmarkMatrix(b *testing.B) {
	const n = 10000
	rng := rand.New(rand.NewPCG(1, 1))
	m := testsupport.SevenDiagonals(rng, n)
	for _, bits := range published {
		x, y, r, f := randomVec(rng, n, bits, 2), New(n, bits), make([]float64, n), make([]float64, n)
		eachPool(b, bits, m.NNZ(), "nonzero", map[string]func(pool *parallel.Pool) func(){
			"product":  func(pool *parallel.Pool) func() { a := NewMatrix(pool, m); return func() { a.MulVec(y, x) } },
			"residual": func(pool *parallel.Pool) func() { a := NewMatrix(pool, m); return func() { a.Residual(r, x, f) } },
		})
	}
}

// eachPool measures calls on one and two threads. Each handles n elements.
func eachPool(b *testing.B, bits, n int, element string, calls map[string]func(pool *parallel.Pool) func()) {
	for _, threads := range []int{1, 2} {
		pool := parallel.New(threads)
		defer pool.Close()
		for name, prepare := range calls {
			b.Run(fmt.Sprintf("%s/bits=%d/threads=%d", name, bits, threads), func(b *testing.B) {
				call := prepare(pool)
				for b.Loop() {
					call()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/"+element)
			})
		}
	}
}

// BenchmarkVectors uses vectors of 10000 elements.
func BenchmarkVectors(b *testing.B) {
	const n = 10000
	rng := rand.New(rand.NewPCG(1, 1))
	for _, bits := range published {
		x, y, a := randomVec(rng, n, bits, 2), randomVec(rng, n, bits, 2), random(rng, bits, 0)
		eachPool(b, bits, n, "element", map[string]func(pool *parallel.Pool) func(){
			"dot":   func(pool *parallel.Pool) func() { return func() { Dot(pool, x, y) } },
			"axpy":  func(pool *parallel.Pool) func() { return func() { y.Axpy(pool, a.Neg(a), x) } }, // or y would become a multiple of x
			"scale": func(pool *parallel.Pool) func() { return func() { y.Scale(pool, a) } },
		})
	}
}

// BenchmarkLU factors a dense matrix of order 300 on two threads, and solves with the factors.
func BenchmarkLU(b *testing.B) {
	const n = 300
	m := randomMatrix(rand.New(rand.NewPCG(1, 1)), n, 1)
	pool := parallel.New(2)
	defer pool.Close()
	for _, bits := range published {
		var f *LU
		b.Run(fmt.Sprintf("factor/bits=%d", bits), func(b *testing.B) {
			for b.Loop() {
				var err error
				if f, err = FactorLU(b.Context(), pool, bits, csr.NoScaling(m), func(int) {}, m); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(3*float64(b.Elapsed().Nanoseconds())/float64(b.N)/n/n/n, "ns/muladd")
		})
		b.Run(fmt.Sprintf("solve/bits=%d", bits), func(b *testing.B) {
			r := randomVec(rand.New(rand.NewPCG(2, 2)), n, bits, 2)
			for b.Loop() {
				f.Solve(r)
			}
		})
	}
}
