package matrixmarket

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

type place struct{ i, j int }

// reference reads a coordinate file line by line, without any cleverness.
func reference(t *testing.T, s string) (rows, cols int, m map[place]complex128) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(s))
	lines.Scan()
	banner := strings.Fields(strings.ToLower(lines.Text()))
	field, symmetry := banner[3], banner[4]
	m = map[place]complex128{}
	parse := func(word string) float64 {
		v, err := strconv.ParseFloat(strings.Replace(word, "D", "E", 1), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	sized := false
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0][0] == '%' {
			continue
		}
		i, _ := strconv.Atoi(words[0])
		j, _ := strconv.Atoi(words[1])
		if !sized {
			rows, cols, sized = i, j, true
			continue
		}
		re, im := 1.0, 0.0
		if field != "pattern" {
			re = parse(words[2])
		}
		if field == "complex" {
			im = parse(words[3])
		}
		m[place{i - 1, j - 1}] += complex(re, im)
		if i == j {
			continue
		}
		switch symmetry {
		case "symmetric":
			m[place{j - 1, i - 1}] += complex(re, im)
		case "skew-symmetric":
			m[place{j - 1, i - 1}] += complex(-re, -im)
		case "hermitian":
			m[place{j - 1, i - 1}] += complex(re, -im)
		}
	}
	return rows, cols, m
}

// randomFile writes a legal coordinate file in all sorts of forms.
func randomFile(rng *rand.Rand) string {
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	field := pick("real", "double", "integer", "pattern", "complex", "Real")
	symmetry := pick("general", "general", "symmetric", "skew-symmetric", "hermitian")
	if field == "pattern" && symmetry == "skew-symmetric" {
		symmetry = "general"
	}
	rows := 1 + rng.IntN(12)
	cols := 1 + rng.IntN(12)
	if symmetry != "general" {
		cols = rows
	}
	if rng.IntN(4) == 0 { // long rows, sorted in another way than short ones
		cols *= 40
		rows = cmp.Or(map[bool]int{true: rows, false: cols}[symmetry == "general"], rows)
	}
	n := rng.IntN(3 * max(rows, cols))
	number := func() string {
		v := math.Round(rng.NormFloat64()*100) / float64(int(1)<<rng.IntN(5))
		switch rng.IntN(5) {
		case 0:
			return fmt.Sprintf("%+.17e", rng.NormFloat64())
		case 1:
			return strings.Replace(fmt.Sprintf("%.5E", v), "E", "D", 1)
		case 2:
			return "0"
		}
		return fmt.Sprint(v)
	}
	blank := func() string { return pick(" ", " ", "  ", "\t", " \t ") }
	end := func() string {
		return pick("", "", "", " ", "\r") + "\n" + pick("", "", "", "", "\n", " \n", "% remark\n")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate %s %s\n%s%d %d %d\n", field, symmetry, pick("", "%x\n\n"), rows, cols, n)
	for range n {
		i, j := 1+rng.IntN(rows), 1+rng.IntN(cols)
		if symmetry != "general" {
			i, j = max(i, j), min(i, j)
		}
		b.WriteString(pick("", "", " ") + strconv.Itoa(i) + blank() + strconv.Itoa(j))
		values := map[string]int{"pattern": 0, "complex": 2}
		count, ok := values[field]
		if !ok {
			count = 1
		}
		for range count {
			if field == "integer" {
				b.WriteString(blank() + strconv.Itoa(rng.IntN(2000)-1000))
			} else {
				b.WriteString(blank() + number())
			}
		}
		b.WriteString(end())
	}
	return b.String()
}

func TestAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		checkReference(t, randomFile(rng), Options{}, Options{Threads: 2, pieceSize: 1 + rng.IntN(60)}, Options{Threads: 3, KeepZeros: true})
	}
}

// checkReference reads a text with several options, each of which must give the
// entries of the reference.
func checkReference(t *testing.T, s string, opts ...Options) {
	t.Helper()
	rows, cols, want := reference(t, s)
	shown := s[:min(len(s), 1000)]
	for _, opt := range opts {
		c := mustRead(t, s, opt)
		if err := c.Matrix.Validate(); err != nil {
			t.Fatalf("%v\n%s", err, shown)
		}
		if c.Rows != rows || c.Cols != cols {
			t.Fatalf("got %d x %d, want %d x %d\n%s", c.Rows, c.Cols, rows, cols, shown)
		}
		for i := range c.Rows {
			columns, vals := c.Matrix.Row(i)
			for k, j := range columns {
				got := complex(vals[k], 0)
				if c.Imag != nil {
					got = complex(vals[k], c.Imag[c.Matrix.RowPtr[i]+int64(k)])
				}
				if w, ok := want[place{i, int(j)}]; !ok || got != w {
					t.Fatalf("entry (%d, %d) is %v, want %v\n%s", i+1, j+1, got, w, shown)
				}
			}
		}
		expected := 0
		for _, v := range want {
			if v != 0 || opt.KeepZeros {
				expected++
			}
		}
		if found := c.Matrix.NNZ(); found != expected {
			t.Fatalf("%d entries, want %d\n%s", found, expected, shown)
		}
	}
}

