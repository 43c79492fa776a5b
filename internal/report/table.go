package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// fittedTable is a table that becomes several, each with the first column, if the terminal is too narrow. Its rows then get
// numbers if the first column does not identify them.
type fittedTable struct {
	table.Writer
	w       io.Writer
	columns int
	configs []table.ColumnConfig
	widest  []int        // characters of the widest cell of each column
	spared  []int        // columns that a narrow terminal does not show, in the order of leaving out
	first   map[any]bool // values of the first column
	alike   bool         // the first column has a value twice
}

// newTable returns a table for a writer. Columns from the second on are numbers, unless words says otherwise.
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

// SetColumnConfigs sets the configurations of the columns, and keeps them for the parts of a table that is cut.
func (t *fittedTable) SetColumnConfigs(configs []table.ColumnConfig) {
	t.configs = configs
	t.Writer.SetColumnConfigs(configs)
}

// words says which columns, from 2 on, have words, which are aligned to the left.
func (t *fittedTable) words(columns ...int) {
	for _, k := range columns {
		t.configs[k-2].Align, t.configs[k-2].AlignHeader = text.AlignLeft, text.AlignLeft
	}
	t.SetColumnConfigs(t.configs)
}

// spare says which columns a narrow terminal does not show, in the order of leaving out.
func (t *fittedTable) spare(columns ...int) { t.spared = columns }

// measure notes the widths of the cells of a row.
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

// text returns the table without spaces at the ends of lines.
func (t *fittedTable) text() string {
	var b strings.Builder
	for line := range strings.Lines(t.Writer.Render()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// narrow returns the table for a narrow terminal. It leaves out as few spared columns as possible. If the table is too wide
// even without all of them, it is cut.
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

// cut returns the text of several tables of at most that width, with about the same number of columns each, but at least two.
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

// greedy returns tables with as many columns as fit.
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

// folded returns the text of the first column and one other, whose words are wrapped at a width.
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

// all returns the configurations of all columns.
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

// part returns the text of the first column and of the columns between from and to.
func (t *fittedTable) part(from, to int) string {
	configs := t.all()
	for k := 2; k <= t.columns; k++ {
		configs[k-1].Hidden = k < from || k > to
	}
	t.Writer.SetColumnConfigs(configs)
	defer t.Writer.SetColumnConfigs(t.configs)
	return t.text()
}
