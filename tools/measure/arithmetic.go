package main

import (
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// arithmeticMain measures the long arithmetic of internal/mp on one and two threads beside math/big on one:
//
//	arithmetic [-page file]
//
// Sparse products have a matrix of float64 with 7 diagonals and 10,000 rows, vectors 10,000 elements, dense products 1000 x 1000
// elements. The least time of many runs counts. -page writes the table.
func arithmeticMain() {
	page := flag.String("page", "", "`file` whose table is replaced; empty: none")
	flag.Parse()
	table := arithmeticTable()
	fmt.Print(table)
	if *page != "" {
		if err := records.ReplaceSection(*page, "<!-- measured: make mp-table -->", "<!-- end of measured, arithmetic -->", table); err != nil {
			fmt.Fprintln(os.Stderr, "arithmetic:", err)
			os.Exit(1)
		}
	}
}

func arithmeticTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, kernels %s; on one thread / two threads.\n\n", host.Processor(), kernels.Default())
	b.WriteString("| bits | sparse product, ns a nonzero | dot, ns an element | × math/big | axpy, ns an element | × math/big | 1000×1000 · vector, ms |\n|---:|---:|---:|---:|---:|---:|---:|\n")
	const n, order = 10000, 1000
	rng := rand.New(rand.NewPCG(1, 1))
	m := testsupport.SevenDiagonals(rng, n)
	for _, bits := range []int{106, 212, 424, 848, 1696} {
		x, y, z := normalVec(rng, n, bits), normalVec(rng, n, bits), mp.New(n, bits)
		short := normalVec(rng, order, bits)
		factor, short2 := x.At(0), mp.New(order, bits)
		var sparse, dot, axpy, dense [2]float64
		for k := range 2 {
			pool := parallel.New(k + 1)
			a, d := mp.NewMatrix(pool, m), mp.NewDense(pool, order, order, bits)
			for i := range order {
				d.SetRow(i, short)
			}
			sparse[k] = leastTime(func() { a.MulVec(z, x) }) / float64(m.NNZ())
			dot[k] = leastTime(func() { mp.Dot(pool, x, y) }) / n
			axpy[k] = leastTime(func() { y.Axpy(pool, factor.Neg(factor), x) }) / n // or y would become a multiple of x
			dense[k] = leastTime(func() { d.MulVec(short2, short) }) / 1e6
			pool.Close()
		}
		bigDot, bigAxpy := timeBig(x, y, factor)
		fmt.Fprintf(&b, "| %d | %.2f / %.2f | %.2f / %.2f | %.0f / %.0f | %.2f / %.2f | %.0f / %.0f | %.2f / %.2f |\n", bits,
			sparse[0], sparse[1], dot[0], dot[1], bigDot/dot[0], bigDot/dot[1], axpy[0], axpy[1], bigAxpy/axpy[0], bigAxpy/axpy[1], dense[0], dense[1])
		runtime.GC()
	}
	return b.String() + "\n"
}

// leastTime returns the least time of calls in nanoseconds, of at least 20 and for at least 0.2 s.
func leastTime(call func()) float64 {
	least := time.Duration(1<<63 - 1)
	for k, start := 0, time.Now(); k < 20 || time.Since(start) < 200*time.Millisecond; k++ {
		began := time.Now()
		call()
		least = min(least, time.Since(began))
	}
	return float64(least.Nanoseconds())
}

// timeBig returns the times of an element of an inner product and of an update by math/big, in nanoseconds.
func timeBig(x, y *mp.Vec, factor *big.Float) (dot, axpy float64) {
	n := x.Len()
	xs, ys := make([]*big.Float, n), make([]*big.Float, n)
	for i := range n {
		xs[i], ys[i] = x.At(i), y.At(i)
	}
	sum, product := new(big.Float).SetPrec(uint(x.Bits())), new(big.Float).SetPrec(uint(x.Bits()))
	dot = leastTime(func() {
		for i, v := range xs {
			sum.Add(sum, product.Mul(v, ys[i]))
		}
	})
	axpy = leastTime(func() {
		factor.Neg(factor)
		for i, v := range xs {
			ys[i].Add(ys[i], product.Mul(factor, v))
		}
	})
	return dot / float64(n), axpy / float64(n)
}

// normalVec returns a vector of sums of normal numbers in which all bits are used.
func normalVec(rng *rand.Rand, n, bits int) *mp.Vec {
	v := mp.New(n, bits)
	part := new(big.Float).SetPrec(uint(bits))
	for i := range n {
		sum := new(big.Float).SetPrec(uint(bits))
		for e := 0; e < bits; e += 52 {
			sum.Add(sum, part.SetMantExp(big.NewFloat(rng.NormFloat64()), -e))
		}
		v.Set(i, sum)
	}
	return v
}
