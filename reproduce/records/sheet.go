package records

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// sheet is a table as printed.
type sheet struct {
	Name    string     // of its files, without extension
	Caption string     // what the table shows, and its source in the papers
	Short   string     // the caption below the title of its experiment
	Details string     // the part of Short that its title does not say
	Head    [][]string // levels of headings; equal neighbours are joined in all levels but the last
	Keys    int        // number of leading columns, which hold labels
	Body    [][]string
	Notes   []string

	// Data is the table for programs, in full precision: headings, then a line for each cell or for each point of a
	// history.
	Data [][]string
}

// manyColumns is the number of columns from which on headings must be short.
const manyColumns = 8

// missing is printed where there is no value.
const missing = "–"

// sheet returns the table as printed. Labels that all columns share are in the caption.
func (t *table) sheet() sheet {
	s := sheet{Name: t.name(), Keys: len(t.View.Rows), Notes: slices.Clone(t.Notes), Data: t.data()}
	levels, common := t.levels()
	s.Caption, s.Short, s.Details = t.caption(common)
	columns := t.sheetColumns()
	for _, l := range levels {
		head := make([]string, s.Keys)
		for _, at := range columns {
			head = append(head, t.word(t.View.Columns[l], t.Columns[at.column][l]))
		}
		s.Head = append(s.Head, head)
	}
	if len(t.Values) > 1 || len(levels) == 0 {
		head := make([]string, s.Keys)
		short := len(columns) > manyColumns
		for _, at := range columns {
			head = append(head, heading(t.Values[at.value], short))
		}
		s.Head = append(s.Head, head)
		if short {
			s.Notes = append(s.Notes, t.legend()...)
		}
	}
	copy(s.Head[len(s.Head)-1], t.View.Rows)
	for i, row := range t.Rows {
		var line []string
		for k, word := range row {
			line = append(line, t.word(t.View.Rows[k], word))
		}
		for _, at := range columns {
			line = append(line, t.Cells[i][at.column].text(at.value, t.Values[at.value]))
		}
		s.Body = append(s.Body, line)
	}
	return s
}

// sheetColumn is a column of a sheet: a value of a column of the table.
type sheetColumn struct{ column, value int }

// sheetColumns returns the columns that are not empty.
func (t *table) sheetColumns() (list []sheetColumn) {
	for k := range t.Columns {
		for v := range t.Values {
			if slices.ContainsFunc(t.Cells, func(row []cell) bool { return notNaN(row[k].Values[v]) || notNaN(row[k].Published[v]) }) {
				list = append(list, sheetColumn{k, v})
			}
		}
	}
	return list
}

func (t *table) name() string { return t.Experiment.ID + "-" + t.View.Name }

// levels returns which labels of columns vary, and the others with their values.
func (t *table) levels() (vary []int, common []string) {
	vary = varying(t.Columns)
	for l, label := range t.View.Columns {
		if !slices.Contains(vary, l) && len(t.Columns) > 0 {
			common = append(common, label+" "+t.word(label, t.Columns[0][l]))
		}
	}
	return vary, common
}

// varying returns the indices of the labels that have more than one value in keys; never nil.
func varying(keys [][]string) []int {
	vary := []int{}
	for l := range slices.Concat(keys[:min(1, len(keys))]...) {
		if slices.ContainsFunc(keys, func(k []string) bool { return k[l] != keys[0][l] }) {
			vary = append(vary, l)
		}
	}
	return vary
}

