package main

import (
	"context"
	"math"
	"math/big"

	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// checkBits is the precision of the check: products of float64 are exact in 106
// bits, the rest is for sums whose terms differ in magnitude.
const checkBits = 512

// checkRow returns the row-wise backward error of the x in a file,
//
//	max_i |b - A x|_i / (T_i ||x||_inf + |b_i|),  T_i = sum_j |a_ij|,
//
// computed from this definition with math/big. b is the default right-hand side
// of `mpsolve solve`.
func checkRow(matrixFile, xFile string) (float64, error) {
	read := func(path string) (*matrixmarket.Content, error) {
		return matrixmarket.ReadFile(context.Background(), path, matrixmarket.Options{})
	}
	content, err := read(matrixFile)
	if err != nil {
		return 0, err
	}
	m, err := content.CSR()
	if err != nil {
		return 0, err
	}
	solution, err := read(xFile)
	if err != nil {
		return 0, err
	}
	x := solution.Dense
	b, _ := generate.DefaultRHS(m)
	normX := 0.0
	for _, v := range x {
		if v-v != 0 {
			return math.Inf(1), nil
		}
		normX = math.Max(normX, math.Abs(v))
	}
	number := func() *big.Float { return new(big.Float).SetPrec(checkBits) }
	xs := make([]big.Float, len(x))
	for j, v := range x {
		xs[j].SetFloat64(v)
	}
	worst, a, product, r, t := 0.0, number(), number(), number(), number()
	for i := range m.Rows {
		r.SetFloat64(b[i])
		t.SetFloat64(0)
		cols, vals := m.Row(i)
		for k, j := range cols {
			r.Sub(r, product.Mul(a.SetFloat64(vals[k]), &xs[j]))
			t.Add(t, a.Abs(a))
		}
		t.Mul(t, a.SetFloat64(normX))
		t.Add(t, a.SetFloat64(math.Abs(b[i])))
		if r.Sign() != 0 {
			eta, _ := r.Quo(r.Abs(r), t).Float64()
			worst = math.Max(worst, eta)
		}
	}
	return worst, nil
}
