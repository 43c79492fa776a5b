package precond

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

func TestBlockBounds(t *testing.T) {
	dense := func(sizes ...int) *csr.Matrix { // blocks on the diagonal
		n := 0
		for _, s := range sizes {
			n += s
		}
		rows, lo := make([][]float64, n), 0
		for _, s := range sizes {
			for i := lo; i < lo+s; i++ {
				rows[i] = make([]float64, n)
				for j := lo; j < lo+s; j++ {
					rows[i][j] = 1
				}
			}
			lo += s
		}
		return fromRows(t, rows)
	}
	for _, c := range []struct {
		m    *csr.Matrix
		size int
		want []int32
	}{
		{&csr.Matrix{}, 4, []int32{0}},
		{dense(3, 3, 3, 3), 3, []int32{0, 3, 6, 9, 12}},
		{dense(3, 3, 3, 3), 8, []int32{0, 6, 12}},
		{dense(2, 3, 1, 4), 5, []int32{0, 5, 10}},
		{dense(7, 2), 3, []int32{0, 3, 6, 9}},
		{dense(1, 1, 1), 1, []int32{0, 1, 2, 3}},
	} {
		if got := blockBounds(c.m, c.size); !slices.Equal(got, c.want) {
			t.Errorf("%d rows, blocks of %d: %v, want %v", c.m.Rows, c.size, got, c.want)
		}
	}
}

// Blocks of any size are inverted as they should, for matrices of any symmetry.
func TestBlockJacobiInverts(t *testing.T) {
	m := generated(t, "convdiff2d", generate.Params{"n": 12})
	for size := 1; size <= maxBlockSize; size++ {
		for _, c := range []struct{ epsilon, tol float64 }{{0, 3 * blockError}, {adaptive.MinEpsilon, 0x1p-40}} {
			p := mustNew(t, BlockJacobi, m, Options{BlockSize: size, Epsilon: c.epsilon}, nil).(*blockJacobi)
			x, blockX, b := random(m.Rows, 3), make(vector, m.Rows), make(vector, m.Rows)
			for k := range len(p.first) - 1 { // b = diag(blocks) x
				for i := p.first[k]; i < p.first[k+1]; i++ {
					for j := p.first[k]; j < p.first[k+1]; j++ {
						b[i] += m.At(int(i), int(j)) * x[j]
					}
				}
			}
			p.Apply(blockX, b)
			closeTo(t, p.String(), blockX, x, c.tol)
		}
	}
	if _, err := New(context.Background(), BlockJacobi, m, Options{BlockSize: maxBlockSize + 1}, nil); err == nil {
		t.Error("takes blocks that are too large")
	}
}

// Ill-conditioned blocks are stored in more bytes than good ones.
func TestBlockPrecisions(t *testing.T) {
	rows := make([][]float64, 12)
	for b, off := range []float64{0, 0.99, 1 - 0x1p-17, 1 - 0x1p-27, 1 - 0x1p-36, 1 - 0x1p-50} {
		for i := range 2 {
			rows[2*b+i] = make([]float64, 12)
			rows[2*b+i][2*b], rows[2*b+i][2*b+1] = off, off
			rows[2*b+i][2*b+i] = 1
		}
	}
	m := fromRows(t, rows)
	p := mustNew(t, BlockJacobi, m, Options{Symmetric: true, BlockSize: 2}, nil).(*blockJacobi)
	if want := []uint8{2, 2, 4, 5, 6, 8}; !slices.Equal(p.bytes, want) {
		t.Errorf("bytes %v, want %v", p.bytes, want)
	}
	x := make(vector, 12)
	p.Apply(x, slices.Repeat(vector{1, 1}, 6))
	for k, v := range x {
		off := m.At(k, k^1)
		if want := 1 / (1 + off); math.Abs(v-want) > blockError*want {
			t.Errorf("block %d: %g, want %g", k/2, v, want)
		}
	}
}
