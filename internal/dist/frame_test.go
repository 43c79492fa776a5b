package dist

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// oblong is a matrix with a few nonzeros a row, all over its columns.
func oblong(t *testing.T, rows, cols int) *csr.Matrix {
	t.Helper()
	b, err := csr.NewBuilder(rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	v := random(3, 3*rows)
	for k, e := range v {
		if i := k % rows; i != rows-2 { // a row without nonzeros
			b.Add(i, (k*k*5+k)%cols, e+2)
		}
	}
	return b.Build()
}

// A matrix that is not square has the products and the facts of the whole, whatever its shape: also with fewer columns than domains. The bits of the product with
// the transpose do not depend on the number of ranks.
func TestFrameConcurrent(t *testing.T) {
	for _, shape := range [][2]int{{60, 25}, {25, 60}, {40, 1}, {7, 300}, {41, 40}, {40, 41}} {
		m := oblong(t, shape[0], shape[1])
		x, y := random(1, m.Cols), random(2, m.Rows)
		ax, ay := make([]float64, m.Rows), make([]float64, m.Cols)
		m.MulVec(ax, x)
		m.Transpose(nil).MulVec(ay, y)
		facts := csr.Examine(m, nil)
		facts.DiagonalPositive, facts.DiagonalNegative, facts.DiagonalZero = 0, 0, 0
		for _, domains := range []int{1, 2, 3, 7} {
			var first []float64
			for _, ranks := range []int{1, 2, 3, 5} {
				where := fmt.Sprintf("%v, %d domains, %d ranks", shape, domains, ranks)
				var mu sync.Mutex
				product, transposed := make([][]float64, ranks), make([][]float64, ranks)
				Run(ranks, func(c Comm) {
					a, err := Spread(c, m, domains)
					if err != nil {
						t.Error(err)
						return
					}
					rows, cols := a.Sides()
					if a.N != int64(max(m.Rows, m.Cols)) || a.NNZ != int64(m.NNZ()) || rows.Rows() != int64(m.Rows) || cols.Rows() != int64(m.Cols) {
						t.Errorf("%s: %d rows of %v, %v", where, a.N, rows, cols)
					}
					if got := Examine(a, nil); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", facts) {
						t.Errorf("%s: %+v, want %+v", where, got, facts)
					}
					pool := parallel.New(1)
					defer pool.Close()
					op := NewCSR(a, a.Local, pool)
					src, dst := make([]float64, a.Len), make([]float64, a.Len)
					a.SpreadOver(cols, src, Scatter(c, cols, x))
					op.Apply(dst, src)
					ofRows := a.JoinOver(rows, dst)
					clear(src)
					a.SpreadOver(rows, src, Scatter(c, rows, y))
					op.ApplyT(dst, src)
					mu.Lock()
					defer mu.Unlock()
					product[c.Rank()], transposed[c.Rank()] = ofRows, a.JoinOver(cols, dst)
				})
				if got := slices.Concat(product...); !slices.Equal(got, ax) {
					t.Errorf("%s: A x = %v, want %v", where, got, ax)
				}
				got := slices.Concat(transposed...)
				if first == nil {
					first = got
				}
				if !slices.Equal(got, first) || !slices.EqualFunc(got, ay, func(a, b float64) bool { return math.Abs(a-b) <= 1e-13*(1+math.Abs(b)) }) {
					t.Errorf("%s: A'y = %v, on one rank %v, want %v", where, got, first, ay)
				}
			}
		}
	}
}
