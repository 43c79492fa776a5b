package matrixmarket

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// randomMatrix returns a matrix with rows of many lengths and values of all
// sizes; symmetric if wanted.
func randomMatrix(t *testing.T, rng *rand.Rand, n int, symmetric bool) *csr.Matrix {
	t.Helper()
	specials := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 5e-324, 0.1, 1e23}
	value := func() float64 {
		if v := math.Float64frombits(rng.Uint64()); rng.IntN(8) > 0 && v == v {
			return v
		}
		return specials[rng.IntN(len(specials))]
	}
	b, err := csr.NewBuilder(n, n)
	for i := range n {
		for j := i + rng.IntN(2); j < n; j += 1 + rng.IntN(n) {
			v := value()
			err = errors.Join(err, b.Add(i, j, v))
			if !symmetric {
				v = value()
			}
			if i < j {
				err = errors.Join(err, b.Add(j, i, v))
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Build()
}

// What is written is read back to the bit.
func TestWriteRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{1, 2, 30, 9000} {
		for _, symmetric := range []bool{false, true} {
			m := randomMatrix(t, rng, n, symmetric)
			for _, threads := range []int{1, 3} {
				var b bytes.Buffer
				opt := WriteOptions{Symmetric: symmetric, Threads: threads, Comments: []string{"made by a test", "two\nlines"}}
				if err := Write(&b, m, opt); err != nil {
					t.Fatal(err)
				}
				c := mustRead(t, b.String(), Options{KeepZeros: true})
				want := *c
				want.Header, want.Rows, want.Cols, want.Matrix = Header{}, m.Rows, m.Cols, m
				if symmetric {
					want.Symmetry = Symmetric
				}
				if diff := difference(c, &want); diff != "" {
					t.Fatalf("n = %d, symmetric %t: %s differs", n, symmetric, diff)
				}
				b.Reset()
				if err := WriteDense(&b, m.NNZ(), 1, m.Val, nil, WriteOptions{Threads: threads}); err != nil {
					t.Fatal(err)
				}
				if c := mustRead(t, b.String(), Options{}); !sameBits(c.Dense, m.Val) || c.Rows != m.NNZ() || c.Cols != 1 {
					t.Fatalf("n = %d: the array differs", n)
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
	if err := WriteDense(&b, 2, 1, []float64{1e-7, -3}, nil, WriteOptions{}); err != nil {
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
	if err := WriteDense(&bytes.Buffer{}, 2, 2, make([]float64, 3), nil, WriteOptions{}); err == nil {
		t.Error("an array of the wrong length was written")
	}
	// Full disks, wherever they become full.
	m := randomMatrix(t, rand.New(rand.NewPCG(15, 16)), 9000, false)
	for _, room := range []int{0, 10, 60, 1000, 500000} {
		for _, threads := range []int{1, 4} {
			if err := Write(&fullDisk{room}, m, WriteOptions{Threads: threads}); !errors.Is(err, errFull) {
				t.Errorf("room for %d bytes: got %v", room, err)
			}
		}
	}
}

// A disk that becomes full while other pieces are being formatted ends the write.
func TestWriteEndsOnFullDisk(t *testing.T) {
	x := make([]float64, 64*writePiece)
	for range 20 {
		done := make(chan error, 1)
		go func() { done <- WriteDense(&fullDisk{room: 100}, len(x), 1, x, nil, WriteOptions{Threads: 4}) }()
		select {
		case err := <-done:
			if !errors.Is(err, errFull) {
				t.Fatalf("got %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("the write hangs")
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

// Numbers of multiple precision are written with the digits asked for, and read back as the nearest float64.
func TestWriteDensePreciseConcurrent(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const rows = 2*writePiece + 5
	digits := []int{50, 17}
	x := make([]*big.Float, rows*len(digits))
	for k := range x {
		x[k] = new(big.Float).SetPrec(300).SetFloat64(rng.NormFloat64())
		x[k].Quo(x[k], big.NewFloat(3))
		x[k].SetMantExp(x[k], rng.IntN(1000)-500)
	}
	at := func(i, k int) *big.Float { return x[k*rows+i] }
	var one, four bytes.Buffer
	for threads, w := range map[int]*bytes.Buffer{1: &one, 4: &four} {
		if err := WriteDensePrecise(w, rows, digits, at, WriteOptions{Threads: threads, Comments: []string{"x"}}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), four.Bytes()) {
		t.Error("the text depends on the threads")
	}
	lines := strings.Split(strings.TrimSpace(one.String()), "\n")[3:]
	if len(lines) != len(x) {
		t.Fatalf("%d lines for %d numbers", len(lines), len(x))
	}
	for k, line := range lines {
		if testing.Short() && k%100 > 0 {
			continue
		}
		v, _, err := big.ParseFloat(line, 10, 400, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		d := new(big.Float).Sub(v, x[k])
		limit, _, _ := big.ParseFloat("0.51e"+exponentOf(line, digits[k/rows]), 10, 400, big.ToNearestEven)
		if d.Abs(d).Cmp(limit) > 0 {
			t.Fatalf("%v written as %s", x[k], line)
		}
	}
	content, err := Read(t.Context(), &one, "x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	columns, err := content.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for k := range x {
		want, _ := x[k].Float64()
		if got := columns[k/rows][k%rows]; k < rows && got != want {
			t.Fatalf("%v read as %v", x[k], got)
		}
	}
}

// exponentOf is the exponent of the last of so many digits.
func exponentOf(text string, digits int) string {
	_, exponent, _ := strings.Cut(text, "e")
	e, _ := new(big.Int).SetString(strings.TrimPrefix(exponent, "+"), 10)
	return e.Sub(e, big.NewInt(int64(digits-1))).String()
}

func TestWriteDensePreciseRefuses(t *testing.T) {
	at := func(int, int) *big.Float { return big.NewFloat(1) }
	if err := WriteDensePrecise(&bytes.Buffer{}, 3, []int{0}, at, WriteOptions{}); err == nil {
		t.Error("no digits")
	}
	if err := WriteDensePrecise(&bytes.Buffer{}, -3, []int{20}, at, WriteOptions{}); err == nil {
		t.Error("negative rows")
	}
	full := errors.New("full")
	if err := WriteDensePrecise(failing{full}, 3, []int{20}, at, WriteOptions{}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	var empty bytes.Buffer
	if err := WriteDensePrecise(&empty, 0, nil, at, WriteOptions{}); err != nil || empty.String() != "%%MatrixMarket matrix array real general\n0 0\n" {
		t.Errorf("%q, %v", empty.String(), err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
