package lab

import (
	"math/big"

	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// limbVector returns v as a vector of internal/mp.
func limbVector(v []big.Float, bits int) *mp.Vec {
	w := mp.New(len(v), bits)
	for i := range v {
		w.Set(i, &v[i])
	}
	return w
}

func limbBytes(rows, n, bits int) int64 { return mp.DenseBytes(rows, n, bits) }

func limbCases(d *mpData, rows int, pool *parallel.Pool) ([]mpCase, error) {
	a := mp.NewDense(pool, rows, d.n, d.bits)
	for i := range rows {
		a.SetRow(i, limbVector(d.row(i), d.bits))
	}
	x, y, short := limbVector(d.x, d.bits), limbVector(d.y, d.bits), limbVector(d.x[:rows], d.bits)
	product, transposed, updated := mp.New(rows, d.bits), mp.New(d.n, d.bits), mp.New(d.n, d.bits)
	var sum *big.Float
	return []mpCase{
		{MPGEMV, rows * d.n, func() { a.MulVec(product, x) }, product.At},
		{MPGEMVTransposed, rows * d.n, func() { a.MulVecT(transposed, short) }, transposed.At},
		{MPDot, d.n, func() { sum = mp.Dot(pool, x, y) }, func(int) *big.Float { return sum }},
		{MPAXPY, d.n, func() { updated.Copy(y); updated.Axpy(pool, d.scale, x) }, updated.At},
	}, nil
}

func limbProduct(d *mpData, m *csr.Matrix, pool *parallel.Pool) (mpProduct, error) {
	a, x, y := mp.NewMatrix(pool, m), limbVector(d.x, d.bits), mp.New(m.Rows, d.bits)
	return mpProduct{mp.MatrixBytes(int64(m.Rows), int64(m.NNZ())), func() { a.MulVec(y, x) }, y.At}, nil
}
