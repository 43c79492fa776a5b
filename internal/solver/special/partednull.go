package special

import (
	"cmp"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// rowsSumToZero reports whether the entries of every row sum to zero, but for their rounding.
func (a parted) rowsSumToZero() bool {
	for _, p := range a.Parts {
		for i := p.First(); i < p.End(); i++ {
			if _, vals := a.Local.Row(i); !sumsToZero(vals) {
				return !dist.Any(a.Comm, true)
			}
		}
	}
	return !dist.Any(a.Comm, false)
}

// sumsToZero is rowsSumToZero for one row.
func sumsToZero(vals []float64) bool {
	var sum dd.DD
	var size float64
	for _, v := range vals {
		sum = sum.Add(dd.From(v))
		size += math.Abs(v)
	}
	return size > 0 && math.Abs(sum.Float()) <= 0x1p-53*float64(len(vals))*size
}

// nullError returns max_i |A v|_i / (sum_j |a_ij| |v|_inf).
func (a parted) nullError(v []float64) float64 {
	size := a.AbsMax(v)
	a.Halo.Exchange(v)
	return a.most(func(i int) float64 {
		cols, vals := a.Local.Row(i)
		var sum dd.DD
		var abs float64
		for k, j := range cols {
			sum = sum.AddProd(vals[k], v[j]/size)
			abs += math.Abs(vals[k])
		}
		if abs == 0 {
			return 0
		}
		return math.Abs(sum.Float()) / abs
	})
}

// LeftNullError returns max_j |y'A|_j / (sum_i |a_ij| |y|_inf).
func LeftNullError(m *csr.Matrix, y []float64) float64 { return whole(m, nil).leftNullError(y) }

// leftNullError is nullError of the transpose.
func (a parted) leftNullError(y []float64) float64 {
	worst, _ := a.leftDefects(y)
	return worst
}

// leftDefects returns leftNullError and |y'A|_1.
func (a parted) leftDefects(y []float64) (worst, norm float64) {
	product, abs, _ := a.leftProduct(y)
	norm = a.total(func(j int) float64 { return math.Abs(product[j].Float()) })
	return a.most(func(j int) float64 {
		if abs[j] == 0 {
			return 0
		}
		return math.Abs(product[j].Float()) / abs[j]
	}) / a.AbsMax(y), norm
}

// leftProduct returns y'A, and the sums of the magnitudes in the columns of A and in those of diag(y) A.
func (a parted) leftProduct(y []float64) (product []dd.DD, abs, terms []float64) {
	product, abs, terms = make([]dd.DD, a.Len), make([]float64, a.Len), make([]float64, a.Len)
	for _, p := range a.Parts {
		for i := p.First(); i < p.End(); i++ {
			cols, vals := a.Local.Row(i)
			for k, j := range cols {
				product[j] = product[j].AddProd(vals[k], y[i])
				abs[j] += math.Abs(vals[k])
				terms[j] += math.Abs(vals[k] * y[i])
			}
		}
	}
	plus := func(a, b float64) float64 { return a + b }
	dist.Fold(a.Halo, product, dd.DD.Add)
	dist.Fold(a.Halo, abs, plus)
	dist.Fold(a.Halo, terms, plus)
	return product, abs, terms
}

// weigh returns the evidence of y, computed in double-double arithmetic, with the elements of this rank of y. Where the large elements are a null vector without the
// small ones, and show nothing, the small ones are roundings, which may be all of y'b, or a null vector of their own, which then is the evidence.
func (a parted) weigh(y, b []float64) solve.Evidence {
	e := a.evidence(y, b)
	if Shows(e, int(a.N)) {
		large, small := a.bySize(y, b)
		if l := a.evidence(large, b); l.Product < productTol && a.isNull(l) {
			return a.weigh(small, b)
		}
		e.Rows = a.rowsOf(large)
	}
	return e
}

// isNull reports whether v is evidence but for its product with b.
func (a parted) isNull(v solve.Evidence) bool {
	v.Product = 1
	return Shows(v, int(a.N))
}

// evidence returns the evidence of y, small elements included, without rows.
func (a parted) evidence(y, b []float64) solve.Evidence {
	product, _, terms := a.leftProduct(y)
	yb, share := a.contradiction(y, b)
	return solve.Evidence{
		Y: a.own(y),
		Null: a.most(func(j int) float64 {
			if r := math.Abs(product[j].Float()); r > 0 {
				return r / terms[j]
			}
			return 0
		}),
		Product:  share,
		Smallest: yb / a.total(func(j int) float64 { return math.Abs(product[j].Float()) }),
	}
}

// contradiction returns |y'b|, and its share of |y|'|b|; 0 if both are zero.
func (a parted) contradiction(y, b []float64) (yb, share float64) {
	yb = math.Abs(a.dot(y, b))
	return yb, yb / cmp.Or(a.total(func(i int) float64 { return math.Abs(y[i] * b[i]) }), 1)
}

// bySize returns y without elements that are small, each in the size of its row, and those alone.
func (a parted) bySize(y, b []float64) (large, small []float64) {
	size := a.each(a.New(), func(i int) float64 {
		_, vals := a.Local.Row(i)
		return math.Abs(y[i]) * cmp.Or(AbsMax(vals), math.Abs(b[i]))
	})
	least := smallElement * a.AbsMax(size)
	small = a.New()
	return a.each(a.New(), func(i int) float64 {
		if size[i] > least {
			return y[i]
		}
		small[i] = y[i]
		return 0
	}), small
}

// rowsOf returns the equations that a combination y consists of; nil: there are more than mostNamed.
func (a parted) rowsOf(y []float64) (rows []int) {
	var own []int64
	for _, p := range a.Parts {
		for i := p.First(); i < p.End() && len(own) <= mostNamed; i++ {
			if y[i] != 0 {
				own = append(own, a.Global(i))
			}
		}
	}
	for _, row := range a.all(own) {
		rows = append(rows, int(row))
	}
	if len(rows) > mostNamed {
		return nil
	}
	return slices.Clip(rows)
}
