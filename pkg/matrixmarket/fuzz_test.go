package matrixmarket

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

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
