package matrixmarket

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	coordReal = "%%MatrixMarket matrix coordinate real general\n"
	coordSym  = "%%MatrixMarket matrix coordinate real symmetric\n"
	coordHerm = "%%MatrixMarket matrix coordinate complex hermitian\n"
	coordCplx = "%%MatrixMarket matrix coordinate complex general\n"
	arrayReal = "%%MatrixMarket matrix array real general\n"
)

// textCase is a line of a table of texts: what is read of a text, or the error.
type textCase struct {
	name, text string
	want       []string
}

// texts reads a table in testdata.
func texts(t testing.TB, name string) (cases []textCase) {
	t.Helper()
	table, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		text, err := strconv.Unquote(columns[1])
		if err != nil {
			t.Fatalf("%s: %s: %v", name, columns[0], err)
		}
		cases = append(cases, textCase{columns[0], text, columns[2:]})
	}
	return cases
}

// TestRead has everything that is read although one may wonder.
func TestRead(t *testing.T) {
	for _, c := range texts(t, "accepted.tsv") {
		t.Run(c.name, func(t *testing.T) {
			for _, opt := range []Options{{}, {Threads: 3, pieceSize: 4}, {KeepZeros: true}} {
				content := mustRead(t, c.text, opt)
				if got := shown(t, content); got != c.want[0] {
					t.Errorf("got %s, want %s", got, c.want[0])
				}
				if got := strings.Join(content.Warnings, " | "); got != c.want[1] {
					t.Errorf("warnings:\n%s\nwant:\n%s", got, c.want[1])
				}
			}
		})
	}
}

// shown writes the rows of a matrix.
func shown(t *testing.T, c *Content) string {
	real, imag := *c, *c
	real.Field, imag.Field = Real, Real
	if c.Matrix != nil {
		m := *c.Matrix
		m.Val, imag.Matrix = c.Imag, &m
	}
	imag.Dense = c.Imag
	columns, err := real.Columns()
	var parts [][]float64
	if c.Field == Complex && err == nil {
		parts, err = imag.Columns()
	}
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]string, c.Rows)
	for i := range rows {
		var row []string
		for j := range columns {
			v := strconv.FormatFloat(columns[j][i]+0, 'g', -1, 64) // -0 + 0 is 0
			if parts != nil {
				v += fmt.Sprintf("%+gi", parts[j][i]+0)
			}
			row = append(row, v)
		}
		rows[i] = strings.Join(row, " ")
	}
	return strings.Join(rows, "; ")
}

// TestRejected compares the exact error text of everything that is refused.
func TestRejected(t *testing.T) {
	for _, c := range texts(t, "rejected.tsv") {
		t.Run(c.name, func(t *testing.T) {
			for way, read := range map[string]func(string, Options) (*Content, error){"stream": readString, "file": readPlain} {
				for _, opt := range []Options{{}, {Threads: 3, pieceSize: 5}} {
					_, err := read(c.text, opt)
					if err == nil {
						t.Fatalf("%s: no error", way)
					}
					if err.Error() != c.want[0] {
						t.Errorf("%s: got  %s\nwant %s", way, err, c.want[0])
					}
				}
			}
		})
	}
}

// The errors that the documentation shows must be what the package says.
func TestDocumentedErrors(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "matrix-market.md"))
	if err != nil {
		t.Fatal(err)
	}
	rejected, shown := texts(t, "rejected.tsv"), 0
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "x.mtx:") {
			continue
		}
		shown++
		if !slices.ContainsFunc(rejected, func(c textCase) bool { return c.want[0] == line }) {
			t.Errorf("no test has the error %s", line)
		}
	}
	if shown < 10 {
		t.Errorf("only %d errors are shown", shown)
	}
}
