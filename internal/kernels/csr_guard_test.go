//go:build linux && amd64 && !purego

package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/guard"
)

// csrCase is a kernel and fenced memory for its arguments.
type csrCase[T Value] struct {
	kernel                   csrKernel[T]
	dst, rowPtr, col, val, x guard.Memory
}

func newCSRCase[T Value](t *testing.T, kernel csrKernel[T]) csrCase[T] {
	const size = 1 << 17
	return csrCase[T]{kernel, guard.New(t, size), guard.New(t, size), guard.New(t, size), guard.New(t, size), guard.New(t, size)}
}

// check multiplies random rows of the given lengths at the given place in
// memory, against double-double sums and against itself on other ranges.
func (c csrCase[T]) check(t *testing.T, rng *rand.Rand, lengths []int, cols, shift int) {
	t.Helper()
	rows := len(lengths)
	ptr := make([]int64, rows+1)
	for i, n := range lengths {
		ptr[i+1] = ptr[i] + int64(n)
	}
	col, val, x := make([]int32, ptr[rows]), make([]T, ptr[rows]), make([]float64, cols)
	for k := range col {
		col[k], val[k] = int32(rng.IntN(cols)), T(rng.NormFloat64())
	}
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	ptr, col, val, x = guard.Place(c.rowPtr, shift, ptr), guard.Place(c.col, shift, col), guard.Place(c.val, shift, val), guard.Place(c.x, shift, x)
	dst := guard.Place(c.dst, shift, make([]float64, rows))
	c.kernel(dst, 0, rows, ptr, col, val, x)
	for i := range rows {
		exact, size := dd.DD{}, 0.0
		for k := ptr[i]; k < ptr[i+1]; k++ {
			v := float64(val[k])
			exact = exact.AddProd(v, x[col[k]])
			size += math.Abs(v * x[col[k]])
		}
		if !(math.Abs(dst[i]-exact.Float()) <= float64(lengths[i]+1)*0x1p-53*size) {
			t.Fatalf("row %d of %d, %d elements, shift %d: %v, want %v", i, rows, lengths[i], shift, dst[i], exact.Float())
		}
	}
	part := make([]float64, rows)
	lo := rng.IntN(rows)
	hi := lo + 1 + rng.IntN(rows-lo)
	c.kernel(part, lo, hi, ptr, col, val, x)
	for i := lo; i < hi; i++ {
		if math.Float64bits(part[i]) != math.Float64bits(dst[i]) {
			t.Fatalf("row %d is %v in rows %d to %d, %v in all %d", i, part[i], lo, hi, dst[i], rows)
		}
	}
}

func (c csrCase[T]) run(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	const unroll = 16
	for length := range 2*unroll + 4 {
		for shift := guard.AtEnd; shift < 8; shift++ {
			for _, rows := range []int{1, 2, 7, 8, 9, 15, 16, 27} {
				lengths := make([]int, rows)
				for i := range lengths {
					lengths[i] = length
					if i%2 > 0 {
						lengths[i] = rng.IntN(length + 1)
					}
				}
				c.check(t, rng, lengths, 1+rng.IntN(300), shift)
			}
		}
	}
	dense := make([]int, 100)
	dense[50] = 10000
	for name, lengths := range map[string][]int{
		"dense row": dense, "dense row alone": {10000}, "empty rows": make([]int, 100), "lower": {0, 1, 2, 3, 4, 5, 6, 7, 8},
	} {
		for _, cols := range []int{1, 3, 10000} {
			for _, shift := range []int{guard.AtEnd, 0} {
				t.Run(fmt.Sprintf("%s, %d columns, shift %d", name, cols, shift), func(t *testing.T) {
					c.check(t, rng, lengths, cols, shift)
				})
			}
		}
	}
}

// csrTiers are all kernels.
var csrTiers = []struct {
	tier Tier
	f64  csrKernel[float64]
	f32  csrKernel[float32]
}{
	{Portable, csrMulVec[float64], csrMulVec[float32]},
	{AVX2, csrSIMD(csr64AVX2), csrSIMD(csr32AVX2)},
	{AVX512, csrSIMD(csr64AVX512), csrSIMD(csr32AVX512)},
}

// Every kernel, in fenced memory at every alignment, on rows of every length up
// to more than twice its longest loop.
func TestCSRKernels(t *testing.T) {
	for _, k := range csrTiers {
		if k.tier > processor {
			t.Logf("%s is not tested: this processor has %s", k.tier, processor)
			continue
		}
		t.Run(k.tier.String()+" float64", newCSRCase(t, k.f64).run)
		t.Run(k.tier.String()+" float32", newCSRCase(t, k.f32).run)
	}
}

// Rows that begin behind element 2^31: the same products as at the start.
func TestCSRKernelsFarBehind(t *testing.T) {
	for _, k := range csrTiers {
		if k.tier <= processor {
			t.Run(k.tier.String()+" float64", func(t *testing.T) { farBehind(t, k.f64) })
			t.Run(k.tier.String()+" float32", func(t *testing.T) { farBehind(t, k.f32) })
		}
	}
}

func farBehind[T Value](t *testing.T, kernel csrKernel[T]) {
	const first, rows, length, cols = 1 << 31, 19, 21, 300
	rng := rand.New(rand.NewPCG(11, 12))
	ptr, col, val := make([]int64, rows+1), make([]int32, rows*length), make([]T, rows*length)
	for k := range col {
		col[k], val[k] = int32(rng.IntN(cols)), T(rng.NormFloat64())
	}
	for i := range ptr {
		ptr[i] = int64(i * length)
	}
	x, want, got := vectors(rng, cols, 1)[0], make([]float64, rows), make([]float64, rows)
	kernel(want, 0, rows, ptr, col, val, x)
	for i := range ptr {
		ptr[i] += first
	}
	kernel(got, 0, rows, ptr, behind(t, first, col), behind(t, first, val), x)
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("row %d is %v, want %v", i, got[i], want[i])
		}
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
