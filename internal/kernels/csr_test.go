package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/dd"
)

// csrCase is a matrix with rows of given lengths, and a vector.
type csrCase[T Value] struct {
	ptr []int64
	col []int32
	val []T
	x   []float64
}

func randomCSR[T Value](rng *rand.Rand, lengths []int, cols int) csrCase[T] {
	c := csrCase[T]{ptr: []int64{0}, x: normal[float64](rng, cols)}
	for _, n := range lengths {
		for range n {
			c.col = append(c.col, int32(rng.IntN(cols)))
		}
		c.ptr = append(c.ptr, int64(len(c.col)))
	}
	c.val = normal[T](rng, len(c.col))
	return c
}

func (c csrCase[T]) rows() int { return len(c.ptr) - 1 }

// exact returns the rounded exact product and bounds of the deviation of any order of summation.
func (c csrCase[T]) exact() (want, bound []float64) {
	want, bound = make([]float64, c.rows()), make([]float64, c.rows())
	for i := range want {
		sum, size := dd.DD{}, 0.0
		for k := c.ptr[i]; k < c.ptr[i+1]; k++ {
			v := float64(c.val[k])
			sum = sum.AddProd(v, c.x[c.col[k]])
			size += math.Abs(v * c.x[c.col[k]])
		}
		want[i] = sum.Float()
		bound[i] = float64(c.ptr[i+1]-c.ptr[i]+1) * 0x1p-53 * size
	}
	return want, bound
}

// check compares the products of all sets with the exact one, and products of some rows with those of all rows.
func (c csrCase[T]) check(a *arena, rng *rand.Rand, what string) {
	a.t.Helper()
	want, bound := c.exact()
	lo := rng.IntN(c.rows())
	hi := lo + 1 + rng.IntN(c.rows()-lo)
	everywhere(a, what, nil, func(k *Set) []float64 {
		dst, part := put(a, make([]float64, c.rows())), put(a, make([]float64, c.rows()))
		ptr, col, val, x := put(a, c.ptr), put(a, c.col), put(a, c.val), put(a, c.x)
		CSRMulVec(k, dst, 0, c.rows(), ptr, col, val, x)
		CSRMulVec(k, part, lo, hi, ptr, col, val, x)
		for i, v := range dst {
			if !(math.Abs(v-want[i]) <= bound[i]) {
				a.t.Fatalf("%s on %s: row %d is %v, want %v", what, k, i, v, want[i])
			}
			inside := i >= lo && i < hi
			if inside && part[i] != v || !inside && part[i] != 0 {
				a.t.Fatalf("%s on %s: row %d is %v in rows %d to %d, %v in all", what, k, i, part[i], lo, hi, v)
			}
		}
		return dst
	})
}

// Rows of every length up to more than twice the longest loop, and unusual matrices.
func TestCSR(t *testing.T) {
	t.Run("float64", testCSR[float64])
	t.Run("float32", testCSR[float32])
}

func testCSR[T Value](t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	a := &arena{t: t}
	const unroll = 16
	for length := range 2*unroll + 4 {
		for _, rows := range []int{1, 2, 7, 8, 9, 15, 16, 27} {
			lengths := make([]int, rows)
			for i := range lengths {
				lengths[i] = length
				if i%2 > 0 {
					lengths[i] = rng.IntN(length + 1)
				}
			}
			randomCSR[T](rng, lengths, 1+rng.IntN(300)).check(a, rng, fmt.Sprintf("%d rows of %d elements", rows, length))
		}
	}
	dense := make([]int, 100)
	dense[50] = 10000
	for name, lengths := range map[string][]int{
		"dense row": dense, "dense row alone": {10000}, "empty rows": make([]int, 100), "lower": {0, 1, 2, 3, 4, 5, 6, 7, 8},
		"empty, then 3 elements": {5, 2, 7, 0, 3, 0, 0, 0}, "empty, then 4": {5, 2, 7, 0, 4, 0, 0, 0}, "all, then 3": {1, 9, 2, 0, 3},
	} {
		for _, cols := range []int{1, 3, 10000} {
			randomCSR[T](rng, lengths, cols).check(a, rng, fmt.Sprintf("%s, %d columns", name, cols))
		}
	}
}

// Rows that begin after element 2^31 have the same products as rows at the start.
func TestCSRFarBehind(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		t.Run("float64", func(t *testing.T) { farBehind[float64](t, k) })
		t.Run("float32", func(t *testing.T) { farBehind[float32](t, k) })
	})
}

func farBehind[T Value](t *testing.T, k *Set) {
	const first, rows = 1 << 31, 19
	c := randomCSR[T](rand.New(rand.NewPCG(11, 12)), slices.Repeat([]int{21}, rows), 300)
	want, got := make([]float64, rows), make([]float64, rows)
	CSRMulVec(k, want, 0, rows, c.ptr, c.col, c.val, c.x)
	for i := range c.ptr {
		c.ptr[i] += first
	}
	CSRMulVec(k, got, 0, rows, c.ptr, behind(t, first, c.col), behind(t, first, c.val), c.x)
	if !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
}

