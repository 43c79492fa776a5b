package records

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// cell fills a cell. It adds the labels to ambiguous in which the cell's measurements differ though the view does not
// use them.
func (p *pivot) cell(row, column []string, ambiguous map[string]bool) cell {
	t := p.table
	c := cell{Values: nans(len(t.Values)), Published: nans(len(t.Values))}
	p.publish(&c, row, column)
	choices := alike(p.cells[key(row, column)])
	if len(choices) == 0 {
		return c
	}
	r := choices[0]
	over := ""
	if b := t.View.Best; b != nil {
		over = b.Over
		r, c.Failed = best(choices, b)
		c.Winner = r.Label(over)
	}
	for _, other := range choices {
		for label, value := range other.Labels {
			if label != over && value != r.Labels[label] {
				ambiguous[label] = true
			}
		}
	}
	for i, v := range t.Values {
		if x, ok := r.Values[v.Name]; ok {
			c.Values[i] = x
		} else if y := r.Series[strings.TrimPrefix(v.Name, last)]; len(y) > 0 {
			c.Values[i] = y[len(y)-1]
		}
	}
	c.Series, c.Quick, c.Surrogate = r.Series, r.Quick, r.Matrix != nil && r.Matrix.Surrogate
	if c.Surrogate {
		t.Surrogate[r.Matrix.Name] = true
	}
	return c
}

// publish fills in the published values of a cell, from the first line that matches.
func (p *pivot) publish(c *cell, row, column []string) {
	t := p.table
	labels := slices.Concat(t.View.Rows, t.View.Columns)
	words := slices.Concat(row, column)
	for _, table := range t.Experiment.Published {
		if slices.ContainsFunc(labels, func(l string) bool { return len(p.orders[l]) > 1 && !slices.Contains(table.Labels, l) }) {
			continue
		}
		for _, line := range table.Rows {
			if !p.matches(table.Labels, line, labels, words) {
				continue
			}
			for k, name := range table.Values {
				for i, v := range t.Values {
					if x := number(line[len(table.Labels)+k]); v.Name == name && math.IsNaN(c.Published[i]) && notNaN(x) {
						c.Published[i], c.About = x, table.About
					}
				}
			}
		}
	}
}

// matches reports whether a published line belongs to the cell whose labels have these words.
func (p *pivot) matches(names, line, labels, words []string) bool {
	for k, name := range names {
		if i := slices.Index(labels, name); i >= 0 {
			if line[k] != words[i] {
				return false
			}
		} else if !slices.Contains(p.orders[name], line[k]) {
			return false
		}
	}
	return true
}

// alike returns the records to choose from, the best choice first: those made under the same conditions, and of those
// with the same labels only the latest.
func alike(list []*Record) []*Record {
	rank := func(r *Record) (n int) {
		if r.Matrix != nil && r.Matrix.Surrogate {
			n += 2
		}
		if r.Quick {
			n++
		}
		return n
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *Record) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return b.Time.Compare(a.Time)
	})
	var kept []*Record
	for _, r := range list {
		first := list[0]
		same := func(o *Record) bool { return maps.Equal(o.Labels, r.Labels) }
		if rank(r) == rank(first) && r.Environment.Processor == first.Environment.Processor && !slices.ContainsFunc(kept, same) {
			kept = append(kept, r)
		}
	}
	return kept
}

// best selects a record as View.Best says; failed if no record had Among.
func best(list []*Record, b *Best) (r *Record, failed bool) {
	least := func(value string, among func(*Record) bool) (r *Record) {
		for _, o := range list {
			x, ok := o.Values[value]
			if ok && among(o) && (r == nil || x < r.Values[value]) {
				r = o
			}
		}
		return r
	}
	any := func(*Record) bool { return true }
	ok := func(o *Record) bool { return b.Among == "" || o.Values[b.Among] != 0 }
	if r = least(b.Least, ok); r != nil {
		return r, false
	}
	if r = least(b.Otherwise, any); r == nil {
		r = list[0]
	}
	return r, true
}

// compared returns every published value with the measured one and their ratio, measured / published.
//
// Values that experiments list in Ratios, except percentages, are not comparable across machines. Both values are
// therefore divided by those of a reference.
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
		for i, row := range t.Rows {
			for k, column := range t.Columns {
				c := &t.Cells[i][k]
				published, measured := c.Published[v], c.Values[v]
				if !notNaN(published) || !notNaN(measured) {
					continue
				}
				text, shown, name := heading(value, false), value, ""
				if t.relative(value) {
					r, l := t.reference(i, k, v)
					if r < 0 || r == i && l == k {
						continue
					}
					to := &t.Cells[r][l]
					published, measured = published/to.Published[v], measured/to.Values[v]
					if !notNaN(published) || !notNaN(measured) {
						continue
					}
					name = t.cellName(t.Rows[r], t.Columns[l], levels)
					text, shown = text+" relative to "+name, Value{Format: Fixed}
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

// agreement describes the ratios of a comparison with published values.
func (s *sheet) agreement() string {
	var ratios []float64
	for _, line := range s.Data[1:] {
		if ratio := number(line[len(line)-1]); notNaN(ratio) {
			ratios = append(ratios, ratio)
		}
	}
	if len(ratios) == 0 {
		return ""
	}
	first, median, third := Quartiles(ratios)
	return fmt.Sprintf("measured / published: %s in the median of %s, quartiles %s and %s",
		fixed(median), english.Plural(len(ratios), "value", ""), fixed(first), fixed(third))
}

// reference returns the row and the column of the cell that value v of a cell is relative to: the one that the figure
// names, otherwise the first with a published and a measured value and the same first label of the row, such as the
// matrix. It returns -1 if there is none.
func (t *table) reference(i, k, v int) (row, column int) {
	if f := t.View.Figure; f != nil && f.Relative != nil {
		with := func(labels, words []string) []string {
			words = slices.Clone(words)
			for n, label := range labels {
				words[n] = cmp.Or(f.Relative[label], words[n])
			}
			return words
		}
		at := func(keys [][]string, want []string) int {
			return slices.IndexFunc(keys, func(have []string) bool { return slices.Equal(have, want) })
		}
		row, column = at(t.Rows, with(t.View.Rows, t.Rows[i])), at(t.Columns, with(t.View.Columns, t.Columns[k]))
		if column < 0 {
			row = column
		}
		return row, column
	}
	for r, other := range t.Rows {
		for l := range t.Columns {
			c := &t.Cells[r][l]
			if notNaN(c.Published[v]) && notNaN(c.Values[v]) && (len(other) == 0 || other[0] == t.Rows[i][0]) {
				return r, l
			}
		}
	}
	return -1, -1
}

// relative reports whether a value can be compared with a published one only as a ratio to another.
func (t *table) relative(v Value) bool {
	return v.Format != Percent && slices.Contains(t.Experiment.Ratios, v.Name) && !slices.Contains(t.Experiment.Comparable, v.Name)
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
