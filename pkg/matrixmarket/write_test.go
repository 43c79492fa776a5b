package matrixmarket

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// randomMatrix returns a matrix with rows of many lengths and values of all
// sizes; symmetric if wanted.
func randomMatrix(rng *rand.Rand, n int, symmetric bool) *csr.Matrix {
	specials := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 5e-324, 0.1, 1e23}
	rows := make([]map[int32]float64, n)
	for i := range rows {
		rows[i] = map[int32]float64{}
	}
	for range 4 * n {
		i, j := rng.IntN(n), rng.IntN(n)
		v := math.Float64frombits(rng.Uint64())
		if rng.IntN(8) == 0 || math.IsNaN(v) {
			v = specials[rng.IntN(len(specials))]
		}
		rows[i][int32(j)] = v
		if symmetric {
			rows[j][int32(i)] = v
		}
	}
	m := &csr.Matrix{Rows: n, Cols: n, RowPtr: []int64{0}}
	for _, r := range rows {
		for j := range int32(n) {
			if v, ok := r[j]; ok {
				m.Col, m.Val = append(m.Col, j), append(m.Val, v)
			}
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
	}
	return m
}

func TestWriteRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{1, 2, 30, 6000} {
		for _, symmetric := range []bool{false, true} {
			m := randomMatrix(rng, min(n, 6000), symmetric)
			for _, threads := range []int{1, 3} {
				var b bytes.Buffer
				opt := WriteOptions{Symmetric: symmetric, Threads: threads, Comments: []string{"made by a test", "two\nlines"}}
				if err := Write(&b, m, opt); err != nil {
					t.Fatal(err)
				}
				c := mustRead(t, b.String(), Options{KeepZeros: true})
				if diff := difference(c, &Content{
					Header: Header{Symmetry: map[bool]Symmetry{true: Symmetric}[symmetric]}, Rows: m.Rows, Cols: m.Cols, Stored: c.Stored, Matrix: m,
					Zeros: c.Zeros, NonFinite: c.NonFinite, NonFiniteLine: c.NonFiniteLine, Warnings: c.Warnings,
				}); diff != "" {
					t.Fatalf("n = %d, symmetric %t: %s differs", n, symmetric, diff)
				}
			}
		}
	}
}

