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
	slots int             // parts of a category, one for each series that is there
}

// series are points of one kind, in the units of the axes.
type series struct{ measured, published plotter.XYs }

// arrange sorts the cells of a table into the panels of a figure.
func arrange(t *Table, f experiments.Figure) *figure {
	g := &figure{Figure: f, note: t.standInNote()}
	if f.Kind == experiments.Stack {
		g.series = t.widths()
	}
	for i, row := range t.Rows {
		for k, column := range t.Columns {
			if f.Shows(t.View.Rows, row) && f.Shows(t.View.Columns, column) {
				g.addCell(t, &t.Cells[i][k], row, column)
			}
		}
	}
	for _, p := range g.panels {
		if f.Panels == "epsilon" && strings.Contains(p.value.Name, "error") {
			p.level = power(strings.TrimPrefix(p.title, epsilonTitle))
		}
	}
	g.merge()
	g.dodge()
	if slices.ContainsFunc(g.panels, func(p *panel) bool { return g.beyond(p) }) {
		g.note = strings.TrimPrefix(g.note+"; marks on the upper edge lie beyond it", "; ")
	}
	return g
}

// addCell puts what is in a cell to its panel.
func (g *figure) addCell(t *Table, c *Cell, row, column []string) {
	title, xWords := t.split(t.View.Rows, row, g.Panels, varying(t.Rows))
	inColumn, names := t.split(t.View.Columns, column, g.Panels, varying(t.Columns))
	title += inColumn
	all := joined(append(slices.Clone(xWords), names...))
	switch g.Kind {
	case experiments.Stack:
		g.addStack(t, c, title, all)
		return
	case experiments.History:
		p := g.panel(title, title, describeValue(g.Y.Series))
		for _, point := range c.points(g.X.Series, g.Y.Series) {
			g.add(p, all, point, math.NaN())
		}
		return
	}
	for v, value := range t.Values {
		scale := 1.0
		if value.Format == records.Percent {
			scale = 100
		}
		published := scale * c.Published[v]
		if t.relative(value) {
			published = math.NaN()
		}
		p := g.panel(title+"\n"+value.Name, title, value)
		x := power(row[0])
		if g.Kind == experiments.Lines {
			g.place(x, row[0])
		} else {
			_, xWords = t.split(t.View.Rows, row, g.Panels, nil)
			x = float64(indexOrAdd(&g.categories, joined(xWords)))
		}
		g.add(p, joined(names), plotter.XY{X: x, Y: scale * c.Values[v]}, published)
	}
}

// split takes the label of the panels out of the words of a row or a column, and
// those that are not to be told: at indices other than shown, if it is given.
func (t *Table) split(labels, words []string, panels string, shown []int) (title string, rest []string) {
	for k, w := range words {
		switch {
		case labels[k] == panels:
			title = t.panelTitle(panels, w)
		case labels[k] == "criterion" && w == "none", labels[k] == "drop" && !slices.ContainsFunc(words, adaptive):
		case shown == nil || slices.Contains(shown, k):
			rest = append(rest, t.word(labels[k], w))
		}
	}
	return title, rest
}

// adaptive reports whether a word names a set of formats that elements may be
// dropped from.
func adaptive(word string) bool { return strings.HasPrefix(word, "A") }

// panelTitle is a label with its value above a panel.
func (t *Table) panelTitle(label, value string) string {
	switch {
	case label == "epsilon":
		return epsilonTitle + value
	case value == "nw":
		return "normwise criterion"
	case value == "cw":
		return "componentwise criterion"
	case label == "matrix" || label == "formats":
		return t.word(label, value)
	}
	return label + " " + value
}

const epsilonTitle = "ε = "

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

// place notes that there are measurements at x.
func (g *figure) place(x float64, name string) {
	if isNumber(x) && !slices.ContainsFunc(g.places, func(t plot.Tick) bool { return t.Value == x }) {
		if k := math.Round(math.Log10(x)); k >= 4 && x == math.Pow(10, k) {
			name = decade(int(k))
		}
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
