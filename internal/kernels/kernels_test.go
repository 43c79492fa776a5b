package kernels

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// maxLength covers every tail of the unrolled loops several times.
const maxLength = 11

func vectors(rng *rand.Rand, n, count int) [][]float64 {
	vs := make([][]float64, count)
	for k := range vs {
		vs[k] = make([]float64, n+1)[1:] // not aligned to a cache line
		for i := range vs[k] {
			vs[k][i] = rng.NormFloat64()
		}
	}
	return vs
}

// bigDot is the exact inner product, and the sum of |x_i y_i| that bounds its
// rounding errors.
func bigDot(x, y []float64) (dot, abs float64) {
	s := new(big.Float).SetPrec(2000)
	for i := range x {
		p := new(big.Float).SetPrec(2000).SetFloat64(x[i])
		s.Add(s, p.Mul(p, big.NewFloat(y[i])))
		abs += math.Abs(x[i] * y[i])
	}
	dot, _ = s.Float64()
	return dot, abs
}

func closeTo(t *testing.T, what string, got, want, scale float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 4*maxLength*0x1p-53*scale) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestVectorKernelsAtEveryLength(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range maxLength {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			v := vectors(rng, n, 4)
			p, x, q, r := v[0], v[1], v[2], v[3]
			dot, abs := bigDot(p, q)
			closeTo(t, "Dot", Dot(p, q), dot, abs)

			x2, r2 := append([]float64(nil), x...), append([]float64(nil), r...)
			rr := Step(0.75, p, x2, q, r2)
			for i := range n {
				closeTo(t, "Step x", x2[i], math.FMA(0.75, p[i], x[i]), 4)
				closeTo(t, "Step r", r2[i], math.FMA(-0.75, q[i], r[i]), 4)
			}
			dot, abs = bigDot(r2, r2)
			closeTo(t, "Step r·r", rr, dot, abs)

			y := append([]float64(nil), r...)
			yz := AxpyDot(-0.75, q, y, p)
			dot, abs = bigDot(r2, p)
			closeTo(t, "AxpyDot", yz, dot, abs+1)

			y = append([]float64(nil), r...)
			Xpay(p, 0.25, y)
			for i := range n {
				closeTo(t, "Xpay", y[i], math.FMA(0.25, r[i], p[i]), 4)
			}
			Scale(2, y)
			for i := range n {
				closeTo(t, "Scale", y[i], 2*math.FMA(0.25, r[i], p[i]), 8)
			}
			want := 0.0
			for _, e := range p {
				want = max(want, math.Abs(e))
			}
			if got := AbsMax(p); got != want {
				t.Errorf("AbsMax = %v, want %v", got, want)
			}
		})
	}
}

func TestAbsMaxKeepsNaN(t *testing.T) {
	if m := AbsMax([]float64{1, math.NaN(), 3}); !math.IsNaN(m) {
		t.Errorf("AbsMax with a NaN = %v", m)
	}
	if m := AbsMax([]float64{1, math.Inf(-1), 3}); !math.IsInf(m, 1) {
		t.Errorf("AbsMax with -Inf = %v", m)
	}
}

func TestCSRRowsOfEveryLength(t *testing.T) {
	t.Run("float64", testCSRRows[float64])
	t.Run("float32", testCSRRows[float32])
}

func testCSRRows[T Value](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const cols = 2 * maxLength
	x := vectors(rng, cols, 1)[0]
	rowPtr, col, val := []int64{0}, []int32{}, []T{}
	for n := range maxLength {
		for _, j := range rng.Perm(cols)[:n] {
			col, val = append(col, int32(j)), append(val, T(rng.NormFloat64()))
		}
		rowPtr = append(rowPtr, int64(len(col)))
	}
	dst := make([]float64, maxLength)
	CSRMulVec(dst, 0, maxLength, rowPtr, col, val, x)
	r := make([]float64, maxLength)
	CSRMulVec(r, 2, maxLength, rowPtr, col, val, x)
	for i := range maxLength {
		row := make([]float64, cols)
		for k := rowPtr[i]; k < rowPtr[i+1]; k++ {
			row[col[k]] = float64(val[k])
		}
		dot, abs := bigDot(row, x)
		closeTo(t, fmt.Sprint("row ", i), dst[i], dot, abs)
		if i >= 2 && r[i] != dst[i] {
			t.Errorf("row %d = %v from row 2 on, want %v", i, r[i], dst[i])
		}
	}
	if r[0] != 0 || r[1] != 0 {
		t.Error("rows outside [lo, hi) were written")
	}
}
