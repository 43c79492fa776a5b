package exhibit

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"

	"github.com/mpsolve/mpsolve/examples/experiments"
	"github.com/mpsolve/mpsolve/internal/records"
)

// addStack puts the shares of a cell on top of each other, by width of format.
func (g *figure) addStack(t *Table, c *Cell, title, bar string) {
	p := g.panel(title, title, t.Values[0])
	x, height := float64(indexOrAdd(&g.categories, bar)), 0.0
	for _, name := range g.series {
		share := 0.0
		for v, value := range t.Values {
			if widthName(value) == name && c.Values[v] > 0 {
				share += 100 * c.Values[v]
			}
		}
		if share > 0 {
			height += share
			g.add(p, name, plotter.XY{X: x, Y: height}, math.NaN())
		}
	}
}

// widths lists those of formats that occur, from none up.
func (t *Table) widths() (list []string) {
	for v, value := range t.Values {
		if t.has(func(c *Cell) bool { return c.Values[v] > 0 }) {
			indexOrAdd(&list, widthName(value))
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(leadingNumber(a), leadingNumber(b)) })
	return list
}

// widthName names the share of all formats of the same width: 24 bits for AFX24 and
// RP24. What is no format, such as what is dropped, keeps its name.
func widthName(v records.Value) string {
	if bits := trailingDigits.FindString(v.Name); bits != "" {
		return bits + " bits"
	}
	return v.Text
}

var trailingDigits = regexp.MustCompile(`[0-9]+$`)

// leadingNumber is 0 if there is none.
func leadingNumber(s string) int {
	first, _, _ := strings.Cut(s, " ")
	n, _ := strconv.Atoi(first)
	return n
}

// drawn lists the series that have points in the panel.
func (p *panel) drawn() (list []int) {
	for _, i := range slices.Sorted(maps.Keys(p.data)) {
		if s := p.data[i]; len(s.measured)+len(s.published) > 0 {
			list = append(list, i)
		}
	}
	return list
}

// merge makes one series of those that are in one panel only, if no panel has two
// of them: uniform formats, each as accurate as the epsilon of its panel.
func (g *figure) merge() {
	if g.Kind != experiments.Bars && g.Kind != experiments.Points {
		return
	}
	var lone []int
	for _, p := range g.panels {
		own := slices.DeleteFunc(p.drawn(), func(i int) bool {
			return slices.ContainsFunc(g.panels, func(o *panel) bool { return o != p && slices.Contains(o.drawn(), i) })
		})
		if len(own) > 1 {
			return
		}
		lone = append(lone, own...)
	}
	if len(lone) < 2 {
		return
	}
	name, first := strings.Join(pick(g.series, lone), " / "), slices.Min(lone)
	var kept []string
	index := map[int]int{} // in kept
	for i, s := range g.series {
		switch {
		case i == first:
			s = name
			fallthrough
		case !slices.Contains(lone, i):
			index[i] = len(kept)
			kept = append(kept, s)
		}
	}
	for _, p := range g.panels {
		data := map[int]*series{}
		for _, i := range p.drawn() {
			to, ok := index[i]
			if !ok {
				to = index[first]
			}
			data[to] = p.data[i]
		}
		p.data = data
	}
	g.series = kept
}

// slot is the part of a category that its series share.
const slot = 0.8

// dodge moves the points of a panel beside each other in the categories.
func (g *figure) dodge() {
	for _, p := range g.panels {
		p.slots = 1
		if g.Kind != experiments.Bars && g.Kind != experiments.Points {
			continue
		}
		drawn := p.drawn()
		p.slots = max(1, len(drawn))
		for k, i := range drawn {
			for _, list := range []plotter.XYs{p.data[i].measured, p.data[i].published} {
				for j := range list {
					list[j].X += slot * ((float64(k)+0.5)/float64(p.slots) - 0.5)
				}
			}
		}
	}
}

// beyond reports whether points lie above the upper edge of a panel.
func (g *figure) beyond(p *panel) bool {
	edge := g.edge(p)
	return slices.ContainsFunc(p.heights(), func(y float64) bool { return y > edge })
}

// edge is where a panel of marks on a logarithmic axis ends above, so that a few
// outliers do not flatten the others: 1000 times what nine in ten lie below.
func (g *figure) edge(p *panel) float64 {
	all := slices.DeleteFunc(p.heights(), func(y float64) bool { return y <= 0 })
	if g.Kind != experiments.Points || !g.logY(p) || len(all) == 0 {
		return math.Inf(1)
	}
	slices.Sort(all)
	return 1000 * all[len(all)*9/10]
}

// heights lists y of all points.
func (p *panel) heights() (list []float64) {
	for _, s := range p.data {
		for _, at := range slices.Concat(s.measured, s.published) {
			list = append(list, at.Y)
		}
	}
	return list
}
