package present

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/reproduce/records"
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
					if x := number(line[len(table.Labels)+k]); v.Name == name && math.IsNaN(c.Published[i]) && isNumber(x) {
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
func alike(list []*records.Record) []*records.Record {
	rank := func(r *records.Record) (n int) {
		if r.Matrix != nil && r.Matrix.Surrogate {
			n += 2
		}
		if r.Quick {
			n++
		}
		return n
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *records.Record) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return b.Time.Compare(a.Time)
	})
	var kept []*records.Record
	for _, r := range list {
		first := list[0]
		same := func(o *records.Record) bool { return maps.Equal(o.Labels, r.Labels) }
		if rank(r) == rank(first) && r.Environment.Processor == first.Environment.Processor && !slices.ContainsFunc(kept, same) {
			kept = append(kept, r)
		}
	}
	return kept
}

// best selects a record as View.Best says; failed if no record had Among.
func best(list []*records.Record, b *records.Best) (r *records.Record, failed bool) {
	least := func(value string, among func(*records.Record) bool) (r *records.Record) {
		for _, o := range list {
			x, ok := o.Values[value]
			if ok && among(o) && (r == nil || x < r.Values[value]) {
				r = o
			}
		}
		return r
	}
	any := func(*records.Record) bool { return true }
	ok := func(o *records.Record) bool { return b.Among == "" || o.Values[b.Among] != 0 }
	if r = least(b.Least, ok); r != nil {
		return r, false
	}
	if r = least(b.Otherwise, any); r == nil {
		r = list[0]
	}
	return r, true
}
