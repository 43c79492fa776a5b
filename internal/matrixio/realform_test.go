package matrixio

import (
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// A product with the form is the complex product, for both forms, and a solution of A x = b in one form is a solution
// in the other.
func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 30
	for _, name := range []string{"K1", "K4"} {
		var re, im []float64
		m := &csr.Matrix{Rows: n, Cols: n, RowPtr: []int64{0}}
		for i := range n {
			for j := range n {
				switch {
				case i == j:
					a, b := 4+rng.Float64(), rng.Float64()
					if name == "K4" {
						a, b = b, -a
					}
					re, im = append(re, a), append(im, b)
				case rng.IntN(5) > 0:
					continue
				case rng.IntN(3) == 0:
					re, im = append(re, 0), append(im, rng.NormFloat64())
				default:
					re, im = append(re, rng.NormFloat64()), append(im, float64(rng.IntN(2))*rng.NormFloat64())
				}
				m.Col = append(m.Col, int32(j))
			}
			m.RowPtr = append(m.RowPtr, int64(len(re)))
		}
		m.Val = re
		f := New(m, im)
		if f.Name != name {
			t.Errorf("form %s, want %s", f.Name, name)
		}
		if err := f.Matrix.Validate(); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(f.Matrix.Val, 0) {
			t.Error("zeros are stored")
		}
		x := make([]complex128, n)
		xr, xi, br, bi := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = complex(rng.NormFloat64(), rng.NormFloat64())
			xr[i], xi[i] = real(x[i]), imag(x[i])
		}
		for i := range n {
			var sum complex128
			for e := m.RowPtr[i]; e < m.RowPtr[i+1]; e++ {
				sum += complex(re[e], im[e]) * x[m.Col[e]]
			}
			br[i], bi[i] = real(sum), imag(sum)
		}
		got, want := make([]float64, 2*n), f.RHS(br, bi)
		f.Matrix.MulVec(got, Unknowns(xr, xi))
		for i := range got {
			if cmplx.Abs(complex(got[i]-want[i], 0)) > 1e-13 {
				t.Fatalf("%s: element %d is %g, want %g", name, i, got[i], want[i])
			}
		}
		if a, b := Split(Unknowns(xr, xi)); !slices.Equal(a, xr) || !slices.Equal(b, xi) {
			t.Error("Split does not give back what Unknowns has joined")
		}
	}
}

// The form of a Hermitian matrix is symmetric.
func TestHermitian(t *testing.T) {
	m := &csr.Matrix{Rows: 2, Cols: 2, RowPtr: []int64{0, 2, 4}, Col: []int32{0, 1, 0, 1}, Val: []float64{3, 1, 1, 2}}
	k := New(m, []float64{0, -1, 1, 0}).Matrix
	for i := range 4 {
		for j := range 4 {
			if k.At(i, j) != k.At(j, i) {
				t.Errorf("entries (%d, %d) and (%d, %d) differ", i, j, j, i)
			}
		}
	}
}
