package gpu

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// sparse returns a matrix whose row i has length(i) elements, of about the magnitudes
// 2^-10 to 2^10, and now and then a subnormal one.
func sparse(rows, cols int, length func(i int) int) *csr.Matrix {
	rng := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	m := &csr.Matrix{Rows: rows, Cols: cols, RowPtr: []int64{0}}
	for i := range rows {
		n := min(length(i), cols)
		stride := cols / max(n, 1)
		at := rng.IntN(max(1, cols-stride*max(n-1, 0)))
		for k := range n {
			m.Col = append(m.Col, int32(at+k*stride))
			v := math.Ldexp(rng.Float64()*2-1, rng.IntN(20)-10)
			if rng.IntN(50) == 0 {
				v = math.Ldexp(rng.Float64(), -1040)
			}
			m.Val = append(m.Val, v)
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
	}
	return m
}

// limitBlocks has products take few blocks until the test ends, so that each goes on from
// its first rows to others.
func limitBlocks(t *testing.T, blocks uint32) {
	was := rowBlocks
	rowBlocks = blocks
	t.Cleanup(func() { rowBlocks = was })
}

// segmented is the sum of n elements by a group of threads, or by segments: element(t, k)
// adds element k to t.
func segmented[T any](n, lanes int, zero T, add func(a, b T) T, element func(s T, k int) T, accurate bool) T {
	part := func(lo, hi, lanes int, first T) []T {
		s := make([]T, lanes)
		s[0] = first
		for k := lo; k < hi; k++ {
			s[(k-lo)%lanes] = element(s[(k-lo)%lanes], k)
		}
		return s
	}
	if n <= longRow {
		return tree(part(0, n, lanes, zero), add)
	}
	group, join := threads, blockTree[T]
	if accurate {
		group, join = warp, tree[T]
	}
	sums := make([]T, warp)
	sums[0] = zero
	for s := 0; s*longRow < n; s++ {
		var none T
		sums[s%warp] = add(sums[s%warp], join(part(s*longRow, min(n, (s+1)*longRow), group, none), add))
	}
	return tree(sums, add)
}

// csrOracle is what a product with CSR is to give.
func csrOracle(m *csr.Matrix, shift uint32, x []float64, of func(float64) float64) []float64 {
	return eachOf(m.Rows, func(i int) float64 {
		cols, vals := m.Row(i)
		return segmented(len(cols), 1<<shift, 0, plus64,
			func(s float64, k int) float64 { return math.FMA(of(vals[k]), of(x[cols[k]]), s) }, false)
	})
}

// rowsOracle returns the inner product of what rows finish, block by block: the short rows,
// each group's first thread its rows, and then the long ones.
func rowsOracle(shift, short, long uint32, isLong func(i int) bool) func(dst, w []float64) float64 {
	return func(dst, w []float64) float64 {
		p := make(partials, short+long)
		rows, longRows := threads>>shift, 0
		for i := range dst {
			block, thread := i/rows%int(short), i%rows<<shift
			if long > 0 && isLong(i) {
				block, thread = int(short)+longRows/8%int(long), longRows%8*warp
				longRows++
			}
			p.add(block, thread, dst[i], w[i])
		}
		return p.total()
	}
}

// checkProducts compares every product with what follows from y = A x.
func checkProducts(t *testing.T, what string, a Matrix, x, y []float64, dot func(dst, w []float64) float64) {
	t.Helper()
	rows, cols := a.Dims()
	in, out := newSpace(a.(*deviceMatrix).d, cols), newSpace(a.(*deviceMatrix).d, rows)
	defer in.Close()
	defer out.Close()
	src := onDevice(in, x)[0]
	b, w := normal(rows, 2), normal(rows, 3)
	vs := onDevice(out, b, w)
	dst := out.New()
	check := func(product string, want func(i int) float64) {
		t.Helper()
		sameVector(t, out, what+": "+product, dst, eachOf(rows, want))
		out.Zero(dst)
	}
	product := func(i int) float64 { return y[i] }
	a.Apply(dst, src)
	check("Apply", product)
	a.Residual(dst, vs[0], src)
	check("Residual", func(i int) float64 { return b[i] - y[i] })
	a.ApplyPlus(dst, vs[0], src)
	check("ApplyPlus", func(i int) float64 { return b[i] + y[i] })
	if rows == cols {
		a.Relax(dst, src, vs[0], vs[1], known(0.7))
		check("Relax", func(i int) float64 { return math.FMA(0.7*w[i], b[i]-y[i], x[i]) })
	}
	dw := a.ApplyDot(dst, src, vs[1])
	check("ApplyDot", product)
	sameNumber(t, what+": ApplyDot's product", dw.Float(), dot(y, w))
	dw, dd := a.ApplyDots(dst, src, vs[1])
	check("ApplyDots", product)
	sameBits(t, what+": ApplyDots' products", []float64{dw.Float(), dd.Float()}, []float64{dot(y, w), dot(y, y)})
	if err := a.(*deviceMatrix).d.Err(); err != nil {
		t.Fatal(err)
	}
}

// Matrices of every number of threads a row, with empty and with long rows, and more rows
// than the blocks have threads.
func TestCSR(t *testing.T) {
	limitBlocks(t, 100)
	matrices := map[string]*csr.Matrix{
		"empty": sparse(0, 0, nil),
		"1":     sparse(1, 1, func(int) int { return 1 }),
		"many":  sparse(30_001, 1000, func(i int) int { return i % 2 }),
		"long":  sparse(5, 40000, func(i int) int { return []int{4096, 4097, 0, 40000, 8192}[i] }),
		"long among short": sparse(3000, 9000, func(i int) int {
			if i%100 == 77 {
				return 4090 + i/100
			}
			return i % 4
		}),
	}
	for k, n := range []int{255, 256, 257, 1000, 333, 1500} {
		matrices[fmt.Sprintf("%d threads", 1<<k)] = sparse(n, n, func(i int) int { return (4 << k) * (i % 3) })
	}
	exact := map[string]*exactProduct{}
	for name, m := range matrices {
		exact[name] = newExact(m, normal(m.Cols, 1))
	}
	eachDevice(t, func(t *testing.T, d *Device) {
		for _, name := range slices.Sorted(maps.Keys(matrices)) {
			if !spent(d, 1_000_000) {
				t.Run(name, func(t *testing.T) { checkCSR(t, d, name, matrices[name], exact[name]) })
			}
		}
	})
}

func checkCSR(t *testing.T, d *Device, name string, m *csr.Matrix, exact *exactProduct) {
	single := m.Clone()
	for k, v := range m.Val {
		single.Val[k] = float64(float32(v))
	}
	for _, c := range []struct {
		make   func(d *Device, m *csr.Matrix) (Matrix, error)
		values *csr.Matrix
	}{{NewCSR32, single}, {NewCSR, m}} {
		a, err := c.make(d, m)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		s := a.(*deviceMatrix).stored.(*csrStorage)
		var k int
		if n, _ := fmt.Sscanf(name, "%d threads", &k); n == 1 && k != 1<<s.shift {
			t.Errorf("%d threads share a row, want %d", 1<<s.shift, k)
		}
		y := csrOracle(c.values, s.shift, exact.x, func(v float64) float64 { return v })
		checkProducts(t, "CSR", a, exact.x, y, rowsOracle(s.shift, s.shortBlocks(), s.long.blocks(), func(i int) bool {
			return m.RowPtr[i+1]-m.RowPtr[i] > longRow
		}))
		if c.values == m {
			checkAccurate(t, a, m, exact)
		}
	}
}

// checkAccurate compares |A||x| and residuals with the same order of operations, and
// residuals with exact numbers.
func checkAccurate(t *testing.T, a Matrix, m *csr.Matrix, exact *exactProduct) {
	in, out := newSpace(a.(*deviceMatrix).d, m.Cols), newSpace(a.(*deviceMatrix).d, m.Rows)
	defer in.Close()
	defer out.Close()
	x, dst, shift := onDevice(in, exact.x)[0], out.New(), a.(*deviceMatrix).stored.(*csrStorage).shift
	a.AbsApply(dst, x)
	sameVector(t, out, "AbsApply", dst, csrOracle(m, shift, exact.x, math.Abs))

	b := csrOracle(m, 0, exact.x, func(v float64) float64 { return v }) // so that all cancels
	Accurate{a}.Residual(dst, onDevice(out, b)[0], x)
	got := out.fetched(dst)
	sameBits(t, "Accurate", got, eachOf(m.Rows, func(i int) float64 {
		cols, vals := m.Row(i)
		return segmented(len(cols), 1<<shift, dd.From(b[i]), dd.DD.Add,
			func(s dd.DD, k int) dd.DD { return s.AddProd(-vals[k], exact.x[cols[k]]) }, true).Float()
	}))
	for i, r := range got {
		want, terms := exact.minus(b[i], i), exact.sums[i]*exact.norm
		if !(math.Abs(r-want) <= math.Abs(want)*0x1p-52+terms*float64(m.RowPtr[i+1]-m.RowPtr[i])*0x1p-103) {
			t.Fatalf("residual %d is %g, exactly %g of %g", i, r, want, terms)
		}
	}
}
