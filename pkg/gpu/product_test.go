package gpu

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
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

// sparseMatrices are of every number of threads a row, with empty and with long rows.
func sparseMatrices() map[string]*csr.Matrix {
	some := map[string]*csr.Matrix{
		"empty": sparse(0, 0, nil),
		"1":     sparse(1, 1, func(int) int { return 1 }),
		"many":  sparse(510_001, 1000, func(i int) int { return i % 2 }), // more than the blocks have threads
		"long":  sparse(5, 40000, func(i int) int { return []int{4096, 4097, 0, 40000, 8192}[i] }),
		"long among short": sparse(9000, 9000, func(i int) int {
			if i%100 == 77 {
				return 4090 + i/100
			}
			return i % 4
		}),
	}
	for k, n := range []int{255, 256, 257, 1000, 333, 1500} {
		some[fmt.Sprintf("%d threads", 1<<k)] = sparse(n, n, func(i int) int { return (3 << k) * (i % 3) })
	}
	return some
}

func randomVector(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 7))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// tree is the sum over the threads of a group, neighbours far apart first.
func tree[T any](s []T, add func(a, b T) T) T {
	s = slices.Clone(s)
	for m := len(s) / 2; m > 0; m /= 2 {
		for t := range m {
			s[t] = add(s[t], s[t+m])
		}
	}
	return s[0]
}

func plus64(a, b float64) float64 { return a + b }

// blockTree is the sum over a block: over its warps, and then over these.
func blockTree[T any](s []T, add func(a, b T) T) T {
	var warps []T
	for w := 0; w < threads; w += 32 {
		warps = append(warps, tree(s[w:w+32], add))
	}
	return tree(warps, add)
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
		group, join = 32, tree[T]
	}
	sums := make([]T, 32)
	sums[0] = zero
	for s := 0; s*longRow < n; s++ {
		var none T
		sums[s%32] = add(sums[s%32], join(part(s*longRow, min(n, (s+1)*longRow), group, none), add))
	}
	return tree(sums, add)
}

// csrOracle is what a product with CSR is to give.
func csrOracle(m *csr.Matrix, shift uint32, x []float64, of func(float64) float64) []float64 {
	y := make([]float64, m.Rows)
	for i := range y {
		cols, vals := m.Row(i)
		y[i] = segmented(len(cols), 1<<shift, 0, plus64,
			func(s float64, k int) float64 { return math.FMA(of(vals[k]), of(x[cols[k]]), s) }, false)
	}
	return y
}

// partsOracle is the inner product of what rows finish, block by block: the short rows,
// each group's first thread its rows, and then the long ones.
func partsOracle(dst, w []float64, shift uint32, short, long int, lengths func(i int) int) float64 {
	parts := make([][]float64, short+long)
	for k := range parts {
		parts[k] = make([]float64, threads)
	}
	rows, longRows := threads>>shift, 0
	for i := range dst {
		block, thread := i/rows%short, i%rows<<shift
		if long > 0 && lengths(i) > longRow {
			block, thread = short+longRows/8%long, longRows%8*32
			longRows++
		}
		at := &parts[block][thread]
		*at = math.FMA(dst[i], w[i], *at)
	}
	sums := make([]float64, threads)
	for k, p := range parts {
		sums[k%threads] += blockTree(p, plus64)
	}
	return blockTree(sums, plus64)
}

// sameBits compares bit for bit; all NaN are alike.
func sameBits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
			t.Fatalf("%s: element %d is %x, want %x", what, i, got[i], want[i])
		}
	}
}

// onDevice uploads vectors.
func onDevice(s *Space, xs ...[]float64) []*Vector {
	var vs []*Vector
	for _, x := range xs {
		v := s.New()
		s.Upload(v, x)
		vs = append(vs, v)
	}
	return vs
}

func (s *Space) fetched(v *Vector) []float64 {
	x := make([]float64, s.n)
	s.Download(x, v)
	return x
}

