package exhibit

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/records"
)

// Compare sets every published value beside the measured one, with their ratio,
// measured / published.
//
// Values that experiments list in Ratios, percentages left out, mean nothing on
// another machine: of these, both are divided by those of the first cell that has
// them, among cells with the same first label of the row, such as the matrix.
func Compare(t *Table) Sheet {
	s := Sheet{Name: t.name() + "-published", Notes: slices.DeleteFunc(slices.Clone(t.Notes), func(n string) bool { return n == publishedNote })}
	levels, common := t.levels()
	s.Caption = "Published and measured, " + t.caption(common)
	labels := slices.Concat(t.View.Rows, pick(t.View.Columns, levels))
	s.Keys = len(labels) + 1
	s.Head = [][]string{append(slices.Clone(labels), "value", "published", "measured", "ratio")}
	s.Data = [][]string{append(slices.Concat(t.View.Rows, t.View.Columns), "value", "relative to", "published", "measured", "ratio")}
	for v, value := range t.Values {
		relative := t.relative(value)
		var to *reference
		for i, row := range t.Rows {
			for k, column := range t.Columns {
				c := &t.Cells[i][k]
				if !isNumber(c.Values[v]) || !isNumber(c.Published[v]) {
					continue
				}
				p := pair{c.Published[v], c.Values[v]}
				text, name, shown := heading(value, false), "", value
				if relative {
					if to == nil || len(row) > 0 && row[0] != to.row[0] {
						to = &reference{row: row, pair: p, name: t.cellName(row, column)}
						continue
					}
					p = pair{p.published / to.published, p.measured / to.measured}
					text, name, shown = text+" / that of "+to.name, to.name, records.Value{Format: records.Fixed}
				}
				about := ""
				if c.About {
					about = "~"
				}
				s.Body = append(s.Body, append(t.words(row, column, levels), text,
					about+format(shown, p.published), c.mark(format(shown, p.measured)), p.ratio()))
				s.Data = append(s.Data, append(slices.Concat(row, column), value.Name, name,
					exact(p.published), exact(p.measured), exact(p.measured/p.published)))
			}
		}
	}
	return s
}

// pair is a published value and the measured one.
type pair struct{ published, measured float64 }

// reference is what other values are relative to.
type reference struct {
	pair
	row  []string
	name string
}

// ratio is in words.
func (p pair) ratio() string {
	if p.published == 0 {
		return missing
	}
	return fixed(p.measured / p.published)
}

// relative reports whether a value may be shown beside a published one only as a
// ratio to another.
func (t *Table) relative(v records.Value) bool {
	return v.Format != records.Percent && slices.Contains(t.Experiment.Ratios, v.Name) && !slices.Contains(t.Experiment.Comparable, v.Name)
}

// words are the labels of a cell: of its row, and of its column those that vary.
func (t *Table) words(row, column []string, levels []int) (words []string) {
	for k, w := range row {
		words = append(words, t.word(t.View.Rows[k], w))
	}
	for _, l := range levels {
		words = append(words, t.word(t.View.Columns[l], column[l]))
	}
	return words
}

// cellName is what tells a cell from those that share the first label of its row.
func (t *Table) cellName(row, column []string) string {
	levels, _ := t.levels()
	words := t.words(row, column, levels)
	if len(row) > 0 && len(words) > 1 {
		words = words[1:]
	}
	return joined(words)
}
