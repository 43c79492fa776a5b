package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"github.com/mpsolve/mpsolve/pkg/dd"
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

// exact returns the rounded exact product and bounds of what any order of summation
// may differ from it.
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

// check compares products on all sets with the exact one, and products of some rows
// with those of all.
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

// Rows that begin behind element 2^31 have the same products as at the start.
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

// behind returns src behind `first` elements, whole pages of address space that must
// not be touched.
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
