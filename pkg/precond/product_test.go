package precond

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// unevenBlocks are groups of 1 to 5 columns.
func unevenBlocks(rng *rand.Rand, cols int) nodes {
	b := nodes{[]int32{0}, make([]int32, cols)}
	for j := range cols {
		if last := int(b.First[b.count()]); j > last && (j-last == 5 || rng.IntN(3) == 0) {
			b.First = append(b.First, int32(j))
		}
		b.Of[j] = int32(b.count())
	}
	if cols > 0 {
		b.First = append(b.First, int32(cols))
	}
	return b
}

// naiveProduct is a b where the pattern is that of productOf: present where the sum
// over k has a term in the block of the column.
func naiveProduct(a, b *csr.Matrix, blocks nodes) (value [][]float64, present [][]bool) {
	value, present = make([][]float64, a.Rows), make([][]bool, a.Rows)
	for i := range value {
		value[i], present[i] = make([]float64, b.Cols), make([]bool, b.Cols)
		inner, av := a.Row(i)
		for k, c := range inner {
			cols, bv := b.Row(int(c))
			for l, j := range cols {
				value[i][j] += float64(av[k] * bv[l])
				g := blocks.Of[j]
				for c := blocks.First[g]; c < blocks.First[g+1]; c++ {
					present[i][c] = true
				}
			}
		}
	}
	return value, present
}

// checkMultiply compares all that is known of a b with the definition.
func checkMultiply(t *testing.T, name string, a, b *csr.Matrix, blocks nodes, pool *parallel.Pool) {
	t.Helper()
	m, err := productOf(a, b, blocks, pool)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := m.Validate(); err != nil || m.Rows != a.Rows || m.Cols != b.Cols {
		t.Fatalf("%s: %d x %d, %v", name, m.Rows, m.Cols, err)
	}
	value, present := naiveProduct(a, b, blocks)
	want, terms := 0, int64(0)
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for j, there := range present[i] {
			if !there {
				continue
			}
			want++
			k, found := slices.BinarySearch(cols, int32(j))
			if !found || vals[k] != value[i][j] {
				t.Fatalf("%s: element (%d, %d) is not %g", name, i, j, value[i][j])
			}
		}
		inner, _ := a.Row(i)
		for _, k := range inner {
			cols, _ := b.Row(int(k))
			terms += int64(len(cols))
		}
	}
	if m.NNZ() != want {
		t.Errorf("%s: %d nonzeros, want %d", name, m.NNZ(), want)
	}
	if n, err := nonzerosOfProduct(a, b, blocks, pool); err != nil || n != int64(want) {
		t.Errorf("%s: nonzerosOfProduct is %d, %v, want %d", name, n, err, want)
	}
	if n := multiplicationsOf(a, b, pool); n != terms {
		t.Errorf("%s: %d multiplications, want %d", name, n, terms)
	}
}

func TestMultiply(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pool := parallel.New(2)
	defer pool.Close()
	for _, shape := range []struct {
		rows, inner, cols int
		share             float64
	}{
		{7, 7, 7, 0.4},
		{1, 30, 1, 0.5},
		{30, 1, 30, 0.5},
		{20, 11, 34, 0.2},
		{40, 40, 40, 0.03},
		{9, 12, 15, 1},
		{5, 6, 7, 0},
		{4, 0, 3, 1},
		{0, 4, 3, 1},
		{3, 4, 0, 1},
	} {
		a := fromRows(t, randomDense(rng, shape.rows, shape.inner, shape.share, 8))
		b := fromRows(t, randomDense(rng, shape.inner, shape.cols, shape.share, 8))
		a.Cols, b.Cols = shape.inner, shape.cols // of matrices without rows
		if b.NNZ() > 0 {
			b.Val[0] = 0 // which is a nonzero of the pattern all the same
		}
		for name, blocks := range map[string]nodes{"single": equalBlocks(shape.cols, 1), "uneven": unevenBlocks(rng, shape.cols)} {
			for _, p := range []*parallel.Pool{nil, pool} {
				checkMultiply(t, fmt.Sprintf("%v, %s", shape, name), a, b, blocks, p)
			}
		}
		if shape.cols%3 == 0 {
			checkMultiply(t, fmt.Sprintf("%v, threes", shape), a, b, equalBlocks(shape.cols, 3), pool)
		}
	}
	checkMultiply(t, "zero value", &csr.Matrix{}, &csr.Matrix{}, equalBlocks(0, 1), pool)
}

