package ranks

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// Right-hand sides have the same bits for any number of ranks and domains (Concurrent).
func TestConcurrentRightHandSides(t *testing.T) {
	laplacian, err := generate.Generate("poisson2d", generate.Params{"n": 23}) // A·ones is no noise
	if err != nil {
		t.Fatal(err)
	}
	constant := noise(300)
	if _, ones := generate.DefaultRHS(constant); ones {
		t.Fatal("the sums of rows are no noise")
	}
	for _, m := range []*csr.Matrix{laplacian, constant} {
		want, wantOnes := generate.DefaultRHS(m)
		random := generate.RandomRHS(m, 7)
		for _, domains := range []int{1, 2, 3, 8} {
			for _, ranks := range []int{1, 2, 3, 5} {
				t.Run(fmt.Sprintf("%d rows, %d domains, %d ranks", m.Rows, domains, ranks), func(t *testing.T) {
					dist.Run(ranks, func(c dist.Comm) {
						a, err := dist.Spread(c, m, domains)
						if err != nil {
							t.Error(err)
							return
						}
						first := 0
						if len(a.Parts) > 0 {
							first = int(a.Parts[0].Row)
						}
						b, ones := DefaultRHS(a)
						if ones != wantOnes || !slices.Equal(b, want[first:first+a.Own]) {
							t.Errorf("rank %d: the default right-hand side differs (%v, want %v)", c.Rank(), ones, wantOnes)
						}
						if b := RandomRHS(a, 7); !slices.Equal(b, random[first:first+a.Own]) {
							t.Errorf("rank %d: the random right-hand side differs", c.Rank())
						}
					})
				})
			}
		}
	}
}

// noise is a matrix whose rows sum to zero up to rounding.
func noise(n int) *csr.Matrix {
	m := &csr.Matrix{Rows: n, Cols: n, RowPtr: make([]int64, n+1)}
	for i := range n {
		for _, j := range []int{i, (i + 1) % n, (i + 7) % n} {
			m.Col = append(m.Col, int32(j))
		}
		slices.Sort(m.Col[len(m.Col)-3:])
		m.Val = append(m.Val, 0.1, 0.2, -0.30000000000000004)
		m.RowPtr[i+1] = int64(len(m.Col))
	}
	return m
}
