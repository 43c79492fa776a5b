package exhibit

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/mpsolve/mpsolve/examples/experiments"
	"github.com/mpsolve/mpsolve/internal/records"
)

// figure is what is to be drawn, by panel and series.
type figure struct {
	experiments.Figure
	panels     []*panel
	series     []string    // names of those in the panels
	categories []string    // nominal values of x
	places     []plot.Tick // values of x that were measured
	note       string      // below all
	published  bool
}

// panel is a plot of a figure.
type panel struct {
	key   string
	title string
	value records.Value
	level float64         // to be marked by a horizontal line; NaN: none
	data  map[int]*series // by index in figure.series
}

// series are points of one kind, in the units of the axes.
type series struct{ measured, published plotter.XYs }

// arrange sorts the cells of a table into the panels of a figure.
func arrange(t *Table, f experiments.Figure) *figure {
	g := &figure{Figure: f, note: t.standInNote()}
	levels, _ := t.levels()
	shares := map[string]float64{} // heights of the bars of a stack, by panel and bar
	for i, row := range t.Rows {
		for k, column := range t.Columns {
			c := &t.Cells[i][k]
			title, xWords := t.split(t.View.Rows, row, f.Panels, nil)
			inColumn, names := t.split(t.View.Columns, column, f.Panels, levels)
			title += inColumn
			for v, value := range t.Values {
				scale := 1.0
				if value.Format == records.Percent {
					scale = 100
				}
				y, published := scale*c.Values[v], scale*c.Published[v]
				switch f.Kind {
				case experiments.Stack:
					p := g.panel(title, title, value)
					bar := joined(append(slices.Clone(xWords), names...))
					x := float64(g.category(bar))
					if y > 0 {
						at := title + "\n" + bar
						shares[at] += y
						g.add(p, value.Text, plotter.XY{X: x, Y: shares[at]}, math.NaN())
					}
				case experiments.History:
					p := g.panel(title, title, value)
					for _, point := range c.points(f.X.Series, f.Y.Series) {
						g.add(p, joined(append(slices.Clone(xWords), names...)), point, math.NaN())
					}
				case experiments.Lines:
					if t.relative(value) {
						published = math.NaN()
					}
					p := g.panel(title+"\n"+value.Name, title, value)
					x := power(row[0])
					g.place(x, row[0])
					g.add(p, joined(names), plotter.XY{X: x, Y: y}, published)
				default:
					if t.relative(value) {
						published = math.NaN()
					}
					p := g.panel(title+"\n"+value.Name, title, value)
					g.add(p, joined(names), plotter.XY{X: float64(g.category(joined(xWords))), Y: y}, published)
				}
			}
		}
	}
	if f.Panels == "epsilon" {
		for _, p := range g.panels {
			if strings.Contains(p.value.Name, "error") {
				p.level = power(strings.TrimPrefix(p.title, titlePrefix(f.Panels)))
			}
		}
	}
	return g
}

// split takes the label of the panels out of the words of a row or a column. If
// levels are given, other words are left out.
func (t *Table) split(labels, words []string, panels string, levels []int) (title string, rest []string) {
	for k, w := range words {
		switch {
		case labels[k] == panels:
			title = titlePrefix(panels) + t.word(panels, w)
		case levels == nil || slices.Contains(levels, k):
			rest = append(rest, t.word(labels[k], w))
		}
	}
	return title, rest
}

// titlePrefix stands before the label's value in the title of a panel.
func titlePrefix(label string) string {
	switch label {
	case "matrix":
		return ""
	case "epsilon":
		return "ε = "
	}
	return label + " "
}

// points are the pairs of a history in the cell.
func (c *Cell) points(x, y string) (list plotter.XYs) {
	xs, ys := c.Series[x], c.Series[y]
	for i := range min(len(xs), len(ys)) {
		list = append(list, plotter.XY{X: xs[i], Y: ys[i]})
	}
	return list
}

func (g *figure) panel(key, title string, value records.Value) *panel {
	i := slices.IndexFunc(g.panels, func(p *panel) bool { return p.key == key })
	if i < 0 {
		i = len(g.panels)
		g.panels = append(g.panels, &panel{key: key, title: title, value: value, level: math.NaN(), data: map[int]*series{}})
	}
	return g.panels[i]
}

func (g *figure) category(name string) int { return indexOrAdd(&g.categories, name) }

// place notes that there are measurements at x.
func (g *figure) place(x float64, name string) {
	if isNumber(x) && !slices.ContainsFunc(g.places, func(t plot.Tick) bool { return t.Value == x }) {
		g.places = append(g.places, plot.Tick{Value: x, Label: superscripts(name)})
	}
}

func indexOrAdd(list *[]string, word string) int {
	i := slices.Index(*list, word)
	if i < 0 {
		i = len(*list)
		*list = append(*list, word)
	}
	return i
}

func (g *figure) add(p *panel, name string, at plotter.XY, published float64) {
	i := indexOrAdd(&g.series, name)
	s := p.data[i]
	if s == nil {
		s = &series{}
		p.data[i] = s
	}
	if isNumber(at.Y) && isNumber(at.X) {
		s.measured = append(s.measured, at)
	}
	if isNumber(published) && isNumber(at.X) {
		s.published = append(s.published, plotter.XY{X: at.X, Y: published})
		g.published = true
	}
}
