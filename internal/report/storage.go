package report

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
)

// newTable is a table for the terminal whose columns from the second on are
// numbers.
func newTable(w io.Writer, header ...any) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.OptionsNoBordersAndSeparators
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(header)
	t.SuppressTrailingSpaces()
	var columns []table.ColumnConfig
	for k := range header[1:] {
		columns = append(columns, table.ColumnConfig{Number: k + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	return t
}

// Prediction is what one set would take by each criterion and target.
type Prediction struct {
	Set   string
	Stats []adaptive.Stats // in the order of the columns
}

// Predictions writes a table of bytes per nonzero, indices included, and the
// share of nonzeros that would be dropped.
func Predictions(w io.Writer, columns []string, rows []Prediction) {
	header := []any{"bytes per nonzero, % dropped"}
	for _, c := range columns {
		header = append(header, c)
	}
	t := newTable(w, header...)
	for _, r := range rows {
		row := table.Row{r.Set}
		for _, s := range r.Stats {
			row = append(row, fmt.Sprintf("%.2f %4.0f%%", s.PerNonzero(), 100*float64(s.Dropped)/float64(max(s.NNZ, 1))))
		}
		t.AppendRow(row)
	}
	t.Render()
}

// Formats writes what a stored matrix is made of, against FP64 CSR.
func Formats(w io.Writer, s adaptive.Stats, fp64 int64) {
	t := newTable(w, "format", "nonzeros", "%", "bytes")
	share := func(n int) string { return fmt.Sprintf("%.1f", 100*float64(n)/float64(max(s.NNZ, 1))) }
	for _, f := range s.Formats {
		t.AppendRow(table.Row{f.Format.Name, f.Count, share(f.Count), f.Bytes})
	}
	t.AppendRow(table.Row{"dropped", s.Dropped, share(s.Dropped), 0})
	t.AppendRow(table.Row{"in slots", s.InSlots, share(s.InSlots), ""})
	t.AppendRow(table.Row{"row units", "", "", s.Scales})
	t.AppendRow(table.Row{"all", s.NNZ, "", s.Bytes})
	t.AppendRow(table.Row{"FP64 CSR", s.NNZ, "", fp64})
	t.Render()
}
