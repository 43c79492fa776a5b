package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// fittedTable is a table that is cut into several, each with the first column, where the terminal is too narrow for it. Rows are numbered then
// if the first column does not tell them apart.
type fittedTable struct {
	table.Writer
	w       io.Writer
	columns int
	configs []table.ColumnConfig
	first   map[any]bool // what the first column has
	alike   bool         // it has something twice
}

// newTable is a table for the terminal whose columns from the second on are
// numbers.
func newTable(w io.Writer, header ...any) table.Writer {
	t := &fittedTable{Writer: table.NewWriter(), w: w, columns: len(header), first: map[any]bool{}}
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.OptionsNoBordersAndSeparators
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(header)
	var columns []table.ColumnConfig
	for k := range header[1:] {
		columns = append(columns, table.ColumnConfig{Number: k + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	return t
}

// SetColumnConfigs keeps them.
func (t *fittedTable) SetColumnConfigs(configs []table.ColumnConfig) {
	t.configs = configs
	t.Writer.SetColumnConfigs(configs)
}

// AppendRow adds a row.
func (t *fittedTable) AppendRow(row table.Row, configs ...table.RowConfig) {
	t.alike = t.alike || t.first[row[0]]
	t.first[row[0]] = true
	t.Writer.AppendRow(row, configs...)
}

// Render writes the table.
func (t *fittedTable) Render() string {
	all := t.text()
	if width := Columns(t.w); width > 0 && text.LongestLineLen(all) > width {
		all = t.cut(width)
	}
	fmt.Fprint(t.w, all)
	return all
}

// text is the table without spaces at the ends of lines.
func (t *fittedTable) text() string {
	var b strings.Builder
	for line := range strings.Lines(t.Writer.Render()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// cut is the text of several tables of that width, or of two columns each if these are wider.
func (t *fittedTable) cut(width int) string {
	t.SetAutoIndex(t.alike)
	defer t.SetAutoIndex(false)
	var parts strings.Builder
	for from := 2; from <= t.columns; {
		part, to := t.part(from, from), from
		for to < t.columns {
			wider := t.part(from, to+1)
			if text.LongestLineLen(wider) > width {
				break
			}
			part, to = wider, to+1
		}
		parts.WriteString(part)
		from = to + 1
	}
	return parts.String()
}

// part is the text of the first column and columns from to to.
func (t *fittedTable) part(from, to int) string {
	configs := make([]table.ColumnConfig, t.columns)
	for k := range configs {
		configs[k].Number = k + 1
	}
	for _, c := range t.configs {
		configs[c.Number-1] = c
	}
	for k := 2; k <= t.columns; k++ {
		configs[k-1].Hidden = k < from || k > to
	}
	t.Writer.SetColumnConfigs(configs)
	defer t.Writer.SetColumnConfigs(t.configs)
	return t.text()
}