// Products are those of gonum to rounding, and have the same bits for any number of threads.
func TestMultiplyThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	a := randomRows(t, rng, 5000, 200, func(i int) int { return i % 50 })
	b := randomRows(t, rng, 200, 399, func(i int) int { return i % 7 })
	want := &mat.Dense{}
	if testing.Short() { // under the race detector, whose dense product takes 20 s
		want = nil
	} else {
		want.Mul(a, b)
	}
	for _, size := range []int{1, 3} {
		var first *csr.Matrix
		for _, threads := range []int{1, 2, 3, 8} {
			got, err := productOf(a, b, equalBlocks(b.Cols, size), newPool(t, threads))
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if !sameBits(got, first) || want != nil && !mat.EqualApprox(got, want, 1e-14) {
				t.Errorf("blocks of %d, %d threads: another product", size, threads)
			}
		}
	}
}

func TestMultiplyWrongShapes(t *testing.T) {
	of := func(rows, cols int) *csr.Matrix {
		return fromRows(t, randomDense(rand.New(rand.NewPCG(1, 1)), rows, cols, 1, 1))
	}
	for _, c := range []struct {
		a, b   *csr.Matrix
		blocks nodes
	}{
		{of(2, 3), of(2, 3), equalBlocks(3, 1)},
		{of(2, 3), of(3, 4), equalBlocks(3, 1)},
		{of(2, 3), of(3, 4), equalBlocks(6, 2)},
		{of(2, 3), &csr.Matrix{}, equalBlocks(0, 1)},
	} {
		if _, err := productOf(c.a, c.b, c.blocks, nil); err == nil {
			t.Errorf("no error for %d x %d times %d x %d", c.a.Rows, c.a.Cols, c.b.Rows, c.b.Cols)
		}
		if _, err := nonzerosOfProduct(c.a, c.b, c.blocks, nil); err == nil {
			t.Errorf("nonzerosOfProduct: no error for %d x %d times %d x %d", c.a.Rows, c.a.Cols, c.b.Rows, c.b.Cols)
		}
	}
}

// Rows are what was added to them, in any order and in blocks or one by one.
func TestByRows(t *testing.T) {
	blocks := nodes{First: []int32{0, 2, 3, 6}, Of: []int32{0, 0, 1, 2, 2, 2}}
	m := byRows(3, blocks, []int{0, 2, 3}, nil, func(i int, row *accumulator) {
		switch i {
		case 0:
			row.add(5, 1)
			row.addBlock(0, 2, []float64{3, 4})
			row.add(5, 0.5)
			row.add(2, -1)
		case 2:
			row.addBlock(2, -1, []float64{1, 2})
		}
	})
	want := &csr.Matrix{
		Rows: 3, Cols: 6, RowPtr: []int64{0, 6, 6, 9},
		Col: []int32{0, 1, 2, 3, 4, 5, 3, 4, 5},
		Val: []float64{6, 8, -1, 0, 0, 1.5, -1, -2, 0},
	}
	if !sameBits(m, want) {
		t.Errorf("%+v, want %+v", m, want)
	}
}

func FuzzMultiply(f *testing.F) {
	f.Add(uint64(1), uint8(5), uint8(6), uint8(7), uint8(100))
	f.Add(uint64(2), uint8(0), uint8(1), uint8(31), uint8(255))
	f.Add(uint64(3), uint8(30), uint8(20), uint8(0), uint8(20))
	pool := parallel.New(2)
	f.Cleanup(pool.Close)
	f.Fuzz(func(t *testing.T, seed uint64, rows, inner, cols, share uint8) {
		rng := rand.New(rand.NewPCG(seed, 5))
		a := fromRows(t, randomDense(rng, int(rows%40), int(inner%40), float64(share)/255, 400))
		b := fromRows(t, randomDense(rng, int(inner%40), int(cols%40), float64(share)/255, 400))
		a.Cols, b.Cols = int(inner%40), int(cols%40)
		checkMultiply(t, "single", a, b, equalBlocks(b.Cols, 1), nil)
		checkMultiply(t, "uneven", a, b, unevenBlocks(rng, b.Cols), pool)
	})
}
