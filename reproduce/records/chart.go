package records

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ChartOf returns the figure of a view, nil if it has none or nothing was measured.
func ChartOf(e Experiment, v View, list []Record) *Chart {
	t := newTable(e, v, list)
	if v.Figure == nil || !t.measured() {
		return nil
	}
	return t.figure()
}

// chartPlotter distributes the cells of a table over the panels of its figure.
type chartPlotter struct {
	*table
	Figure
	out    *Chart
	panels map[string]*Panel
	marks  []chartMark
}

// chartMark holds the value of a cell, in the units of the axes, and the published value; NaN where there is none.
type chartMark struct {
	panel           *Panel
	series          string
	x, y, published float64
}

func (t *table) figure() *Chart {
	f := *t.View.Figure
	x := ChartAxis{Text: f.X.Text, Log: f.X.Log}
	if x.Text == "" && f.Kind == History {
		x.Text = describeValue(f.X.Series).Text
	}
	p := chartPlotter{table: t, Figure: f, panels: map[string]*Panel{}}
	p.out = &Chart{Kind: f.Kind, X: x, Note: t.surrogateNote()}
	for i, row := range t.Rows {
		for k, column := range t.Columns {
			if f.Shows(t.View.Rows, row) && f.Shows(t.View.Columns, column) {
				p.addCell(i, k)
			}
		}
	}
	p.merge()
	for _, m := range p.marks {
		p.out.Add(m.panel, m.series, m.x, m.y)
		p.out.AddPublished(m.panel, m.series, m.x, m.published)
	}
	return p.out
}

func (p *chartPlotter) mark(panel *Panel, series string, x, y, published float64) {
	p.marks = append(p.marks, chartMark{panel, series, x, y, published})
}

// addCell adds the contents of a cell to its panel.
func (p *chartPlotter) addCell(i, k int) {
	c, row, column := &p.Cells[i][k], p.Rows[i], p.Columns[k]
	title, xWords := p.split(p.View.Rows, row, varying(p.Rows))
	inColumn, names := p.split(p.View.Columns, column, varying(p.Columns))
	title += inColumn
	all := joined(append(slices.Clone(xWords), names...))
	switch p.Kind {
	case Stack:
		p.stack(c, p.panel(title, title, p.Values[0]), all)
		return
	case History:
		panel := p.panel(title, title, describeValue(p.Y.Series))
		for _, at := range c.points(p.X.Series, p.Y.Series) {
			p.mark(panel, all, at[0], at[1], math.NaN())
		}
		return
	}
	for v, value := range p.Values {
		scale := 1.0
		if value.Format == Percent {
			scale = 100
		}
		published, measured := scale*c.Published[v], scale*c.Values[v]
		if p.relative(value) {
			r, l := p.reference(i, k, v)
			switch {
			case p.Relative == nil: // the measured values are drawn as they are
				published = math.NaN()
			case r < 0:
				published, measured = math.NaN(), math.NaN()
			default:
				published, measured = published/p.Cells[r][l].Published[v], measured/p.Cells[r][l].Values[v]
			}
		}
		x := number(row[0])
		if p.Kind == Lines {
			p.out.Tick(x, row[0])
		} else {
			_, xWords = p.split(p.View.Rows, row, nil)
			x = p.out.Category(joined(xWords))
		}
		p.mark(p.panel(title+"\n"+value.Name, title, value), joined(names), x, measured, published)
	}
}

// split separates the label of the panels from the words of a row or a column. It leaves out the words at indices
// that are not in shown, if shown is given.
func (p *chartPlotter) split(labels, words []string, shown []int) (title string, rest []string) {
	for k, w := range words {
		switch {
		case labels[k] == p.Panels:
			title = p.panelTitle(w)
		case labels[k] == "criterion" && w == "none", labels[k] == "drop" && !slices.ContainsFunc(words, adaptive):
		case shown == nil || slices.Contains(shown, k):
			rest = append(rest, p.word(labels[k], w))
		}
	}
	return title, rest
}

// adaptive reports whether a word names a set of formats, from which elements may be dropped.
func adaptive(word string) bool { return strings.HasPrefix(word, "A") }

// panelTitle returns the label of the panels with its value.
func (p *chartPlotter) panelTitle(value string) string {
	switch label := p.Panels; {
	case label == "epsilon":
		return epsilonTitle + value
	case value == "nw":
		return "normwise criterion"
	case value == "cw":
		return "componentwise criterion"
	case label == "matrix" || label == "formats":
		return p.word(label, value)
	}
	return p.Panels + " " + value
}

