package matrixio

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
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

// Files of every format that is written are read by their names alone, and files with no matrix or no vector are
// refused.
func TestReadFile(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	matrix := filepath.Join(dir, "A.mtx")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(matrix, "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 -1\n")
	c, err := matrixmarket.ReadFile(ctx, matrix, matrixmarket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range Written() {
		if word == "npy" { // holds no sparse matrix
			continue
		}
		var text bytes.Buffer
		f := ByWord(word)
		if err := f.Write(&text, c, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, "A"+f.Suffixes[0])
		write(name, text.String())
		m, err := ReadFile(ctx, name)
		if err != nil || m.Rows != 2 || !slices.Equal(m.Val, []float64{4, -1, -1}) {
			t.Errorf("%s: %v, %v", word, m, err)
		}
	}
	vector := filepath.Join(dir, "b.mtx")
	write(vector, "%%MatrixMarket matrix array real general\n2 1\n1\n2\n")
	if v, err := ReadVector(ctx, vector); err != nil || !slices.Equal(v, []float64{1, 2}) {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := ReadVector(ctx, matrix); err == nil || !strings.Contains(err.Error(), "want a vector, not 2 columns") {
		t.Error(err)
	}
	write(vector, "%%MatrixMarket matrix array complex general\n1 1\n1 2\n")
	for _, name := range []string{vector, filepath.Join(dir, "absent")} {
		if _, err := ReadVector(ctx, name); err == nil {
			t.Errorf("%s is read as a vector", name)
		}
		if _, err := ReadFile(ctx, name); err == nil {
			t.Errorf("%s is read as a matrix", name)
		}
	}
}

// With ranks and one domain, rank 0 reads files of other formats, with a message; a fault is the same on all ranks.
func TestConcurrentRanks(t *testing.T) {
	for _, name := range []string{"csr.npz", "matrix.petsc", "a.mpx", "scipy.rua.gz", "two.mat"} {
		want, wantErr := readFile("testdata/"+name, matrixmarket.Options{})
		dist.Run(2, func(c dist.Comm) {
			opt := matrixmarket.DistributedOptions{Options: matrixmarket.Options{Other: Recognise}, Domains: 1}
			v, err := matrixmarket.ReadDistributed(t.Context(), c, "testdata/"+name, opt)
			if wantErr != nil {
				if err == nil || err.Error() != wantErr.Error() {
					t.Errorf("%s, rank %d: %v, want %v", name, c.Rank(), err, wantErr)
				}
				return
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			if !slices.Contains([]string{"by rank 0: its format is " + want.Form, "by rank 0: a compressed file", "by rank 0: one domain"}, v.How) || v.Form != want.Form || v.Rows != want.Rows {
				t.Errorf("%s, rank %d: %q, %q", name, c.Rank(), v.How, v.Form)
			}
			if c.Rank() == 0 && !slices.Equal(v.Matrix.Val, want.Matrix.Val) {
				t.Errorf("%s: other values", name)
			}
		})
	}
}
