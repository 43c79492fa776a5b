package lab

import (
	"math/big"

	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// errorOf returns the largest error of some elements of a result, relative to the sum of the magnitudes of their
// terms.
func (d *mpData) errorOf(c mpCase) (largest float64) {
	var exact, size, t big.Float
	prec := uint(2*d.bits + 64)
	relative := func(i int, a, x []big.Float, y *big.Float) {
		exact.SetPrec(prec).SetInt64(0)
		size.SetPrec(64).SetInt64(0)
		for j := range a {
			t.SetPrec(prec).Mul(&a[j], &x[j])
			exact.Add(&exact, &t)
			size.Add(&size, t.Abs(&t))
		}
		if y != nil {
			exact.Add(&exact, y)
			size.Add(&size, t.Abs(y))
		}
		e, _ := t.Quo(t.Abs(t.Sub(&exact, c.result(i))), &size).Float64()
		largest = max(largest, e)
	}
	switch c.operation {
	case MPGEMV:
		for _, i := range []int{0, c.terms/d.n - 1} {
			relative(i, d.row(i), d.x, nil)
		}
	case MPGEMVTransposed:
		rows := c.terms / d.n
		for _, j := range []int{0, d.n - 1} {
			column := make([]big.Float, rows)
			for i := range column {
				column[i].Set(&d.row(i)[j])
			}
			relative(j, column, d.x[:rows], nil)
		}
	case MPDot:
		relative(0, d.x, d.y, nil)
	case MPAXPY:
		for _, i := range []int{0, d.n - 1} {
			relative(i, []big.Float{*d.scale}, d.x[i:i+1], &d.y[i])
		}
	}
	return largest
}

// residuesCases returns the product with a matrix only: each product converts a vector, which costs more than an
// inner product.
func residuesCases(d *mpData, rows int, pool *parallel.Pool) ([]mpCase, error) {
	a, err := mp.NewResidueDense(rows, d.n, d.bits, d.row, pool)
	if err != nil {
		return nil, err
	}
	y := make([]big.Float, rows)
	return []mpCase{{
		MPGEMV, rows * d.n, func() { a.MulVec(y, d.x, pool) },
		func(i int) *big.Float { return &y[i] },
	}}, nil
}

func mpresBytes(rows, n, bits int) int64 {
	b, err := mp.ResidueBaseFor(bits)
	if err != nil {
		return 0
	}
	return b.ArrayBytes(rows * n)
}

func mpresCases(d *mpData, rows int, form mp.ResidueForm, pool *parallel.Pool) ([]mpCase, error) {
	b, err := mp.ResidueBaseFor(d.bits)
	if err != nil {
		return nil, err
	}
	a := b.NewMatrix(rows, d.n)
	pool.Each(rows, func(i int) {
		for j, v := range d.row(i) {
			a.Set(i, j, &v)
		}
	})
	array := func(v []big.Float) *mp.ResidueArray {
		w := b.NewArray(len(v))
		for i := range v {
			w.Set(i, &v[i])
		}
		return w
	}
	x, y, first := array(d.x), array(d.y), array(d.y)
	one, zero, scale := b.NewNumber().Set(big.NewFloat(1)), b.NewNumber(), b.NewNumber().Set(d.scale)
	sum := b.NewNumber()
	short := array(d.x[:rows])
	product, transposed := b.NewArray(rows), b.NewArray(d.n)
	cases := []mpCase{
		{MPGEMV, rows * d.n, func() { a.GEMV(form, one, x, zero, product, pool) }, product.At},
		{MPGEMVTransposed, rows * d.n, func() { a.GEMVTransposed(form, one, short, zero, transposed, pool) }, transposed.At},
	}
	if form == mp.ByNumber {
		return cases, nil
	}
	return append(
		cases,
		mpCase{MPDot, d.n, func() { sum = x.Dot(y) }, func(int) *big.Float { return sum.Float() }},
		mpCase{MPAXPY, d.n, func() { first.Copy(y); first.AXPY(scale, x) }, first.At},
	), nil
}

// bigBytes counts the words of the numbers and the memory besides them.
func bigBytes(rows, n, bits int) int64 { return int64(rows) * int64(n) * int64(bits/8+72) }

func bigCases(d *mpData, rows int, pool *parallel.Pool) ([]mpCase, error) {
	a := make([][]big.Float, rows)
	for i := range a {
		a[i] = d.row(i)
	}
	prec := uint(d.bits)
	product, transposed, axpy := make([]big.Float, rows), make([]big.Float, d.n), make([]big.Float, d.n)
	var sum big.Float
	dot := func(s *big.Float, n int, x func(j int) *big.Float, y []big.Float) {
		var t big.Float
		s.SetPrec(prec).SetInt64(0)
		t.SetPrec(prec)
		for j := range n {
			s.Add(s, t.Mul(x(j), &y[j]))
		}
	}
	return []mpCase{
		{MPGEMV, rows * d.n, func() {
			pool.Each(rows, func(i int) {
				dot(&product[i], d.n, func(j int) *big.Float { return &a[i][j] }, d.x)
			})
		}, func(i int) *big.Float { return &product[i] }},
		{MPGEMVTransposed, rows * d.n, func() {
			pool.Each(d.n, func(j int) {
				dot(&transposed[j], rows, func(i int) *big.Float { return &a[i][j] }, d.x)
			})
		}, func(j int) *big.Float { return &transposed[j] }},
		{MPDot, d.n, func() {
			dot(&sum, d.n, func(j int) *big.Float { return &d.x[j] }, d.y)
		}, func(int) *big.Float { return &sum }},
		{MPAXPY, d.n, func() {
			for i := range axpy {
				t := axpy[i].SetPrec(prec)
				t.Add(t.Mul(d.scale, &d.x[i]), &d.y[i])
			}
		}, func(i int) *big.Float { return &axpy[i] }},
	}, nil
}

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