const epsilonTitle = "ε = "

// panel returns the panel of a key, which it adds for a value if it is missing.
func (p *chartPlotter) panel(key, title string, value Value) *Panel {
	if p.panels[key] == nil {
		panel := Panel{Title: title, Y: ChartAxis{Text: heading(value, false), Log: p.Y.Log}}
		switch p.Kind {
		case Stack:
			panel.Y.Text = "share of nonzeros (%)"
		case History:
			panel.Y = ChartAxis{Text: value.Text, Log: true}
		default:
			panel.Y.Log = p.Y.Log || value.Format == Scientific
		}
		if p.relative(value) && p.Relative != nil {
			unitless, _, _ := strings.Cut(value.Text, " (")
			panel.Y.Text = unitless + " / with"
			for _, label := range slices.Sorted(maps.Keys(p.Relative)) {
				panel.Y.Text += " " + label + " " + p.Relative[label]
			}
		}
		if p.Y.Text != "" {
			panel.Y.Text = p.Y.Text
		}
		if value.Format == Percent {
			panel.Percent = value.Name
		}
		if p.Panels == "epsilon" && strings.Contains(value.Name, "error") {
			panel.Level = number(strings.TrimPrefix(title, epsilonTitle))
		}
		p.panels[key] = p.out.AddPanel(panel)
	}
	return p.panels[key]
}

// points returns the pairs of a history in the cell.
func (c *cell) points(x, y string) (list [][2]float64) {
	xs, ys := c.Series[x], c.Series[y]
	for i := range min(len(xs), len(ys)) {
		list = append(list, [2]float64{xs[i], ys[i]})
	}
	return list
}

// merge joins the series that occur in one panel only, if no panel has two of them: uniform formats, each as accurate
// as the epsilon of its panel.
func (p *chartPlotter) merge() {
	if p.Kind != Bars && p.Kind != Points {
		return
	}
	drawn := func(panel *Panel, series string) bool {
		return slices.ContainsFunc(p.marks, func(m chartMark) bool {
			return m.panel == panel && m.series == series && (notNaN(m.y) || notNaN(m.published))
		})
	}
	in := map[string][]*Panel{} // of each series
	for _, m := range p.marks {
		if !slices.Contains(in[m.series], m.panel) && drawn(m.panel, m.series) {
			in[m.series] = append(in[m.series], m.panel)
		}
	}
	lone := map[*Panel]string{}
	var names []string
	for _, m := range p.marks {
		switch panels := in[m.series]; {
		case len(panels) != 1 || panels[0] != m.panel || slices.Contains(names, m.series):
		case lone[m.panel] != "":
			return
		default:
			lone[m.panel] = m.series
			names = append(names, m.series)
		}
	}
	if len(names) < 2 {
		return
	}
	for i, m := range p.marks {
		if slices.Contains(names, m.series) {
			p.marks[i].series = strings.Join(names, " / ")
		}
	}
}

// stack stacks the shares of a cell, by width of format.
func (p *chartPlotter) stack(c *cell, panel *Panel, bar string) {
	x, height := p.out.Category(bar), 0.0
	for _, name := range p.widths() {
		share := 0.0
		for v, value := range p.Values {
			if widthName(value) == name && c.Values[v] > 0 {
				share += 100 * c.Values[v]
			}
		}
		height += share
		if share == 0 {
			p.mark(panel, name, x, math.NaN(), math.NaN())
		} else {
			p.mark(panel, name, x, height, math.NaN())
		}
	}
}

// widths lists the widths of formats that occur, in increasing order.
func (t *table) widths() (list []string) {
	for v, value := range t.Values {
		if name := widthName(value); !slices.Contains(list, name) && t.has(func(c *cell) bool { return c.Values[v] > 0 }) {
			list = append(list, name)
		}
	}
	bits := func(name string) int {
		n, _ := strconv.Atoi(strings.TrimSuffix(name, " bits")) // 0 for what is not a format
		return n
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(bits(a), bits(b)) })
	return list
}

// widthName returns the name for the share of all formats of the same width: 24 bits for AFX24 and RP24. What is not
// a format, such as dropped elements, keeps its name.
func widthName(v Value) string {
	if bits := trailingDigits.FindString(v.Name); bits != "" {
		return bits + " bits"
	}
	return v.Text
}

var trailingDigits = regexp.MustCompile(`[0-9]+$`)

// number parses a label or a published value; it returns NaN if that is not a number.
func number(text string) float64 {
	if x, ok := Number(text); ok && !math.IsInf(x, 0) {
		return x
	}
	return math.NaN()
}
