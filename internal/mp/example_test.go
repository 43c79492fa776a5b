package mp_test

import (
	"fmt"
	"math/big"

	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// One third with 64 digits: residuals correct x, and each correction is computed in float64.
func ExampleMatrix_Residual() {
	three := &csr.Matrix{Rows: 1, Cols: 1, RowPtr: []int64{0, 1}, Col: []int32{0}, Val: []float64{3}}
	a := mp.NewMatrix(nil, three)
	x, r := mp.New(1, 212), make([]float64, 1)
	for range 4 {
		e := a.Residual(r, x, []float64{1})
		r[0] /= 3
		x.AddScaled(r, e)
	}
	fmt.Println(x.At(0).Text('g', 62))
	// Output: 0.33333333333333333333333333333333333333333333333333333333333333
}

// Sums of products whose leading digits cancel.
func ExampleDot() {
	x, y := mp.New(3, 424), mp.New(3, 424)
	x.SetFloat64s([]float64{1e60, 1, -1e60})
	y.SetFloat64s([]float64{1e40, 7, 1e40})
	fmt.Println(mp.Dot(nil, x, y))
	z := mp.New(1, 424)
	z.Set(0, big.NewFloat(2))
	z.Scale(nil, big.NewFloat(0.5))
	fmt.Println(z.At(0))
	// Output:
	// 7
	// 1
}
