package kernels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// rowsCase is a matrix of random words, some of its rows empty.
type rowsCase struct {
	ptr  []uint32
	col  []int32
	src  []byte
	w    Words
	val  []float64 // the values of the words
	x    []float64
	want []float64 // the exact sums, rounded
	size []float64 // sums of magnitudes
}

// randomRows makes rows of at most so many elements. Words that are floats have small exponents, so that nothing
// overflows.
func randomRows(rng *rand.Rand, longest int) *rowsCase {
	c := &rowsCase{ptr: []uint32{0}, x: make([]float64, 1+rng.IntN(99))}
	empty := rng.Float64()
	for range 1 + rng.IntN(40) {
		if rng.Float64() > empty {
			for range rng.IntN(longest + 1) {
				c.col = append(c.col, int32(rng.IntN(len(c.x))))
			}
		}
		c.ptr = append(c.ptr, uint32(len(c.col)))
	}
	for j := range c.x {
		c.x[j] = math.Ldexp(rng.NormFloat64(), rng.IntN(30))
	}
	bytes := 1 + rng.IntN(8)
	c.w = []Words{
		{Kind: Fixed, Bytes: bytes, Down: uint(64 - 8*bytes), Quantum: 0x1p-10},
		{Bytes: bytes, Up: 1, Down: 9, Offset: 1000 << 52, Sign: 1 << 63},
		{Kind: Float32, Bytes: 4},
		{Kind: Scaled, Bytes: bytes, Up: 1, Down: 7, Sign: 1 << 63, Quantum: 0x1p1008}, // including subnormal numbers
	}[rng.IntN(4)]
	c.src = make([]byte, len(c.col)*c.w.Bytes+WordPadding)
	for k := range c.src {
		if c.src[k] = byte(rng.Uint32()); c.w.Kind == Float32 && k%4 == 3 {
			c.src[k] = 0x3f | byte(rng.IntN(2))<<7
		}
	}
	c.val = make([]float64, len(c.col))
	decodeWords(c.val, c.src, c.w)
	c.exact()
	return c
}

// exact computes the exact sums of the rows.
func (c *rowsCase) exact() {
	c.want, c.size = make([]float64, c.rows()), make([]float64, c.rows())
	number := func() *big.Float { return new(big.Float).SetPrec(400) }
	for i := range c.want {
		sum := number()
		for k := c.ptr[i]; k < c.ptr[i+1]; k++ {
			a, x := c.val[k], c.x[c.col[k]]
			sum.Add(sum, number().Mul(big.NewFloat(a), big.NewFloat(x)))
			c.size[i] += math.Abs(a * x)
		}
		c.want[i], _ = sum.Float64()
	}
}

func (c *rowsCase) rows() int { return len(c.ptr) - 1 }

// check adds the rows in several ranges to zeros and compares with the bound (n+2) u sum |a_k x_k| for n products;
// the last rounding is that of want.
func (c *rowsCase) check(a *arena, rng *rand.Rand, name string,
	add func(k *Set, dst []float64, lo, hi int, rowPtr []uint32, col []int32, w Words, src []byte, x []float64), u float64,
) {
	a.t.Helper()
	bound, tolerance := make([]float64, c.rows()), make([]float64, c.rows())
	for i := range bound {
		bound[i] = float64(c.ptr[i+1]-c.ptr[i]+2) * u * c.size[i]
		tolerance[i] = 2 * bound[i]
	}
	everywhere(a, name, tolerance, func(k *Set) []float64 {
		dst, ptr, col, src, x := put(a, make([]float64, c.rows())), put(a, c.ptr), put(a, c.col), put(a, c.src), put(a, c.x)
		for lo := 0; lo < c.rows(); {
			hi := lo + 1 + rng.IntN(c.rows()-lo)
			add(k, dst, lo, hi, ptr, col, c.w, src, x)
			lo = hi
		}
		for i, want := range c.want {
			if !(math.Abs(dst[i]-want) <= bound[i]) {
				a.t.Fatalf("%s on %s, %+v: row %d is %g, want %g", name, k, c.w, i, dst[i], want)
			}
		}
		return dst
	})
}

// The sums of rows of any length are within their bounds; a float32 product rounds its factors too.
func TestAddRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := &arena{t: t}
	for _, longest := range []int{1, 2, 3, 8, 9, 12, 40, 70, 700} {
		for range 40 {
			c := randomRows(rng, longest)
			c.check(a, rng, "AddRows", (*Set).AddRows, 0x1p-53)
			c.check(a, rng, "AddRows32", (*Set).AddRows32, 3*0x1p-24)
		}
	}
}

// Two matrices add to the same rows.
func TestAddRowsAdds(t *testing.T) { eachSet(t, testAddRowsAdds) }

func testAddRowsAdds(t *testing.T, k *Set) {
	for _, n := range []int{1, 5, 8, 9, 40} { // elements of each row
		const rows = 11
		ptr, col, src := []uint32{0}, []int32{}, []byte{}
		for range rows {
			for range n {
				col, src = append(col, 0), append(src, 1)
			}
			ptr = append(ptr, uint32(len(col)))
		}
		src = append(src, make([]byte, WordPadding)...)
		dst := make([]float64, rows)
		for range 3 {
			k.AddRows(dst, 0, rows, ptr, col, Words{Kind: Fixed, Bytes: 1, Down: 56, Quantum: 2}, src, []float64{0.5})
		}
		for i, v := range dst {
			if v != float64(3*n) {
				t.Fatalf("row %d is %g, want %d", i, v, 3*n)
			}
		}
	}
}

func TestAddRows32RoundsToFloat32(t *testing.T) {
	dst := make([]float64, 1)
	src := append([]byte{0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x30}, make([]byte, WordPadding)...) // 1 and 2^-30
	Default().AddRows32(dst, 0, 1, []uint32{0, 2}, []int32{0, 0}, Words{Kind: Float32, Bytes: 4}, src, []float64{1})
	if dst[0] != 1 {
		t.Errorf("got %v", dst[0])
	}
}
