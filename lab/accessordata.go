package lab

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// blockOfNumbers is the number of random numbers that one generator yields.
const blockOfNumbers = 1 << 16

// randomise fills x with random numbers; each block has its own generator.
func randomise(x []float64, dist Distribution, seed, stream uint64, pool *parallel.Pool) error {
	if dist != Uniform && dist != Normal {
		return fmt.Errorf("%s is not one of %s, %s", dist, Uniform, Normal)
	}
	pool.Run(blocks(len(x), blockOfNumbers), parallel.Func(func(k int) {
		rng := rand.New(rand.NewPCG(seed, stream<<32+uint64(k)))
		for i := k * blockOfNumbers; i < min((k+1)*blockOfNumbers, len(x)); i++ {
			if dist == Uniform {
				x[i] = 2*rng.Float64() - 1
			} else {
				x[i] = rng.NormFloat64()
			}
		}
	}))
	return nil
}

// lowerTriangle replaces the random n x n matrix a by a unit lower triangular one.
func lowerTriangle(a []float64, n int) {
	if n <= MaxLU {
		lapack64.Getrf(blas64.General{Rows: n, Cols: n, Stride: n, Data: a}, make([]int, n))
	}
	for i := range n {
		row := a[i*n : (i+1)*n]
		if n > MaxLU {
			kernels.Default().Scale(1/float64(n), row[:i])
		}
		row[i] = 1
		clear(row[i+1:])
	}
}

// toELL stores m in ELL; zeros in the last column of a row pad the row.
func toELL(m *csr.Matrix) kernels.ELL[float64] {
	e := kernels.ELL[float64]{Width: m.LongestRow(), Stride: m.Rows}
	e.Col, e.Val = make([]int32, e.Width*e.Stride), make([]float64, e.Width*e.Stride)
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k := range e.Width {
			at := k*e.Stride + i
			switch {
			case k < len(cols):
				e.Col[at], e.Val[at] = cols[k], vals[k]
			case len(cols) > 0:
				e.Col[at] = cols[len(cols)-1]
			}
		}
	}
	return e
}

func toFloat32(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}