// behind returns src after `first` elements, whole pages of address space that must not be touched.
func behind[T any](t *testing.T, first int, src []T) []T {
	t.Helper()
	width := int(unsafe.Sizeof(src[0]))
	memory, err := syscall.Mmap(-1, 0, (first+len(src))*width, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("no address space: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mprotect(memory[first*width:], syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	all := unsafe.Slice((*T)(unsafe.Pointer(&memory[0])), first+len(src))
	copy(all[first:], src)
	return all
}

// testCOO adds a product to dst with all sets, and compares with CSR; rows without elements stay unchanged.
func testCOO(a *arena, rng *rand.Rand, lengths []int, cols int) {
	a.t.Helper()
	c := randomCSR[float64](rng, lengths, cols)
	m := COO{Col: c.col, Val: c.val}
	for i, n := range lengths {
		for range n {
			m.Row = append(m.Row, int32(i))
		}
	}
	before := numbers[float64](rng, len(lengths))
	name := fmt.Sprintf("COO of %d rows, %d elements", len(lengths), len(m.Row))
	everywhere(a, name, nil, func(k *Set) []float64 {
		dst, sums, x := put(a, before), put(a, make([]float64, len(lengths))), put(a, c.x)
		k.COOAddVec(dst, COO{put(a, m.Row), put(a, m.Col), put(a, m.Val)}, x)
		CSRMulVec(k, sums, 0, c.rows(), put(a, c.ptr), put(a, c.col), put(a, c.val), x)
		for i, v := range dst {
			want := before[i]
			if lengths[i] > 0 {
				want += sums[i]
			}
			if v != want && !(math.IsNaN(v) && math.IsNaN(want)) {
				a.t.Fatalf("%s on %s: row %d is %v, want %v", name, k, i, v, want)
			}
		}
		return dst
	})
}

// Rows of every length up to several times the lanes, including empty ones, and a single long row.
func TestCOO(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	a := &arena{t: t}
	for length := range 20 {
		for _, rows := range []int{1, 2, 7, 27} {
			lengths := make([]int, rows)
			for i := range lengths {
				lengths[i] = length
				if i%2 > 0 {
					lengths[i] = rng.IntN(length + 1)
				}
			}
			testCOO(a, rng, lengths, 1+rng.IntN(300))
		}
	}
	testCOO(a, rng, []int{0, 0, 10000, 0, 1, 0}, 1000)
}

// Infinities beyond a row do not reach its sum.
func TestCOOMask(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		inf := math.Inf(1)
		dst := make([]float64, 3)
		m := COO{[]int32{0, 1, 1, 2, 2, 2, 2}, []int32{0, 1, 1, 0, 0, 0, 0}, []float64{1, 2, 3, 4, 5, 6, 7}}
		k.COOAddVec(dst, m, []float64{1, inf})
		if dst[0] != 1 || dst[1] != inf || dst[2] != 22 {
			t.Errorf("%v, want 1, +Inf, 22", dst)
		}
	})
}

// Every set gives the bits of the portable loop, for rows of any length and numbers of any size.
func TestResidual(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for n := 1; n < 90; n++ {
		for _, longest := range []int{0, 1, 5, 40} {
			rowPtr, col, val := make([]int64, 1, n+1), []int32(nil), []float64(nil)
			x, b := make([]float64, 7), make([]float64, n)
			for k := range x {
				x[k] = math.Ldexp(rng.NormFloat64(), rng.IntN(60))
			}
			for i := range n {
				for range rng.IntN(longest + 1) {
					col = append(col, int32(rng.IntN(len(x))))
					val = append(val, math.Ldexp(rng.NormFloat64(), -rng.IntN(60)))
					if rng.IntN(9) == 0 {
						val[len(val)-1] = math.Copysign(0, rng.NormFloat64())
					}
				}
				rowPtr = append(rowPtr, int64(len(col)))
				b[i] = rng.NormFloat64() * float64(rng.IntN(2))
				if rowPtr[i+1] == rowPtr[i] { // which stays infinite while other rows have elements
					b[i] = math.Inf(rng.IntN(2) - 1)
				}
			}
			want := make([]float64, n)
			csrResidualDD(want, b, 0, n, rowPtr, col, val, x)
			for _, k := range Sets() {
				got := make([]float64, n)
				k.residual64(got, b, 0, n, rowPtr, col, val, x)
				for i := range want {
					if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(got[i] != got[i] && want[i] != want[i]) {
						t.Fatalf("%v, %d rows of up to %d: r[%d] = %v, want %v", k, n, longest, i, got[i], want[i])
					}
				}
			}
		}
	}
}

func BenchmarkResidual(bench *testing.B) {
	const n, length = 4000, 12
	rng := rand.New(rand.NewPCG(1, 1))
	rowPtr, col, val := make([]int64, n+1), make([]int32, n*length), make([]float64, n*length)
	for i := range n + 1 {
		rowPtr[i] = int64(i * length)
	}
	for e := range col {
		col[e], val[e] = int32((e/length+rng.IntN(200))%n), rng.NormFloat64()
	}
	r, b := make([]float64, n), make([]float64, n)
	for _, k := range Sets() {
		bench.Run(k.String(), func(bench *testing.B) {
			bench.SetBytes(12 * n * length)
			for bench.Loop() {
				k.residual64(r, b, 0, n, rowPtr, col, val, b)
			}
		})
	}
}
