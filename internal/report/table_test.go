package report

import (
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
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

// Bars are as long as there is room.
func TestHistogramFits(t *testing.T) {
	for _, columns := range []int{40, 60} {
		w := &narrow{columns: columns}
		Histogram(w, []float64{1, 2, 3, 1e-3, 50})
		if n := text.LongestLineLen(w.String()); n > columns {
			t.Errorf("%d columns of %d:\n%s", n, columns, w.String())
		}
	}
}