func TestWriteText(t *testing.T) {
	m := &csr.Matrix{Rows: 2, Cols: 2, RowPtr: []int64{0, 2, 3}, Col: []int32{0, 1, 0}, Val: []float64{1, 0.1, 0.1}}
	var b bytes.Buffer
	if err := Write(&b, m, WriteOptions{Symmetric: true, Comments: []string{"a\r\nb", ""}}); err != nil {
		t.Fatal(err)
	}
	want := "%%MatrixMarket matrix coordinate real symmetric\n% a\n% b\n%\n2 2 2\n1 1 1\n2 1 0.1\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	b.Reset()
	if err := WriteDense(&b, 2, 1, []float64{1e-7, -3}, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if want := arrayReal + "2 1\n1e-07\n-3\n"; b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	b.Reset()
	if err := Write(&b, &csr.Matrix{}, WriteOptions{}); err != nil || b.String() != coordReal+"0 0 0\n" {
		t.Errorf("empty matrix: %v, %q", err, b.String())
	}
}

func TestWriteDenseRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	x := make([]float64, 50000)
	for k := range x {
		x[k] = math.Float64frombits(rng.Uint64())
		if math.IsNaN(x[k]) {
			x[k] = 0
		}
	}
	var b bytes.Buffer
	if err := WriteDense(&b, 25000, 2, x, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	c := mustRead(t, b.String(), Options{})
	if !sameBits(c.Dense, x) || c.Rows != 25000 || c.Cols != 2 {
		t.Error("the array differs")
	}
}

func TestWriteRefuses(t *testing.T) {
	sym := WriteOptions{Symmetric: true}
	for name, m := range map[string]*csr.Matrix{
		"wide":           {Rows: 1, Cols: 2, RowPtr: []int64{0, 0}},
		"upper alone":    {Rows: 2, Cols: 2, RowPtr: []int64{0, 1, 1}, Col: []int32{1}, Val: []float64{1}},
		"lower alone":    {Rows: 2, Cols: 2, RowPtr: []int64{0, 0, 1}, Col: []int32{0}, Val: []float64{1}},
		"unequal":        {Rows: 2, Cols: 2, RowPtr: []int64{0, 1, 2}, Col: []int32{1, 0}, Val: []float64{1, 2}},
		"broken offsets": {Rows: 2, Cols: 2, RowPtr: []int64{0, 3, 2}, Col: []int32{1, 0}, Val: []float64{1, 1}},
	} {
		if err := Write(&bytes.Buffer{}, m, sym); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if err := WriteDense(&bytes.Buffer{}, 2, 2, make([]float64, 3), WriteOptions{}); err == nil {
		t.Error("an array of the wrong length was written")
	}
	// Full disks, wherever they become full.
	m := randomMatrix(rand.New(rand.NewPCG(15, 16)), 9000, false)
	for _, room := range []int{0, 10, 60, 1000, 500000} {
		for _, threads := range []int{1, 4} {
			if err := Write(&fullDisk{room}, m, WriteOptions{Threads: threads}); !errors.Is(err, errFull) {
				t.Errorf("room for %d bytes: got %v", room, err)
			}
		}
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{ room int }

func (d *fullDisk) Write(buf []byte) (int, error) {
	if len(buf) > d.room {
		return d.room, errFull
	}
	d.room -= len(buf)
	return len(buf), nil
}

func TestContentCSR(t *testing.T) {
	c := mustRead(t, arrayReal+"2 3\n1\n0\n2\n3\n0\n4\n", Options{})
	m, err := c.CSR()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(m.RowPtr, m.Col, m.Val); got != "[0 2 4] [0 1 1 2] [1 2 3 4]" {
		t.Errorf("got %s", got)
	}
	for _, s := range []string{arrayReal + "0 5\n", arrayReal + "5 0\n", coordReal + "0 0 0\n"} {
		c := mustRead(t, s, Options{})
		m, err := c.CSR()
		if err != nil || m.Validate() != nil || m.Rows != c.Rows || m.Cols != c.Cols {
			t.Errorf("%q: %v", s, err)
		}
		if x, err := c.Columns(); err != nil || len(x) != c.Cols {
			t.Errorf("%q: %d columns, %v", s, len(x), err)
		}
	}
	c = mustRead(t, coordCplx+"1 1 1\n1 1 1 0\n", Options{})
	if _, err := c.CSR(); err == nil || !strings.Contains(err.Error(), "complex") {
		t.Errorf("CSR of complex: %v", err)
	}
	if _, err := c.Columns(); err == nil || !strings.Contains(err.Error(), "complex") {
		t.Errorf("Columns of complex: %v", err)
	}
}

// TestComplex has the decisions that concern imaginary parts.
func TestComplex(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"general", coordCplx + "1 2 2\n1 1 1 -2\n1 2 0 3\n", "[1 0] [-2 3] []"},
		{"zero", coordCplx + "1 2 2\n1 1 0 0\n1 2 1D1 nan\n", "[10] [NaN] [1 value not finite: nan, infinity or overflow, the first on line 4]"},
		{"symmetric", "%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 1 2\n", "[1 1] [2 2] []"},
		{"skew-symmetric", "%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 1 2\n", "[-1 1] [-2 2] []"},
		{
			"skew-symmetric with diagonal", "%%MatrixMarket matrix coordinate complex skew-symmetric\n1 1 1\n1 1 0 2\n",
			"[0] [2] [1 diagonal entry not zero as a skew-symmetric matrix demands, kept as written, the first on line 3]",
		},
		{"hermitian", coordHerm + "2 2 1\n2 1 1 2\n", "[1 1] [-2 2] []"},
		{"hermitian from above", coordHerm + "2 2 1\n1 2 1 2\n", "[1 1] [2 -2] [1 entry above the diagonal of a hermitian matrix, the first on line 3: read as if below]"},
		{"hermitian diagonal", coordHerm + "2 2 2\n1 1 1 0\n2 2 1 2\n", "[1 1] [0 2] [1 diagonal entry not real as a hermitian matrix demands, kept as written, the first on line 4]"},
		{
			"array hermitian", "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 5\n",
			"[1 2 2 4] [0 3 -3 5] [the diagonal of a hermitian matrix must be real, that of row 2 is not: kept as written]",
		},
		{"array skew-symmetric", "%%MatrixMarket matrix array complex skew-symmetric\n2 2\n2 3\n", "[0 2 -2 0] [0 3 -3 0] []"},
		{
			"vector", "%%MatrixMarket vector coordinate complex general\n2 3\n2 1 2\n1 5 6\n2 1 1\n",
			"[5 2] [6 3] [the object vector is an extension of the format: read as a matrix of one column 1 entry added to an earlier one with the same indices]",
		},
	}
	for _, test := range tests {
		for _, opt := range []Options{{}, {Threads: 3, pieceSize: 4}} {
			c := mustRead(t, test.text, opt)
			re := c.Dense
			if c.Matrix != nil {
				re = c.Matrix.Val
			}
			if got := fmt.Sprint(re, c.Imag, c.Warnings); got != test.want {
				t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, test.want)
			}
		}
	}
}
