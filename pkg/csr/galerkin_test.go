package csr

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// allowAll lets Galerkin do anything.
func allowAll(int64, int, func() int64) error { return nil }

// Galerkin is P^T A P entry by entry, with the same bits for any number of threads; it tells the work
// and the nonzeros of both products.
func TestGalerkinThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, shape := range []struct {
		rows, cols int
		share      float64
	}{
		{1, 1, 1}, {30, 9, 0.2}, {40, 12, 0.05}, {25, 60, 0.3}, {10, 3, 0}, {0, 0, 0}, {9000, 300, 0.0005},
	} {
		n := shape.rows
		share := min(1, 4/float64(max(n, 1))+shape.share)
		var a *Matrix
		if n > 1000 { // several pieces
			a = random(t, rng, n, n, func(i int) int { return i % 5 })
		} else {
			a = fromDense(t, randomDense(rng, n, n, share, 8))
		}
		a.Cols = n
		p := random(t, rng, n, shape.cols, func(i int) int { return min(shape.cols, i%3) })
		p.Cols = shape.cols
		r := p.Transpose(nil)
		for name, blocks := range map[string]Blocks{"single": EqualBlocks(shape.cols, 1), "uneven": unevenBlocks(rng, shape.cols)} {
			name = fmt.Sprintf("%v, %s", shape, name)
			ap, err := Multiply(a, p, blocks, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, err := Multiply(r, ap, blocks, nil)
			if err != nil {
				t.Fatal(err)
			}
			var first *Matrix
			for _, threads := range []int{1, 2, 3} {
				pool := parallel.New(threads)
				var told []string
				got, err := Galerkin(r, a, p, blocks, pool, func(multiplications int64, rows int, count func() int64) error {
					told = append(told, fmt.Sprint(multiplications, rows, count()))
					return nil
				})
				pool.Close()
				if err != nil {
					t.Fatal(err)
				}
				if err := got.Validate(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				expected := []string{
					fmt.Sprint(Multiplications(a, p, nil), n, ap.NNZ()),
					fmt.Sprint(Multiplications(r, ap, nil), shape.cols, want.NNZ()),
				}
				if fmt.Sprint(told) != fmt.Sprint(expected) {
					t.Errorf("%s: told %v, want %v", name, told, expected)
				}
				if first == nil {
					first = got
				}
				if !sameBits(got, first) {
					t.Errorf("%s: other bits with %d threads", name, threads)
				}
				closeMatrices(t, name, got, want)
			}
		}
	}
}

// closeMatrices checks that got has the pattern of want and its values but for rounding.
func closeMatrices(t *testing.T, name string, got, want *Matrix) {
	t.Helper()
	if got.Rows != want.Rows || got.Cols != want.Cols || got.NNZ() != want.NNZ() {
		t.Fatalf("%s: %d x %d with %d nonzeros, want %d x %d with %d", name, got.Rows, got.Cols, got.NNZ(), want.Rows, want.Cols, want.NNZ())
	}
	for k, v := range want.Val {
		if got.Col[k] != want.Col[k] || !(math.Abs(got.Val[k]-v) <= 1e-12*(1+math.Abs(v))) {
			t.Fatalf("%s: entry %d is %g in column %d, want %g in %d", name, k, got.Val[k], got.Col[k], v, want.Col[k])
		}
	}
}

func TestGalerkinErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	a, p := fromDense(t, randomDense(rng, 6, 6, 1, 3)), fromDense(t, randomDense(rng, 6, 2, 1, 3))
	blocks, r := EqualBlocks(2, 1), p.Transpose(nil)
	for name, c := range map[string]struct {
		r, a, p *Matrix
		blocks  Blocks
	}{
		"not the transpose": {p, a, p, blocks},
		"shapes":            {r, p, a, blocks},
		"blocks":            {r, a, p, EqualBlocks(4, 2)},
	} {
		if _, err := Galerkin(c.r, c.a, c.p, c.blocks, nil, allowAll); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for stop := range 2 {
		calls, no := 0, errors.New("no")
		_, err := Galerkin(r, a, p, blocks, nil, func(int64, int, func() int64) error {
			if calls++; calls > stop {
				return no
			}
			return nil
		})
		if !errors.Is(err, no) || calls != stop+1 {
			t.Errorf("%v after %d calls", err, calls)
		}
	}
}

// Rows of Assemble are those of its ranges, whatever these are.
func TestAssemble(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	want := random(t, rng, 10000, 50, func(i int) int { return i % 7 })
	for _, threads := range []int{1, 3} {
		pool := parallel.New(threads)
		got := Assemble(want.Rows, want.Cols, pool, func(lo, hi int) (ptr []int64, col []int32, val []float64) {
			ptr = []int64{0}
			for i := lo; i < hi; i++ {
				cols, vals := want.Row(i)
				col, val = append(col, cols...), append(val, vals...)
				ptr = append(ptr, int64(len(col)))
			}
			return ptr, col, val
		})
		pool.Close()
		if !sameBits(got, want) {
			t.Errorf("%d threads: another matrix", threads)
		}
	}
}
