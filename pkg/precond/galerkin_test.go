package precond

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// allowAll lets galerkin do anything.
func allowAll(int64, int, func() int64) error { return nil }

// galerkin is P^T A P entry by entry, with the same bits for any number of threads; it tells the work
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
		var a *csr.Matrix
		if n > 1000 { // several pieces
			a = randomRows(t, rng, n, n, func(i int) int { return i % 5 })
		} else {
			a = fromRows(t, randomDense(rng, n, n, share, 8))
		}
		a.Cols = n
		p := randomRows(t, rng, n, shape.cols, func(i int) int { return min(shape.cols, i%3) })
		p.Cols = shape.cols
		r := p.Transpose(nil)
		for name, blocks := range map[string]nodes{"single": equalBlocks(shape.cols, 1), "uneven": unevenBlocks(rng, shape.cols)} {
			name = fmt.Sprintf("%v, %s", shape, name)
			ap, err := productOf(a, p, blocks, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, err := productOf(r, ap, blocks, nil)
			if err != nil {
				t.Fatal(err)
			}
			var first *csr.Matrix
			for _, threads := range []int{1, 2, 3} {
				pool := parallel.New(threads)
				var told []string
				got, err := galerkin(r, a, p, blocks, pool, func(multiplications int64, rows int, count func() int64) error {
					if count == nil {
						told = append(told, fmt.Sprint(multiplications, rows))
						return nil
					}
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
					fmt.Sprint(multiplicationsOf(a, p, nil), n, ap.NNZ()),
					fmt.Sprint(multiplicationsOf(r, ap, nil), shape.cols, want.NNZ()),
				}
				if n == 0 {
					expected = expected[:1] // there is no second product
				}
				expected = append(expected, fmt.Sprint(ap.NNZ(), n), fmt.Sprint(want.NNZ(), shape.cols))
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

// A product of several windows has the bits of one, and tells what it takes so far.
func TestGalerkinWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	const n, cols = 600_000, 80_000
	near := func(i, of, width int) int32 { return int32(min(max(i*of/n+rng.IntN(2*width+1)-width, 0), of-1)) }
	banded := func(of, width int) *csr.Matrix {
		m := &csr.Matrix{Rows: n, Cols: of, RowPtr: make([]int64, n+1)}
		for i := range n {
			row := []int32{near(i, of, width), near(i, of, width), near(i, of, width)}
			slices.Sort(row)
			m.Col = append(m.Col, slices.Compact(row)...)
			m.RowPtr[i+1] = int64(len(m.Col))
		}
		for range m.Col {
			m.Val = append(m.Val, rng.NormFloat64())
		}
		return m
	}
	a, p := banded(n, 2000), banded(cols, 3)
	r, blocks := p.Transpose(nil), equalBlocks(cols, 1)
	ap := multiply(a, whole(p), blocks, anyOrder, nil)
	c := multiply(r, ap, blocks, inOrder, nil)
	want := c.compact(cols, nil)
	for _, threads := range []int{1, 3} {
		pool := parallel.New(threads)
		var told []int64
		got, err := galerkin(r, a, p, blocks, pool, func(multiplications int64, _ int, count func() int64) error {
			if count != nil {
				told = append(told, multiplications, count())
			}
			return nil
		})
		pool.Close()
		if err != nil || !sameBits(got, want) {
			t.Errorf("%d threads: %v or other bits", threads, err)
		}
		if k := len(told); k < 6 || told[k-2] != multiplications(r, &ap, nil) || told[k-1] != int64(want.NNZ()) || told[2] > told[k-2]/2 {
			t.Errorf("told %v", told)
		}
	}
}

// Windows take all rows of a product in turn. Each piece of the right factor that is needed is there from before the
// first part that needs it until after the last.
func TestWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, far := range []int{100, 20_000, 400_000} {
		r := randomRows(t, rng, 9000, 1_000_000, func(i int) int { return i % 4 })
		for i := range r.Rows {
			cols, _ := r.Row(i)
			for k := range cols {
				cols[k] = int32(min(i*100+rng.IntN(far), r.Cols-1))
			}
		}
		b, result := newPieces(r.Cols, pieceShift), newPieces(r.Rows, resultShift)
		all := productWindows(r, &b, &result, nil)
		if far == 100 && len(all) < 3 {
			t.Errorf("%d windows", len(all))
		}
		there, entered, next := map[int]bool{}, map[int]bool{}, 0
		for _, w := range all {
			for _, k := range w.enter {
				if entered[k] {
					t.Fatalf("piece %d enters twice", k)
				}
				there[k], entered[k] = true, true
			}
			if w.lo != next || w.hi <= w.lo {
				t.Fatalf("a window from %d to %d after %d", w.lo, w.hi, next)
			}
			next = w.hi
			lo, hi := w.lo<<resultShift, min(w.hi<<resultShift, r.Rows)
			for _, j := range r.Col[r.RowPtr[lo]:r.RowPtr[hi]] {
				if !there[int(j)>>pieceShift] {
					t.Fatalf("piece %d is not there", int(j)>>pieceShift)
				}
			}
			for _, k := range w.leave {
				delete(there, k)
			}
		}
		if next != len(result.part) || len(there) > 0 {
			t.Errorf("windows up to %d of %d, %d pieces are left", next, len(result.part), len(there))
		}
	}
}

// closeMatrices checks that got has the pattern of want and its values but for rounding.
func closeMatrices(t *testing.T, name string, got, want *csr.Matrix) {
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
	a, p := fromRows(t, randomDense(rng, 6, 6, 1, 3)), fromRows(t, randomDense(rng, 6, 2, 1, 3))
	blocks, r := equalBlocks(2, 1), p.Transpose(nil)
	for name, c := range map[string]struct {
		r, a, p *csr.Matrix
		blocks  nodes
	}{
		"not the transpose": {p, a, p, blocks},
		"shapes":            {r, p, a, blocks},
		"blocks":            {r, a, p, equalBlocks(4, 2)},
	} {
		if _, err := galerkin(c.r, c.a, c.p, c.blocks, nil, allowAll); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for stop := range 2 {
		calls, no := 0, errors.New("no")
		_, err := galerkin(r, a, p, blocks, nil, func(int64, int, func() int64) error {
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

// Rows of assemble are those of its ranges, whatever these are.
func TestAssemble(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	want := randomRows(t, rng, 10000, 50, func(i int) int { return i % 7 })
	for _, threads := range []int{1, 3} {
		pool := parallel.New(threads)
		got := assemble(want.Rows, want.Cols, pool, func(lo, hi int) (ptr []int64, col []int32, val []float64) {
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
