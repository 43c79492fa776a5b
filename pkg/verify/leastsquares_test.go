package verify

import (
	"math"
	"sync"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// tilted is a matrix whose columns have different sizes, with some rows and columns of zeros.
func tilted(rows, cols int) *csr.Matrix {
	m := &csr.Matrix{Rows: rows, Cols: cols, RowPtr: []int64{0}}
	v := testsupport.Random(4, rows*cols)
	for i := range rows {
		for j := range cols {
			if (i*7+j*3)%5 < 2 && j%11 != 4 && i%13 != 6 {
				m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, v[i*cols+j]*math.Pow(2, float64(40*(j%3))))
			}
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Col)))
	}
	return m
}

// cosines are LeastSquares by their definition.
func cosines(m *csr.Matrix, x, b []float64) (e LeastSquares) {
	r, rr := make([]float64, m.Rows), 0.0
	m.MulVec(r, x)
	for i := range r {
		r[i] = b[i] - r[i]
		rr += r[i] * r[i]
	}
	var product, size float64
	for j := range m.Cols {
		var ar, aa float64
		for i := range m.Rows {
			a := m.At(i, j)
			ar, aa = ar+a*r[i], aa+a*a
		}
		if aa > 0 {
			e.Columns = max(e.Columns, math.Abs(ar)/math.Sqrt(aa*rr))
		}
		product, size = product+ar*ar, size+aa
	}
	e.Normal = math.Sqrt(product / size / rr)
	return e
}

// The errors of least squares are those of the definition, on one rank and over domains, where all ranks have the same bits for any number of them.
func TestLeastSquaresRanksConcurrent(t *testing.T) {
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-12*want }
	for _, shape := range [][2]int{{90, 40}, {40, 90}, {300, 7}} {
		m := tilted(shape[0], shape[1])
		x, b := testsupport.Random(5, m.Cols), testsupport.Random(6, m.Rows)
		for j := range x {
			x[j] = math.Ldexp(x[j], -40*(j%3))
		}
		want := cosines(m, x, b)
		whole, err := ComputeLeastSquares(m, x, b, nil)
		if err != nil || !near(whole.Columns, want.Columns) || !near(whole.Normal, want.Normal) {
			t.Errorf("%v: %+v, want %+v, %v", shape, whole, want, err)
		}
		errors, err := Compute(m, x, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, domains := range []int{1, 2, 3, 7} {
			var mu sync.Mutex
			var first *LeastSquares
			for _, ranks := range []int{1, 2, 3, 5} {
				dist.Run(ranks, func(c dist.Comm) {
					a, err := dist.Spread(c, m, domains)
					if err != nil {
						t.Error(err)
						return
					}
					rows, cols := a.Sides()
					ownX, ownB := make([]float64, a.Len), make([]float64, a.Len)
					a.SpreadOver(cols, ownX, dist.Scatter(c, cols, x))
					a.SpreadOver(rows, ownB, dist.Scatter(c, rows, b))
					e, got := ComputeDistributed(a, ownX, ownB, false, nil)
					mu.Lock()
					if first == nil {
						first = got
					}
					if *got != *first || !near(got.Columns, want.Columns) || !near(got.Normal, want.Normal) {
						t.Errorf("%v, %d domains, rank %d of %d: %+v, want %+v, of rank 0 %+v", shape, domains, c.Rank(), ranks, *got, want, *first)
					}
					if e.Row != errors.Row || e.Componentwise != errors.Componentwise || !near(e.RelativeResidual, errors.RelativeResidual) {
						t.Errorf("%v, %d domains: %+v, want %+v", shape, domains, e, errors)
					}
					mu.Unlock()
					for _, p := range a.Parts {
						ownX[p.First()] = math.NaN()
					}
					if _, got := ComputeDistributed(a, ownX, ownB, false, nil); !math.IsInf(got.Columns, 1) || !math.IsInf(got.Normal, 1) {
						t.Errorf("x with NaN: %+v", got)
					}
				})
			}
		}
	}
}

// What cancels between domains does so to the last bits of double-double numbers.
func TestLeastSquaresCancelBetweenRanksConcurrent(t *testing.T) {
	const half = 60
	v, w := testsupport.Random(1, half), testsupport.Random(2, half)
	m, b := &csr.Matrix{Rows: 2 * half, Cols: 1, RowPtr: []int64{0}}, append(w, w...)
	for i := range b {
		m.Col, m.Val = append(m.Col, 0), append(m.Val, v[i%half])
		if i >= half {
			m.Val[i] = -v[i%half]
		}
		m.RowPtr = append(m.RowPtr, int64(i+1))
	}
	dist.Run(2, func(c dist.Comm) {
		a, err := dist.Spread(c, m, 2)
		if err != nil {
			t.Error(err)
			return
		}
		rows, _ := a.Sides()
		own := make([]float64, a.Len)
		a.SpreadOver(rows, own, dist.Scatter(c, rows, b))
		if _, e := ComputeDistributed(a, make([]float64, a.Len), own, false, nil); rows.Start[1] != half || !(e.Columns < 1e-28) {
			t.Errorf("from row %d on: %+v", rows.Start[1], e)
		}
	})
}
