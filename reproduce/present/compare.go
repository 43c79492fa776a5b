package present

import (
	"slices"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// compared returns every published value with the measured one and their ratio, measured / published.
//
// Values that experiments list in Ratios, except percentages, are not comparable across machines. Both values are
// therefore divided by the values of the first cell that has them, among the cells with the same first label of the
// row, such as the matrix.
func (t *table) compared() sheet {
	s := sheet{Name: t.name() + "-published", Notes: slices.DeleteFunc(slices.Clone(t.Notes), func(n string) bool { return n == publishedNote })}
	levels, common := t.levels()
	caption, short, _ := t.caption(common)
	s.Caption, s.Short = "Published and measured, "+caption, "Published and measured: "+short
	labels := slices.Concat(t.View.Rows, pick(t.View.Columns, levels))
	s.Keys = len(labels) + 1
	s.Head = [][]string{append(slices.Clone(labels), "value", "published", "measured", "ratio")}
	s.Data = [][]string{append(slices.Concat(t.View.Rows, t.View.Columns), "value", "relative to", "published", "measured", "ratio")}
	for v, value := range t.Values {
		var first []string // label of the cell that the others are relative to
		to, name := [2]float64{}, ""
		for i, row := range t.Rows {
			for k, column := range t.Columns {
				c := &t.Cells[i][k]
				published, measured := c.Published[v], c.Values[v]
				if !isNumber(published) || !isNumber(measured) {
					continue
				}
				text, shown := heading(value, false), value
				if t.relative(value) {
					if first == nil || len(row) > 0 && row[0] != first[0] {
						first, to, name = row, [2]float64{published, measured}, t.cellName(row, column, levels)
						continue
					}
					published, measured = published/to[0], measured/to[1]
					text, shown = text+" relative to "+name, records.Value{Format: records.Fixed}
				}
				about, ratio := "", missing
				if c.About {
					about = "~"
				}
				if published != 0 {
					ratio = fixed(measured / published)
				}
				s.Body = append(s.Body, append(t.words(row, column, levels), text,
					about+format(shown, published), c.mark(format(shown, measured)), ratio))
				s.Data = append(s.Data, append(slices.Concat(row, column), value.Name, name,
					exact(published), exact(measured), exact(measured/published)))
			}
		}
	}
	return s
}

// relative reports whether a value can be compared with a published one only as a ratio to another.
func (t *table) relative(v records.Value) bool {
	return v.Format != records.Percent && slices.Contains(t.Experiment.Ratios, v.Name) && !slices.Contains(t.Experiment.Comparable, v.Name)
}

// words returns the labels of a cell: of its row, and those of its column that vary.
func (t *table) words(row, column []string, levels []int) (words []string) {
	for k, w := range row {
		words = append(words, t.word(t.View.Rows[k], w))
	}
	for _, l := range levels {
		words = append(words, t.word(t.View.Columns[l], column[l]))
	}
	return words
}

// cellName distinguishes a cell from the cells with the same first label of the row.
func (t *table) cellName(row, column []string, levels []int) string {
	words := t.words(row, column, levels)
	if len(row) > 0 && len(words) > 1 {
		words = words[1:]
	}
	return joined(words)
}
