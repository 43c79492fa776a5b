package kernels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// rowsCase is a matrix, its rows of at most so many elements, many of them empty.
type rowsCase struct {
	ptr []uint32
	col []int32
	val []float64
	x   []float64
}

func randomRows(rng *rand.Rand, longest int, number func() float64) rowsCase {
	c := rowsCase{ptr: []uint32{0}, x: make([]float64, 1+rng.IntN(99))}
	empty := rng.Float64()
	for range 1 + rng.IntN(40) {
		if rng.Float64() > empty {
			for range rng.IntN(longest + 1) {
				c.col = append(c.col, int32(rng.IntN(len(c.x))))
				c.val = append(c.val, number())
			}
		}
		c.ptr = append(c.ptr, uint32(len(c.col)))
	}
	for j := range c.x {
		c.x[j] = number()
	}
	return c
}

func (c rowsCase) rows() int { return len(c.ptr) - 1 }

type addFunc func(dst []float64, row int, rowPtr []uint32, col []int32, values []float64, start int, x []float64) int

// addRuns adds the whole matrix in runs of up to longest values, and checks the
// rows that are returned.
func (c rowsCase) addRuns(t *testing.T, rng *rand.Rand, add addFunc, longest int) []float64 {
	t.Helper()
	dst, row := make([]float64, c.rows()), 0
	for k := 0; k < len(c.val); {
		n := min(1+rng.IntN(longest), len(c.val)-k)
		row = add(dst, row, c.ptr, c.col, slices.Clone(c.val[k:k+n]), k, c.x)
		if k += n; int(c.ptr[row]) >= k || int(c.ptr[row+1]) < k {
			t.Fatalf("element %d is said to be in row %d, which begins at %d", k-1, row, c.ptr[row])
		}
	}
	return dst
}

// Runs of any length, from any element on, add up to the products of the rows.
func TestAddRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	small := func() float64 { return float64(rng.IntN(100)) } // sums are exact in any order
	for _, longest := range []int{1, 2, 8, 9, 12, 70} {
		for range 200 {
			c := randomRows(rng, longest, small)
			want := make([]float64, c.rows())
			for i := range want {
				for k := c.ptr[i]; k < c.ptr[i+1]; k++ {
					want[i] += c.val[k] * c.x[c.col[k]]
				}
			}
			for name, add := range map[string]addFunc{"float64": AddRows, "portable": addRows, "float32": AddRows32} {
				for _, run := range []int{10, 100, 1000} {
					got := c.addRuns(t, rng, add, run)
					if !slices.Equal(got, want) {
						t.Fatalf("%s: rows are %v, want %v", name, got, want)
					}
				}
			}
		}
	}
}

// Every row is within n u sum |a_k x_k| of the exact sum of its n products.
func TestAddRowsError(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	wide := func() float64 { return math.Ldexp(rng.NormFloat64(), rng.IntN(60)) }
	for range 300 {
		c := randomRows(rng, 40, wide)
		for name, add := range map[string]addFunc{"AddRows": AddRows, "addRows": addRows} {
			got := c.addRuns(t, rng, add, 100)
			for i, g := range got {
				sum, magnitude, product := new(big.Float).SetPrec(300), 0.0, new(big.Float).SetPrec(300)
				for k := c.ptr[i]; k < c.ptr[i+1]; k++ {
					a, x := c.val[k], c.x[c.col[k]]
					sum.Add(sum, product.Mul(big.NewFloat(a), big.NewFloat(x)))
					magnitude += math.Abs(a * x)
				}
				diff, _ := sum.Sub(sum, big.NewFloat(g)).Float64()
				bound := float64(c.ptr[i+1]-c.ptr[i]) * 0x1p-53 * magnitude * (1 + 0x1p-40)
				if math.Abs(diff) > bound {
					t.Fatalf("%s: row %d is off by %g, more than %g", name, i, diff, bound)
				}
			}
		}
	}
}

func TestAddRows32RoundsToFloat32(t *testing.T) {
	y := make([]float64, 1)
	AddRows32(y, 0, []uint32{0, 2}, []int32{0, 0}, []float64{1, 0x1p-30}, 0, []float64{1})
	if y[0] != 1 {
		t.Errorf("got %v", y[0])
	}
}
