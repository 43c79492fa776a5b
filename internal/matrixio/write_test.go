package matrixio

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// checkRoundTrips writes content in every format and reads it back: the numbers are the same.
func checkRoundTrips(t *testing.T, c *matrixmarket.Content) {
	t.Helper()
	for _, f := range Formats {
		if f.write == nil || f.Memory(c) > 1<<26 {
			continue
		}
		var b bytes.Buffer
		err := f.Write(&b, c, WriteOptions{Comment: "a test"})
		if refuses := c.Matrix == nil && f.Word == "rb" || c.Matrix != nil && f.Word == "npy"; refuses != (err != nil) {
			t.Fatalf("%s: writing: %v", f.Name, err)
		}
		if err != nil {
			continue
		}
		d, err := matrixmarket.Read(t.Context(), bytes.NewReader(b.Bytes()), "x.bin", matrixmarket.Options{Other: Recognise, Threads: 2, MaxMemory: 1 << 26})
		if f.Word == "petsc" && c.Imag != nil && c.Rows > 0 && len(c.Imag) > 0 {
			d, err = readMemory(b.Bytes(), matrixmarket.Options{Threads: 2})
		}
		if err != nil {
			t.Fatalf("%s: reading: %v\n%q", f.Name, err, b.Bytes())
		}
		if why := difference(c, d); why != "" {
			t.Fatalf("%s: other %s", f.Name, why)
		}
	}
}

// difference describes how two contents differ, except for zeros, which need not be kept.
func difference(c, d *matrixmarket.Content) string {
	if c.Rows != d.Rows || c.Cols != d.Cols {
		return "dimensions"
	}
	if c.Matrix == nil {
		if !slices.Equal(c.Dense, d.Dense) || !slices.Equal(c.Imag, d.Imag) && len(c.Imag)+len(d.Imag) > 0 && !allZero(c.Imag) {
			return "values"
		}
		return ""
	}
	p, pi := nonzeros(c)
	q, qi := nonzeros(d)
	switch {
	case !slices.Equal(p.RowPtr, q.RowPtr) || !slices.Equal(p.Col, q.Col):
		return "pattern"
	case !slices.Equal(p.Val, q.Val):
		return "values"
	case !slices.Equal(pi, qi):
		return "imaginary parts"
	}
	return ""
}

func allZero(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return x != 0 })
}

// nonzeros returns a matrix without zeros.
func nonzeros(c *matrixmarket.Content) (*csr.Matrix, []float64) {
	m := &csr.Matrix{Rows: c.Rows, Cols: c.Cols, RowPtr: []int64{0}}
	var imag []float64
	for i := range c.Rows {
		for k := c.Matrix.RowPtr[i]; k < c.Matrix.RowPtr[i+1]; k++ {
			v, w := c.Matrix.Val[k], 0.0
			if c.Imag != nil {
				w = c.Imag[k]
			}
			if v != 0 || w != 0 {
				m.Col, m.Val, imag = append(m.Col, c.Matrix.Col[k]), append(m.Val, v), append(imag, w)
			}
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
	}
	return m, imag
}

// Random matrices and arrays, real and complex, of every symmetry, survive every format bit for bit.
func TestRoundTrips(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 60 {
		rows, cols := rng.IntN(12), rng.IntN(12)
		h := matrixmarket.Header{Symmetry: matrixmarket.Symmetry(n % 4)}
		if h.Symmetry != matrixmarket.General {
			cols = rows
		}
		if n%3 == 0 || h.Symmetry == matrixmarket.Hermitian {
			h.Field = matrixmarket.Complex
		}
		e := &matrixmarket.Entries{Header: h, Rows: rows, Cols: cols, Val: []float64{}}
		if h.Field == matrixmarket.Complex {
			e.Imag = []float64{}
		}
		for i := range rows {
			for j := range cols {
				if rng.IntN(3) > 0 || h.Symmetry != matrixmarket.General && j > i || h.Symmetry == matrixmarket.SkewSymmetric && i == j {
					continue
				}
				e.Row, e.Col, e.Val = append(e.Row, int32(i)), append(e.Col, int32(j)), append(e.Val, rng.NormFloat64()*float64(rng.IntN(10)))
				if e.Imag != nil {
					w := rng.NormFloat64()
					if i == j && h.Symmetry == matrixmarket.Hermitian {
						w = 0
					}
					e.Imag = append(e.Imag, w)
				}
			}
		}
		c, err := e.Content(t.Context(), "random", 1<<20, matrixmarket.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := Symmetry(c); c.Matrix.NNZ() > 12 && got != h.Symmetry {
			t.Errorf("a %v matrix is found to be %v", h.Symmetry, got)
		}
		checkRoundTrips(t, c)
		dense := matrixmarket.NewContent("random", 1<<20, matrixmarket.Header{Field: h.Field}, rows, cols, matrixmarket.Options{})
		v, w := make([]float64, rows*cols), []float64(nil)
		if h.Field == matrixmarket.Complex {
			w = make([]float64, rows*cols)
		}
		for k := range v {
			v[k] = rng.NormFloat64()
			if w != nil {
				w[k] = rng.NormFloat64()
			}
		}
		dense.SetDense(v, w)
		checkRoundTrips(t, dense)
	}
}