// The bits of the result, the counts, the warnings and the errors must be the
// same for any number of threads and wherever the text is cut.
func TestThreadsAndPiecesDoNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for n := range 36 {
		s := randomFile(rng)
		if n%2 == 1 { // spoil it
			k := rng.IntN(len(s))
			s = s[:k] + string("x%\n-9 e"[rng.IntN(7)]) + s[k+1:]
		}
		want, wantErr := readString(s, Options{Threads: 1})
		for _, threads := range []int{1, 2, 3, 8} {
			for piece := 1; piece < 50; piece = piece*5/4 + 1 {
				opt := Options{Threads: threads, pieceSize: piece}
				for _, read := range []func(string, Options) (*Content, error){readString, readPlain} {
					c, err := read(s, opt)
					if fmt.Sprint(err) != fmt.Sprint(wantErr) {
						t.Fatalf("%d threads, pieces of %d: got %v, want %v\n%s", threads, piece, err, wantErr, s)
					}
					if err == nil {
						if diff := difference(c, want); diff != "" {
							t.Fatalf("%d threads, pieces of %d: %s differs\n%s", threads, piece, diff, s)
						}
					}
				}
			}
		}
	}
}

// A matrix large enough for several assemblers, with duplicates whose sum
// depends on their order, rows of all lengths, zeros, and shuffled.
func TestAssemblyOfManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	const n, entries = 2000, 30000
	for _, symmetry := range []string{"general", "symmetric", "skew-symmetric"} {
		var b strings.Builder
		fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n", symmetry, n, n, entries)
		for range entries {
			i, j := rng.IntN(n), min(rng.IntN(n), rng.IntN(n))/(1+rng.IntN(9))
			v := math.Round(rng.NormFloat64()*4) * math.Pow(10, float64(rng.IntN(12)))
			if symmetry != "general" {
				i, j = max(i, j), min(i, j)
			}
			if symmetry == "skew-symmetric" && i == j {
				v = 0
			}
			fmt.Fprintf(&b, "%d %d %g\n", i+1, j+1, v)
		}
		checkReference(t, b.String(), Options{Threads: 1}, Options{Threads: 2, pieceSize: 4000}, Options{Threads: 8, pieceSize: 4000})
	}
	// One duplicate: later rows move by one place.
	s := strings.Replace(diagonalFile(9000), "9000 9000 9000\n", "9000 9000 9001\n1 1 1\n", 1)
	if diff := difference(mustRead(t, s, Options{Threads: 1}), mustRead(t, s, Options{Threads: 3})); diff != "" {
		t.Errorf("%s differs between one assembler and three", diff)
	}
}

// FuzzRead feeds arbitrary bytes to the reader. It must not panic, must say
// the same of a file and of a stream, for any cut and any number of threads,
// and what it accepts must be a valid matrix that survives writing.
func FuzzRead(f *testing.F) {
	for _, c := range append(texts(f, "accepted.tsv"), texts(f, "rejected.tsv")...) {
		f.Add([]byte(c.text), uint8(3))
	}
	for _, s := range []string{
		coordHerm + "2 2 1\n2 1 1 2\n", coordSym + "2 2 2\n2 1 1\n2 2 nan\n",
		"%%MatrixMarket vector coordinate complex general\n4 1\n4 1 2\n", "%%MatrixMarket matrix array real skew-symmetric\r2 2\r1\r",
	} {
		f.Add([]byte(s), uint8(3))
	}
	f.Add(zipped(f, diagonalFile(3)), uint8(9))
	f.Fuzz(func(t *testing.T, data []byte, piece uint8) {
		opt := Options{Threads: 1, MaxMemory: 1 << 22, KeepZeros: true}
		c, err := readPlain(string(data), opt)
		opt.Threads, opt.pieceSize = 3, int(piece)+1
		d, err2 := readString(string(data), opt)
		var bad *Error
		switch {
		case (err == nil) != (err2 == nil):
			t.Fatalf("file: %v, stream: %v", err, err2)
		case err != nil:
			if !errors.As(err, &bad) && !errors.Is(err, ErrTooLarge) || strings.ContainsFunc(err.Error(), unprintable) {
				t.Fatalf("bad error: %q", err)
			}
			return
		}
		if diff := difference(c, d); diff != "" {
			t.Fatalf("file and stream differ in %s", diff)
		}
		var b bytes.Buffer
		if c.Matrix == nil {
			if want := c.Rows * c.Cols; len(c.Dense) != want || c.Imag != nil && len(c.Imag) != want {
				t.Fatalf("%d values, want %d", len(c.Dense), want)
			}
			err = WriteDense(&b, c.Rows, c.Cols, c.Dense, nil, WriteOptions{})
		} else {
			err = Write(&b, c.Matrix, WriteOptions{}) // validates
		}
		if err != nil {
			t.Fatal(err)
		}
		e, err := readString(b.String(), Options{KeepZeros: true})
		if err != nil {
			t.Fatal(err)
		}
		// Compared by what is written of it: NaNs have more bits than text.
		var again bytes.Buffer
		if e.Matrix == nil {
			err = WriteDense(&again, e.Rows, e.Cols, e.Dense, nil, WriteOptions{})
		} else {
			err = Write(&again, e.Matrix, WriteOptions{})
		}
		if err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Fatalf("%v: written and read again:\n%s\n%s", err, b.Bytes(), again.Bytes())
		}
	})
}

func unprintable(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) }
