package matrixmarket

import (
	"bytes"
	"errors"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

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
