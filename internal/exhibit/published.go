package exhibit

import (
	"math"
	"slices"
	"strconv"
)

// publish sets the published values beside a cell, the first that match.
func (p *pivot) publish(c *Cell, row, column []string) {
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

// matches reports whether a published line is for the cell whose labels are words.
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

// number reads a published value, NaN where the paper has none.
func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}