// checkProducts compares every product with what follows from y = A x.
func checkProducts(t *testing.T, d *Device, a *Matrix, x, y []float64, dot func(dst, w []float64) float64) {
	t.Helper()
	rows, cols := a.Dims()
	in, out := NewSpace(d, cols), NewSpace(d, rows)
	defer in.Close()
	defer out.Close()
	src := onDevice(in, x)[0]
	b, w := randomVector(rows, 2), randomVector(rows, 3)
	vs := onDevice(out, b, w)
	dst := out.New()
	a.Apply(dst, src)
	sameBits(t, "Apply", out.fetched(dst), y)
	a.Residual(dst, vs[0], src)
	sameBits(t, "Residual", out.fetched(dst), eachOf(rows, func(i int) float64 { return b[i] - y[i] }))
	a.ApplyPlus(dst, vs[0], src)
	sameBits(t, "ApplyPlus", out.fetched(dst), eachOf(rows, func(i int) float64 { return b[i] + y[i] }))
	if rows == cols {
		a.Relax(dst, src, vs[0], vs[1], known(0.7))
		sameBits(t, "Relax", out.fetched(dst), eachOf(rows, func(i int) float64 { return math.FMA(0.7*w[i], b[i]-y[i], x[i]) }))
	}
	out.Zero(dst)
	dw := a.ApplyDot(dst, src, vs[1])
	sameBits(t, "ApplyDot", out.fetched(dst), y)
	sameBits(t, "ApplyDot's product", []float64{dw.Float()}, []float64{dot(y, w)})
	dw, dd := a.ApplyDots(dst, src, vs[1])
	sameBits(t, "ApplyDots' products", []float64{dw.Float(), dd.Float()}, []float64{dot(y, w), dot(y, y)})
}

func TestCSR(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *Device) {
		for name, m := range sparseMatrices() {
			for _, single := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s single %v", name, single), func(t *testing.T) {
					make, oracle := NewCSR, m
					if single {
						make, oracle = NewCSR32, m.Clone()
						for k, v := range oracle.Val {
							oracle.Val[k] = float64(float32(v))
						}
					}
					a, err := make(d, m)
					if err != nil {
						t.Fatal(err)
					}
					defer a.Close()
					s := a.stored.(*csrStorage)
					if want := fmt.Sprintf("%d threads", 1<<s.shift); strings.Contains(name, "threads") && name != want {
						t.Errorf("%s share a row", want)
					}
					x := randomVector(m.Cols, 1)
					checkProducts(t, d, a, x, csrOracle(oracle, s.shift, x, func(v float64) float64 { return v }), func(dst, w []float64) float64 {
						return partsOracle(dst, w, s.shift, int(s.shortBlocks()), int(s.long.blocks()),
							func(i int) int { return int(m.RowPtr[i+1] - m.RowPtr[i]) })
					})
					if !single {
						checkAbs(t, d, a, m, x)
						checkAccurate(t, d, a, m, x)
					}
				})
			}
		}
	})
}

func checkAbs(t *testing.T, d *Device, a *Matrix, m *csr.Matrix, x []float64) {
	in, out := NewSpace(d, m.Cols), NewSpace(d, m.Rows)
	defer in.Close()
	defer out.Close()
	dst := out.New()
	a.AbsApply(dst, onDevice(in, x)[0])
	sameBits(t, "AbsApply", out.fetched(dst), csrOracle(m, a.stored.(*csrStorage).shift, x, math.Abs))
}

// checkAccurate compares with the same order of operations, and with exact numbers.
func checkAccurate(t *testing.T, d *Device, a *Matrix, m *csr.Matrix, x []float64) {
	in, out := NewSpace(d, m.Cols), NewSpace(d, m.Rows)
	defer in.Close()
	defer out.Close()
	b := csrOracle(m, 0, x, func(v float64) float64 { return v }) // so that all cancels
	r := out.New()
	NewAccurate(a).Residual(r, onDevice(out, b)[0], onDevice(in, x)[0])
	got, want := out.fetched(r), make([]float64, m.Rows)
	for i := range want {
		cols, vals := m.Row(i)
		want[i] = segmented(len(cols), 1<<a.stored.(*csrStorage).shift, dd.From(b[i]), dd.DD.Add,
			func(s dd.DD, k int) dd.DD { return s.AddProd(-vals[k], x[cols[k]]) }, true).Float()
		if exact, terms := exactResidual(b[i], vals, cols, x); !(math.Abs(got[i]-exact) <= math.Abs(exact)*0x1p-52+terms*float64(len(cols))*0x1p-103) {
			t.Fatalf("residual %d is %g, exactly %g of %g", i, got[i], exact, terms)
		}
	}
	sameBits(t, "Accurate", got, want)
}

// exactResidual is b - a·x rounded once, and the magnitude of its terms.
func exactResidual(b float64, vals []float64, cols []int32, x []float64) (r, terms float64) {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(2400).SetFloat64(v) }
	s := number(b)
	for k, v := range vals {
		s.Sub(s, new(big.Float).SetPrec(2400).Mul(number(v), number(x[cols[k]])))
		terms += math.Abs(v * x[cols[k]])
	}
	r, _ = s.Float64()
	return r, terms
}
