package linop

import (
	"sync"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// A SeveralOperator does several products at once, with epilogues of their own.
type SeveralOperator interface {
	Operator[[]float64, Float64]

	// Several does the products, with the bits of one after the other, and sets their Sums.
	Several(products []Product)
}

var _ SeveralOperator = (*products)(nil)

// Several does the products, with the bits of one after the other, and sets their Sums: in one pass over the
// matrix for every 8 of them. If the rows are RowsMulti that gain by it, sources are interleaved,
// which takes 8 numbers for each column, and results are separated panel by panel. rowsByPanel are multiplied
// with one vector after the other panel by panel, so that each panel comes from memory once.
func (a *products) Several(products []Product) {
	for len(products) > 0 {
		n := min(len(products), MostTogether)
		a.together(products[:n])
		products = products[n:]
	}
}

// together does at most MostTogether products.
func (a *products) together(products []Product) {
	width := groupWidth(len(products))
	rows, can := a.rows.(RowsMulti)
	if !can || width == 1 || !rows.Together(width, false) {
		if by, ok := a.rows.(rowsByPanel); !ok || !by.ByPanel() || width == 1 {
			for k := range products {
				p := &products[k]
				a.run(*p)
				a.add(p, a.partial)
			}
			return
		}
		rows = nil
	}
	j := &a.several
	j.begin(a, rows, products, width)
	if rows != nil {
		j.gathering = true
		a.pool.Run(len(j.columns)-1, j)
		j.gathering = false
		rows.BeginMulti(j.x, width)
	}
	a.pool.Run(a.Panels(), j)
	for k := range products {
		a.add(&products[k], j.partial[k])
	}
	j.rows, j.products = nil, nil
}

// add computes the sums of a product from the sums of its panels.
func (a *products) add(p *Product, partial []float64) {
	switch p.Epilogue {
	case WithDot:
		a.reducer.Sum(p.Sums[:1], partial[:a.Panels()])
	case WithDots:
		a.reducer.Sum(p.Sums[:], partial)
	}
}

// severalProducts are products in one pass, as two parallel jobs: interleaving their sources, and
// multiplying panel by panel.
type severalProducts struct {
	of        *products
	rows      RowsMulti // nil: a.rows are rowsByPanel
	products  []Product
	width     int       // 2, 4 or 8
	x         []float64 // sources, interleaved
	columns   []int     // range k of sources is columns[k] to columns[k+1]-1
	gathering bool
	partial   [MostTogether][]float64 // of each product, see products.partial
}

// begin makes room.
func (j *severalProducts) begin(a *products, rows RowsMulti, products []Product, width int) {
	_, cols := a.Dims()
	j.of, j.rows, j.products, j.width = a, rows, products, width
	if rows != nil {
		if cap(j.x) < width*cols {
			j.x = make([]float64, width*cols)
		}
		j.x = j.x[:width*cols]
	}
	if j.columns == nil {
		for at := 0; at < cols; at += blockSize {
			j.columns = append(j.columns, at)
		}
		j.columns = append(j.columns, cols)
	}
	for k := range products {
		if j.partial[k] == nil {
			j.partial[k] = make([]float64, len(a.partial))
		}
	}
}

// severalRows are the rows of a panel of all products, interleaved.
var severalRows = sync.Pool{New: func() any { return new([]float64) }}

// Do interleaves a range of the sources, or does the products of a panel.
func (j *severalProducts) Do(k int) {
	var vectors [MostTogether][]float64
	if j.gathering {
		lo, hi := j.columns[k], j.columns[k+1]
		for v := range j.products {
			vectors[v] = j.products[v].Src[lo:hi]
		}
		kernels.Interleave(j.x[j.width*lo:j.width*hi], vectors[:j.width])
		return
	}
	if j.rows == nil {
		for v := range j.products {
			j.of.Panel(&j.products[v], k, j.sums(v, k))
		}
		return
	}
	lo, hi := j.of.panel[k], j.of.panel[k+1]
	work := severalRows.Get().(*[]float64)
	defer severalRows.Put(work)
	n := j.width * (hi - lo)
	if cap(*work) < n {
		*work = make([]float64, n)
	}
	y := (*work)[:n]
	j.rows.MulRowsMulti(y, j.width, k, lo, hi, j.x)
	for v := range j.products {
		vectors[v] = j.products[v].Dst[lo:hi]
	}
	kernels.Separate(vectors[:j.width], y)
	for v := range j.products {
		j.of.follow(&j.products[v], lo, hi, j.sums(v, k))
	}
}

// sums returns where the sums of panel k of product v go.
func (j *severalProducts) sums(v, k int) []float64 {
	if j.products[v].Epilogue == WithDots {
		return j.partial[v][2*k:]
	}
	return j.partial[v][k:]
}
