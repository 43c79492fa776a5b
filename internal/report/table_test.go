package report

import (
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// A table that is wider than the terminal is cut between columns; no cell is lost, and no line is too long.
func TestTableFits(t *testing.T) {
	header := []any{"set", "first column", "second", "the third one", "4"}
	cells := []string{"11.1", "22.2", "3.3e-333", "44"}
	for columns, parts := range map[int]int{0: 1, 80: 1, 40: 2, 24: 3, 5: 4} {
		w := &narrow{columns: columns}
		list := newTable(w, header...)
		list.AppendRow(table.Row{"AP1", cells[0], cells[1], cells[2], cells[3]})
		list.Render()
		got := w.String()
		if strings.Count(got, "AP1") != parts || strings.Count(got, "\n") != 2*parts {
			t.Errorf("%d columns: not %d tables:\n%s", columns, parts, got)
		}
		if columns > 20 && text.LongestLineLen(got) > columns {
			t.Errorf("%d columns: a line is too long:\n%s", columns, got)
		}
		for _, cell := range cells {
			if strings.Count(got, cell) != 1 {
				t.Errorf("%d columns: %s is not there once:\n%s", columns, cell, got)
			}
		}
	}
}

// On a narrow terminal a table leaves out spared columns, as few as possible. Words are aligned to the left, and wrap if nothing
// else helps.
func TestTableSpares(t *testing.T) {
	for columns, want := range map[int]string{
		0:  " name  word       10  20\n one   passes     11  21\n two   fails too  12  22\n",
		23: " name  word       10\n one   passes     11\n two   fails too  12\n",
		18: " name  word\n one   passes\n two   fails too\n",
	} {
		w := &narrow{columns: columns}
		list := newTable(w, "name", "word", "10", "20")
		list.words(2)
		list.spare(4, 3)
		list.AppendRow(table.Row{"one", "passes", 11, 21})
		list.AppendRow(table.Row{"two", "fails too", 12, 22})
		list.Render()
		if w.String() != want {
			t.Errorf("%d columns:\n%swant\n%s", columns, w.String(), want)
		}
	}
	w := &narrow{columns: 36}
	list := newTable(w, "trial", "verdict")
	list.words(2)
	list.AppendRow(table.Row{1, "a text that is longer than a narrow terminal is wide"})
	list.Render()
	if n := text.LongestLineLen(w.String()); n > 36 || strings.Join(strings.Fields(w.String()), " ") != "trial verdict 1 a text that is longer than a narrow terminal is wide" {
		t.Errorf("%d columns:\n%s", n, w.String())
	}
}

// Columns are divided evenly among the tables of a narrow terminal.
func TestTableIsCutEvenly(t *testing.T) {
	w := &narrow{columns: 50}
	list := newTable(w, "set", "column 1", "column 2", "column 3", "column 4", "column 5", "column 6")
	list.AppendRow(table.Row{"AP1", 1, 2, 3, 4, 5, 6})
	list.Render()
	if lines := strings.Split(w.String(), "\n"); len(lines) != 5 || len(lines[0]) != len(lines[2]) {
		t.Errorf("not two tables of three columns each:\n%s", w.String())
	}
}

// Bars are as long as the terminal allows.
func TestHistogramFits(t *testing.T) {
	for _, columns := range []int{40, 60} {
		w := &narrow{columns: columns}
		Histogram(w, []float64{1, 2, 3, 1e-3, 50})
		if n := text.LongestLineLen(w.String()); n > columns {
			t.Errorf("%d columns of %d:\n%s", n, columns, w.String())
		}
	}
}

// The dots show the entries: a diagonal, and the last column of the first row.
func TestSpy(t *testing.T) {
	m, err := csr.New(8, 8, []int{0, 2, 3, 4, 5, 6, 7, 8, 9}, []int{0, 7, 1, 2, 3, 4, 5, 6, 7}, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	b := &narrow{columns: 8}
	Spy(b, m) // 8 columns, so that a dot is at most one entry
	want := "pattern    a dot for each entry\n ┌────┐\n │⠑⢄⠀⠈│\n │⠀⠀⠑⢄│\n └────┘\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	b = &narrow{columns: 6}
	if Spy(b, m); !strings.Contains(strings.Join(strings.Fields(b.String()), " "), "a dot where a part of about 2 x 2 has entries") {
		t.Errorf("got\n%s", b.String())
	}
	for _, c := range [][5]int{{100, 100, 72, 19, 38}, {100, 100, 20, 10, 20}, {1, 1000, 72, 1, 72}, {1000, 1, 72, 19, 1}, {1 << 31, 1 << 31, 72, 19, 38}} {
		if r, n := spySize(c[0], c[1], c[2]); r != c[3] || n != c[4] {
			t.Errorf("%v: %d x %d", c, r, n)
		}
	}
}

// narrow is a terminal with that many columns.
type narrow struct {
	strings.Builder
	columns int
}

func (n *narrow) Columns() int  { return n.columns }
func (n *narrow) Colored() bool { return false }
