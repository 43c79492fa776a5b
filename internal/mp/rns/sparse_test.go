package rns

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Products of both kinds satisfy their bounds, with rows of zero, one and many nonzeros, whose sums are 2^-200 of
// their terms.
func TestSparseOnThreads(t *testing.T) {
	const cols = 700
	rng := rand.New(rand.NewPCG(3, 4))
	m := &csr.Matrix{Cols: cols, RowPtr: make([]int64, 1)}
	for i := range 70 {
		length := []int{0, 1, 9, 600}[min(i%5, 3)]
		if length == 600 && i > 20 {
			length = 3
		}
		start := len(m.Val)
		for j := range length {
			m.Col = append(m.Col, int32(j))
			m.Val = append(m.Val, math.Ldexp(rng.Float64()-0.5, rng.IntN(20)))
			if j%2 == 1 {
				m.Val[start+j] = m.Val[start+j-1]
			}
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
		m.Rows++
	}
	for _, bits := range []int{106, 424} {
		x := make([]big.Float, cols)
		for j := range x {
			x[j].Set(randomFloat(rng, bits, 3))
			if j%2 == 1 {
				x[j].Neg(&x[j-1])
			}
		}
		b, err := BaseFor(bits)
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 3} {
			pool := parallel.New(threads)
			a, err := NewSparse(m, bits, pool)
			if err != nil {
				t.Fatal(err)
			}
			y := make([]big.Float, m.Rows)
			a.MulVec(y, x, pool)

			xa, ya := b.NewArray(cols), b.NewArray(m.Rows)
			for j := range x {
				xa.Set(j, &x[j])
			}
			b.NewCSR(m, pool).MulVec(ya, xa, pool)
			pool.Close()

			for i := range y {
				index, vals := m.Row(i)
				row, part := make([]big.Float, len(vals)), make([]big.Float, len(vals))
				for k, j := range index {
					row[k].SetFloat64(vals[k])
					part[k].Set(&x[j])
				}
				want, size := dot(row, part)
				d := new(big.Float).Sub(want, &y[i])
				if bound := FixedBound(bits, len(row), largest(row), largest(x)); d.Abs(d).Cmp(bound) > 0 {
					t.Errorf("%d bits, row %d: %v, want %v", bits, i, &y[i], want)
				}
				d.Sub(want, ya.At(i))
				if bound := b.GEMVBound(len(row), size); d.Abs(d).Cmp(bound) > 0 {
					t.Errorf("%d bits, row %d: %v, want %v", bits, i, ya.At(i), want)
				}
			}
		}
	}
}
