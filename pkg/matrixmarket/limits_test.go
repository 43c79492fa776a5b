package matrixmarket

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestMemoryLimit(t *testing.T) {
	tests := []struct {
		name, text string
		limit      int64
		tooLarge   bool
	}{
		{"enough", diagonalFile(1000), 1000*(16+12) + 8*1001, false},
		{"one byte less", diagonalFile(1000), 1000*(16+12) + 8*1001 - 1, true},
		{"rows alone", coordReal + "2000000000 1 1\n1 1 1\n", 1 << 30, true},
		{"rows out of proportion", coordReal + "2000000000 1 1\n1 1 1\n", 0, true},
		{"vector out of proportion", "%%MatrixMarket vector coordinate real general\n2000000000 1\n1 1\n", 0, true},
		{"no machine has that", coordReal + "2147483647 2147483647 0\n", 1 << 33, true},
		{"columns cost nothing", coordReal + "1 2147483647 1\n1 2147483647 1\n", 1 << 10, false},
		// Mirror images are counted before they are allocated.
		{"symmetric", coordSym + "3 3 3\n2 1 1\n3 1 1\n3 2 1\n", 3*(16+12) + 8*4, true},
		{"symmetric, enough", coordSym + "3 3 3\n2 1 1\n3 1 1\n3 2 1\n", 3*16 + 6*12 + 8*4, false},
	}
	for _, test := range tests {
		for way, read := range map[string]func(string, Options) (*Content, error){"stream": readString, "file": readPlain} {
			_, err := read(test.text, Options{MaxMemory: test.limit})
			if errors.Is(err, ErrTooLarge) != test.tooLarge || !test.tooLarge && err != nil {
				t.Errorf("%s, %s: got %v", test.name, way, err)
			}
		}
	}
	c := mustRead(t, coordReal+"2000000 2000000 1\n1 1 1\n", Options{})
	if _, err := c.Columns(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Columns: got %v", err)
	}
}

// What a matrix of more than 2^31 entries takes is compared byte by byte.
func TestMemoryOfManyEntries(t *testing.T) {
	const entries, nonzeros = 3_000_000_000, 6_000_000_000
	const need = 16*entries + 12*nonzeros + 8*(100_000_000+1)
	for limit, tooLarge := range map[int64]bool{need: false, need - 1: true} {
		r := &reading{
			parser: parser{Header{Symmetry: Symmetric}, size{rows: 1e8, cols: 1e8, entries: entries}, 1},
			limit:  budget{max: limit},
		}
		if err := r.checkMemory(nonzeros); errors.Is(err, ErrTooLarge) != tooLarge {
			t.Errorf("%d bytes allowed: got %v", limit, err)
		}
	}
}

// Declarations that a file cannot fulfil must be refused without allocating
// for them. What is allocated is compared with a generous bound.
func TestLyingDeclarations(t *testing.T) {
	for _, s := range []string{
		coordReal + "1000 1000 800000000\n1 1 1\n",
		arrayReal + "40000 40000\n1\n",
		coordReal + "1000000000 1000000000 1\n1 1 1\n",
		"%%MatrixMarket vector array real general\n2000000000\n1\n",
		"%%MatrixMarket matrix array complex hermitian\n2000000000 2000000000\n1\n",
		"%%MatrixMarket matrix array real general\n2147483647 2147483647\n1\n",
		"%%MatrixMarket matrix array real skew-symmetric\n2147483647 2147483647\n",
	} {
		for _, read := range []func(string, Options) (*Content, error){readString, readPlain} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := read(s, Options{})
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Errorf("accepted: %q", s)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
				t.Errorf("%d bytes were allocated for %q", n, s)
			}
		}
	}
	long := coordReal + "9 9 99999999\n" + strings.Repeat("1 1 1\n", 400000)
	_, err := readPlain(long, Options{})
	want := "x.mtx:2: 99999999 entries are declared, but the 2400000 bytes that follow cannot hold more than 400000"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestLongLines(t *testing.T) {
	junk := strings.Repeat("x", maxLine+1)
	for _, c := range []struct {
		name, text string
		line       int
	}{
		{"first", junk, 1},
		{"comment", coordReal + "%" + junk + "\n1 1 0\n", 2},
		{"entry", coordReal + "1 1 2\n1 1 1\n" + junk + "\n", 4},
		{"last", coordReal + "1 1 2\n1 1 1\n1 1 " + junk + junk, 4},
	} {
		want := fmt.Sprintf("x.mtx:%d: the line is longer than 1048576 bytes", c.line)
		for way, read := range map[string]func(string, Options) (*Content, error){"stream": readString, "file": readPlain} {
			for _, piece := range []int{0, 5000} {
				_, err := read(c.text, Options{pieceSize: piece})
				if err == nil || err.Error() != want {
					t.Errorf("%s, %s, pieces of %d: got %.200v", c.name, way, piece, err)
				}
			}
		}
	}
	// Comments may be long, up to that.
	mustRead(t, coordReal+"%"+junk[:maxLine-2]+"\n1 1 1\n%"+junk[:maxLine-2]+"\n1 1 1\n", Options{})
}