// caption describes the table in three ways: by itself, below the title of the experiment, and below its own title.
// common are the labels that all cells share.
func (t *table) caption(common []string) (whole, short, below string) {
	e := &t.Experiment
	text := fmt.Sprintf("%s (%s of [%s]): %s", e.ID, e.Source, e.Paper, e.Title)
	short = e.Title
	if t.View.Title != "" && t.View.Title != e.Title {
		text += ". " + t.View.Title
		short = t.View.Title
	}
	var details []string
	if len(t.Values) == 1 && !strings.EqualFold(heading(t.Values[0], false), t.View.Title) {
		details = append(details, heading(t.Values[0], false))
	}
	if details = append(details, common...); len(details) > 0 {
		below = upperFirst(strings.Join(details, "; ")) + "."
		return text + ". " + below, short + ". " + below, below
	}
	return text + ".", short + ".", ""
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// word formats the value of a label and marks matrices that a surrogate stands for.
func (t *table) word(label, value string) string {
	switch {
	case label == "matrix" && t.Surrogate[value]:
		return value + "*"
	case label == "formats" && value == "AFX":
		return "AFX (ours)"
	case label == "drop" && value == "no":
		return "no dropping"
	case label == "drop" && value == "yes":
		return "dropping"
	}
	return value
}

// heading returns a value with its unit; with short it is the value's name, except for shares.
func heading(v Value, short bool) string {
	text := v.Text
	if short && !strings.HasSuffix(v.Name, text) {
		text = v.Name
	}
	if v.Format == Percent {
		text += " (%)"
	}
	return text
}

// legend explains the short headings.
func (t *table) legend() (notes []string) {
	for _, v := range t.Values {
		if !strings.HasSuffix(v.Name, v.Text) {
			notes = append(notes, v.Name+": "+v.Text)
		}
	}
	return notes
}

// text formats a value of a cell. The winner is added to the first value.
func (c *cell) text(k int, v Value) string {
	text := c.mark(format(v, c.Values[k]))
	if k == 0 && c.Winner != "" {
		text += " at " + c.Winner
	}
	if notNaN(c.Published[k]) {
		about := ""
		if c.About {
			about = "~"
		}
		text += " [" + about + format(v, c.Published[k]) + "]"
	}
	return text
}

// mark puts a measured value in parentheses if it is of a failure.
func (c *cell) mark(text string) string {
	if c.Failed && text != missing {
		return "(" + text + ")"
	}
	return text
}

// format formats a value as a paper would.
func format(v Value, x float64) string {
	if math.IsNaN(x) {
		return missing
	}
	switch v.Format {
	case Percent:
		return strconv.FormatFloat(100*x, 'f', 1, 64)
	case Count:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case Fixed:
		return fixed(x)
	case YesNo:
		if x != 0 {
			return "yes"
		}
		return "no"
	}
	return strconv.FormatFloat(x, 'e', 1, 64)
}

// fixed formats three significant digits, without an exponent where that is short.
func fixed(x float64) string {
	size := math.Abs(x)
	if x != 0 && (size < 1e-3 || size >= 1e6) {
		return strconv.FormatFloat(x, 'e', 1, 64)
	}
	digits := 2
	if x != 0 {
		digits = max(0, 2-int(math.Floor(math.Log10(size))))
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// exact formats a value for programs; no value gives an empty text.
func exact(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// data returns sheet.Data of a table.
func (t *table) data() [][]string {
	v := &t.View
	head := slices.Concat(v.Rows, v.Columns)
	if v.Best != nil {
		head = append(head, v.Best.Over, "failed")
	}
	for _, value := range t.Values {
		head = append(head, value.Name, value.Name+" published")
	}
	history := v.Figure != nil && v.Figure.Kind == History
	if history {
		head = append(head, v.Figure.X.Series, v.Figure.Y.Series)
	}
	lines := [][]string{append(head, "surrogate", "quick")}
	for i, row := range t.Rows {
		for k, column := range t.Columns {
			c := &t.Cells[i][k]
			if c.empty() {
				continue
			}
			line := slices.Concat(row, column)
			if v.Best != nil {
				line = append(line, c.Winner, strconv.FormatBool(c.Failed))
			}
			for k := range t.Values {
				line = append(line, exact(c.Values[k]), exact(c.Published[k]))
			}
			marks := []string{strconv.FormatBool(c.Surrogate), strconv.FormatBool(c.Quick)}
			if !history {
				lines = append(lines, append(line, marks...))
				continue
			}
			for _, p := range c.points(v.Figure.X.Series, v.Figure.Y.Series) {
				lines = append(lines, slices.Concat(line, []string{exact(p[0]), exact(p[1])}, marks))
			}
		}
	}
	return lines
}
