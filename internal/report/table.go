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
	widest  []int        // characters of the widest cell of each column
	spared  []int        // columns that a narrow terminal does not show, the first ones first
	first   map[any]bool // what the first column has
	alike   bool         // it has something twice
}

// newTable is a table for the terminal whose columns from the second on are
// numbers, unless words says otherwise.
func newTable(w io.Writer, header ...any) *fittedTable {
	t := &fittedTable{Writer: table.NewWriter(), w: w, columns: len(header), first: map[any]bool{}, widest: make([]int, len(header))}
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.OptionsNoBordersAndSeparators
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(header)
	t.measure(header)
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

// words says which columns have words, from 2 on: they begin alike.
func (t *fittedTable) words(columns ...int) {
	for _, k := range columns {
		t.configs[k-2].Align, t.configs[k-2].AlignHeader = text.AlignLeft, text.AlignLeft
	}
	t.SetColumnConfigs(t.configs)
}

// spare says which columns a narrow terminal does not show, the first ones first.
func (t *fittedTable) spare(columns ...int) { t.spared = columns }

// measure notes how wide the cells of a row are.
func (t *fittedTable) measure(row []any) {
	for k, cell := range row[:min(len(row), t.columns)] {
		t.widest[k] = max(t.widest[k], text.StringWidth(fmt.Sprint(cell)))
	}
}

// AppendRow adds a row.
func (t *fittedTable) AppendRow(row table.Row, configs ...table.RowConfig) {
	t.alike = t.alike || t.first[row[0]]
	t.first[row[0]] = true
	t.measure(row)
	t.Writer.AppendRow(row, configs...)
}

// Render writes the table.
func (t *fittedTable) Render() string {
	all := t.text()
	if width := Columns(t.w); width > 0 && text.LongestLineLen(all) > width {
		all = t.narrow(width)
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

// narrow is the text without as few spared columns as possible, cut where it is too wide even without all of them.
func (t *fittedTable) narrow(width int) string {
	if len(t.spared) == 0 {
		return t.cut(width)
	}
	defer t.Writer.SetColumnConfigs(t.configs)
	configs, all := t.all(), ""
	for _, k := range t.spared {
		configs[k-1].Hidden = true
		t.Writer.SetColumnConfigs(configs)
		if all = t.text(); text.LongestLineLen(all) <= width {
			break
		}
	}
	return all
}

// cut is the text of several tables of that width and about as many columns each, or of two columns each if these are wider.
func (t *fittedTable) cut(width int) string {
	t.SetAutoIndex(t.alike)
	defer t.SetAutoIndex(false)
	parts := t.greedy(width)
	each := (t.columns - 2 + len(parts)) / len(parts)
	var even []string
	for from := 2; from <= t.columns; from += each {
		even = append(even, t.part(from, min(from+each-1, t.columns)))
	}
	if all := strings.Join(even, ""); text.LongestLineLen(all) <= width {
		return all
	}
	return strings.Join(parts, "")
}

// greedy are tables with as many columns as there is room for.
func (t *fittedTable) greedy(width int) (parts []string) {
	for from := 2; from <= t.columns; {
		part, to := t.part(from, from), from
		for to < t.columns {
			wider := t.part(from, to+1)
			if text.LongestLineLen(wider) > width {
				break
			}
			part, to = wider, to+1
		}
		if excess := text.LongestLineLen(part) - width; to == from && excess > 0 {
			part = t.folded(from, max(leastText, t.widest[from-1]-excess))
		}
		parts = append(parts, part)
		from = to + 1
	}
	return parts
}

// folded is the text of the first column and one whose words are folded at a width.
func (t *fittedTable) folded(column, width int) string {
	configs := t.all()
	for k := 1; k < t.columns; k++ {
		configs[k].Hidden = k+1 != column
	}
	configs[column-1].WidthMax, configs[column-1].WidthMaxEnforcer = width, text.WrapSoft
	t.Writer.SetColumnConfigs(configs)
	defer t.Writer.SetColumnConfigs(t.configs)
	return t.text()
}

// all are the configurations of all columns.
func (t *fittedTable) all() []table.ColumnConfig {
	configs := make([]table.ColumnConfig, t.columns)
	for k := range configs {
		configs[k].Number = k + 1
	}
	for _, c := range t.configs {
		configs[c.Number-1] = c
	}
	return configs
}

// part is the text of the first column and columns from to to.
func (t *fittedTable) part(from, to int) string {
	configs := t.all()
	for k := 2; k <= t.columns; k++ {
		configs[k-1].Hidden = k < from || k > to
	}
	t.Writer.SetColumnConfigs(configs)
	defer t.Writer.SetColumnConfigs(t.configs)
	return t.text()
}
