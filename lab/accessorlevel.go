package lab

import (
	"fmt"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// level is a problem stored as S, with arithmetic in A.
type level[S, A kernels.Value] struct {
	a, x, y []S // matrix or first vector, vector, result
	ell     kernels.ELL[S]
	dot     func(x, y []S) A
	partial []A // of TRSV and DOT
}

// The parts do not depend on the number of threads; therefore results do not either.
const (
	blockOfRows     = 128
	blockOfProducts = 1 << 15
	rowsOfPart      = 8 // of a block, for TRSV
	rowsOfELL       = 1 << 12
)

// blocks returns the number of blocks of n elements.
func blocks(n, block int) int { return (n + block - 1) / block }

func (l *level[S, A]) run(p *Problem) {
	switch p.Kernel {
	case GEMV:
		l.gemv(p.N, p.pool)
	case DOT:
		l.dotProduct(p.N, p.pool)
	case TRSV:
		l.trsv(p.N, p.pool)
	case ELL:
		l.spmv(p.N, p.pool)
	}
}

func (l *level[S, A]) result(n int) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(l.y[i])
	}
	return y
}

func (l *level[S, A]) gemv(n int, pool *parallel.Pool) {
	pool.Each(blocks(n, blockOfRows), func(k int) {
		for i := k * blockOfRows; i < min((k+1)*blockOfRows, n); i++ {
			l.y[i] = S(l.dot(l.a[i*n:(i+1)*n], l.x))
		}
	})
}

func (l *level[S, A]) dotProduct(n int, pool *parallel.Pool) {
	l.partial = resized(l.partial, blocks(n, blockOfProducts))
	pool.Each(len(l.partial), func(k int) {
		lo, hi := k*blockOfProducts, min((k+1)*blockOfProducts, n)
		l.partial[k] = l.dot(l.a[lo:hi], l.x[lo:hi])
	})
	var sum A
	for _, s := range l.partial {
		sum += s
	}
	l.y[0] = S(sum)
}

// trsv is forward substitution by blocks of rows: all threads subtract the columns to the left of the block, then the
// triangle of the block is solved.
func (l *level[S, A]) trsv(n int, pool *parallel.Pool) {
	l.partial = resized(l.partial, blockOfRows)
	for r := 0; r < n; r += blockOfRows {
		end := min(r+blockOfRows, n)
		pool.Each(blocks(end-r, rowsOfPart), func(k int) {
			for i := r + k*rowsOfPart; i < min(r+(k+1)*rowsOfPart, end); i++ {
				l.partial[i-r] = l.dot(l.a[i*n:i*n+r], l.y[:r])
			}
		})
		for i := r; i < end; i++ {
			row := l.a[i*n : i*n+i+1]
			rest := A(l.x[i]) - l.partial[i-r] - l.dot(row[r:i], l.y[r:i])
			l.y[i] = S(rest / A(row[i]))
		}
	}
}

func (l *level[S, A]) spmv(rows int, pool *parallel.Pool) {
	pool.Each(blocks(rows, rowsOfELL), func(k int) {
		kernels.ELLMulVec[S, A](kernels.Default(), l.y, k*rowsOfELL, min((k+1)*rowsOfELL, rows), l.ell, l.x)
	})
}

func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// exact returns the result for the FP64 data in double-double arithmetic.
func (p *Problem) exact() []dd.DD {
	n, a, x := p.N, p.a, p.x
	y := make([]dd.DD, n)
	switch p.Kernel {
	case DOT:
		y[0] = exactDot(a, x)
	case TRSV:
		for i := range n {
			s := dd.From(x[i])
			for j, v := range a[i*n : i*n+i] {
				s = s.Sub(y[j].Mul(dd.From(v)))
			}
			y[i] = s.Div(dd.From(a[i*n+i]))
		}
	default:
		p.pool.Each(blocks(n, blockOfRows), func(k int) {
			for i := k * blockOfRows; i < min((k+1)*blockOfRows, n); i++ {
				y[i] = p.exactRow(i)
			}
		})
	}
	return y
}

// exactRow returns element i of a product with a matrix.
func (p *Problem) exactRow(i int) (s dd.DD) {
	if p.Kernel == GEMV {
		return exactDot(p.a[i*p.N:(i+1)*p.N], p.x)
	}
	cols, vals := p.sparse.Row(i)
	for k, j := range cols {
		s = s.AddProd(vals[k], p.x[j])
	}
	return s
}

func exactDot(x, y []float64) (s dd.DD) {
	for i, v := range x {
		s = s.AddProd(v, y[i])
	}
	return s
}

// blockOfNumbers is the number of random numbers that one generator yields.
const blockOfNumbers = 1 << 16

// randomise fills x with random numbers; each block has its own generator.
func randomise(x []float64, dist Distribution, seed, stream uint64, pool *parallel.Pool) error {
	if dist != Uniform && dist != Normal {
		return fmt.Errorf("%s is not one of %s, %s", dist, Uniform, Normal)
	}
	pool.Each(blocks(len(x), blockOfNumbers), func(k int) {
		rng := rand.New(rand.NewPCG(seed, stream<<32+uint64(k)))
		for i := k * blockOfNumbers; i < min((k+1)*blockOfNumbers, len(x)); i++ {
			if dist == Uniform {
				x[i] = 2*rng.Float64() - 1
			} else {
				x[i] = rng.NormFloat64()
			}
		}
	})
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
